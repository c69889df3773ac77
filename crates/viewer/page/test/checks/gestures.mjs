// Mouse and wheel: pan, zoom, select, measure.
import assert from "node:assert/strict";
import { open, parameter, settled, text, visibleIntervals } from "../shown.mjs";

export async function gestures({ page, url }) {
  await open(page, url);
  const box = await page.$eval(".scroller canvas", (canvas) => {
    const { x, y, width, height } = canvas.getBoundingClientRect();
    return { x, y, width, height };
  });
  const middle = { x: box.x + box.width / 2, y: await heightOf(page, "worker:") };
  await page.mouse.move(middle.x, middle.y);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -600);
  await page.keyboard.up("Control");
  await settled(page);
  const from = Number(await parameter(page, "from"));
  assert.ok(from > 0, "zoomed");
  await drag(page, middle, { x: middle.x - 200, y: middle.y });
  assert.ok(Number(await parameter(page, "from")) > from, "panned");
  await page.keyboard.down("Shift");
  await drag(page, middle, { x: middle.x + 100, y: middle.y });
  await page.keyboard.up("Shift");
  assert.match(await parameter(page, "range"), /^\d+-\d+$/);
  assert.match(await text(page, ".detail .headline"), /from .* to /);
  await selectsWhatIsClicked(page, box);
}

async function drag(page, from, to) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, to.y);
  await page.mouse.move(to.x, to.y);
  await page.mouse.up();
  await settled(page);
}

/** A click on an interval of the first track selects that one, and its length is what the table says. */
async function selectsWhatIsClicked(page, box) {
  const { from, to } = await page.$eval("#visible-intervals", (table) => ({
    from: Number(table.dataset.from),
    to: Number(table.dataset.to),
  }));
  const shown = (await visibleIntervals(page)).filter(({ id }) => id.startsWith("worker:"));
  const track = shown[0]?.id.split("/")[0];
  const widest = shown.filter(({ id }) => id.startsWith(`${track}/`)).sort((a, b) => seen(b, from, to) - seen(a, from, to))[0];
  if (widest === undefined || seen(widest, from, to) < (to - from) / 100) return;
  const centre = (Math.max(widest.begin, from) + Math.min(widest.begin + widest.length, to)) / 2;
  const y = await heightOf(page, track);
  await page.mouse.click(box.x + ((centre - from) / (to - from)) * box.width, y);
  await settled(page);
  assert.equal(await parameter(page, "sel"), widest.id);
}

/** The middle of the first row whose name begins so. */
function heightOf(page, name) {
  return page.$$eval(
    ".track",
    (tracks, start) => {
      const { y, height } = tracks.find((track) => track.textContent.startsWith(start)).getBoundingClientRect();
      return y + height / 2;
    },
    name,
  );
}

function seen({ begin, length }, from, to) {
  return Math.min(begin + length, to) - Math.max(begin, from);
}
