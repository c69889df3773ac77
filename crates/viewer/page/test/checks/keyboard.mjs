// Everything can be reached and done by keys alone, and what they open has nothing that axe calls serious. Pages have a check of
// their own.
import assert from "node:assert/strict";
import { isAccessible } from "../axe.mjs";
import { drawn, open, parameter, press, text } from "../shown.mjs";

export async function keyboard({ page, url, isFirst }) {
  await open(page, url);
  await steps(page);
  await zooms(page);
  await findings(page);
  await tabs(page);
  // The same whatever trace is shown.
  if (!isFirst) return;
  await help(page);
  await search(page);
}

async function steps(page) {
  await press(page, "ArrowRight");
  const first = await parameter(page, "sel");
  assert.match(first, /^[a-z]+(:\d+)?\/\d+$/);
  assert.match(await text(page, ".detail .headline"), /\d (ns|µs|ms|s)/);
  await isAccessible(page, "a selection");
  await press(page, "ArrowRight");
  const second = await parameter(page, "sel");
  if (second !== first) {
    await press(page, "ArrowLeft");
    assert.equal(await parameter(page, "sel"), first, "back to the first");
  }
  await press(page, "Escape");
  assert.equal(await parameter(page, "sel"), null);
}

async function zooms(page) {
  await press(page, "w", "w", "w");
  const from = Number(await parameter(page, "from"));
  const to = Number(await parameter(page, "to"));
  assert.ok(to > from && from > 0, "a window");
  await press(page, "d");
  assert.ok(Number(await parameter(page, "from")) > from, "panned");
  await press(page, "a", "s", "0");
  assert.equal(await parameter(page, "from"), null, "the whole trace again");
}

async function findings(page) {
  const count = (await page.$$(".finding")).length;
  await press(page, "n");
  if (count === 0) return;
  assert.equal((await page.$$(".finding.chosen")).length, 1);
  assert.match(await parameter(page, "sel"), /^task:\d+\/\d+$/);
  await isAccessible(page, "a finding");
  await press(page, "p", "Escape", "0");
}

async function help(page) {
  await press(page, "?");
  assert.match(await text(page, "dialog[open]"), /zoom in/);
  await isAccessible(page, "the help");
  await press(page, "Escape");
  assert.equal((await page.$$("dialog[open]")).length, 0, "closed");
}

async function search(page) {
  await press(page, "/");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "search");
  await page.keyboard.type("task:1");
  await page.waitForSelector(".hits a, .hits .note");
  await isAccessible(page, "hits");
  await press(page, "Escape");
  assert.equal((await page.$$(".hits")).length, 0, "closed");
}

/** The tabulator goes through the page and comes out again; what has the focus can be seen. */
async function tabs(page) {
  await page.reload();
  await drawn(page);
  const reached = new Set();
  for (let count = 0; count < 120; count++) {
    await page.keyboard.press("Tab");
    const focus = await page.evaluate(() => {
      const element = document.activeElement;
      if (element === null || element === document.body) return null;
      const { outlineStyle } = getComputedStyle(element);
      return { what: `${element.tagName} ${element.className} ${element.id}`, isSeen: outlineStyle !== "none" };
    });
    if (focus === null) break;
    assert.ok(focus.isSeen, `the focus is seen on ${focus.what}`);
    reached.add(focus.what.trim());
  }
  for (const what of ["DIV scroller", "INPUT  search"]) assert.ok(reached.has(what), `${what} is reached: ${[...reached]}`);
}
