// A filter on the timeline leaves the rows that have what it means, and dims the rest of these; it stands in the address.
import assert from "node:assert/strict";
import { open, parameter, settled, shareOf, text, visibleIntervals, windowOf } from "../shown.mjs";

const MS = 1_000_000;

export async function filter({ page, planted, browser }) {
  await open(page, planted);
  await type(page, 'state == "running" && worker == 2');
  assert.deepEqual(await tracks(page), ["gc", "stopped", "worker:2"]);
  const ran = (await visibleIntervals(page)).filter(({ id }) => id.startsWith("worker:"));
  assert.deepEqual(
    ran.map(({ id, length }) => [id, length]),
    [["worker:2/0", 300 * MS]],
  );
  await page.goto(`${planted}#by=group`);
  await settled(page);
  await type(page, 'state == "blocked" && duration > 100ms');
  await page.click(".track button:has-text('main.handle')");
  await settled(page);
  assert.deepEqual(await tracks(page), ["main.handle", "task:113", "main.(*Store).compact"].sort());
  await dimsTheRest(page);
  const seen = await visibleIntervals(page);
  await page.reload();
  await settled(page);
  assert.deepEqual(await visibleIntervals(page), seen, "by its link");
  // A filter is about what is on its page.
  await page.keyboard.press("2");
  await settled(page);
  assert.equal(await parameter(page, "where"), null);
  await tellsWhatIsWrong(browser, planted);
}

/** Of a request that waited long: the wait as it is, and what it did then not. */
async function dimsTheRest(page) {
  await page.goto(`${page.url()}&from=${690 * MS}&to=${715 * MS}`);
  await settled(page);
  const seen = await windowOf(page);
  assert.ok((await shareOf(page, "--waiting", seen, 695 * MS, "task:113")) > 0.2, "waited");
  assert.equal(await shareOf(page, "--running", seen, 705 * MS, "task:113"), 0, "ran, and is dimmed");
  await page.click("button[aria-label='No filter']");
  await settled(page);
  assert.ok((await shareOf(page, "--running", seen, 705 * MS, "task:113")) > 0.7, "ran");
  await page.goBack();
  await settled(page);
}

/** What is refused is an error on the console, too. */
async function tellsWhatIsWrong(browser, planted) {
  const context = await browser.newContext({ viewport: { width: 1600, height: 950 } });
  try {
    const page = await context.newPage();
    await open(page, planted);
    const all = await tracks(page);
    await type(page, "duratoin > 5ms");
    assert.match(await text(page, ".timeline .note.error"), /column 1: there is no such field; tasks have task, /);
    assert.deepEqual(await tracks(page), all, "nothing is left out");
  } finally {
    await context.close();
  }
}

async function type(page, filter) {
  await page.keyboard.press("f");
  await page.keyboard.type(filter);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await settled(page);
  assert.equal(await parameter(page, "where"), filter);
}

/** What the names of the tracks begin with, in order of their letters. */
async function tracks(page) {
  const names = await page.$$eval(".track", (found) => found.map(({ textContent }) => textContent.replace(/^[▾▸] /, "")));
  return names.map((name) => (name.includes("collector") ? "gc" : name.includes("stopped") ? "stopped" : name.split(" ")[0])).sort();
}
