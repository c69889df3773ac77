// A number leads to what it counts: a bin of a histogram to the user tasks in it, and each of these to its time on the timeline.
import assert from "node:assert/strict";
import { open, parameter, settled, text } from "../shown.mjs";

export async function behindNumbers({ page, planted }) {
  await open(page, planted, "#page=latency");
  await click(page, "td a:has-text('request')");
  const bins = await page.$$eval(".histogram a", (links) => links.map((link) => Number(link.textContent)));
  assert.deepEqual(bins, [20, 1], "twenty short ones, and a long one");
  await click(page, ".histogram a");
  assert.match(await text(page, "h2"), /: 20$/);
  const lengths = await page.$$eval(".data-table tbody td:first-child a", (links) => links.map((link) => link.textContent));
  assert.deepEqual(new Set(lengths), new Set(["2 ms"]));
  await click(page, ".data-table tbody td:first-child a");
  assert.match(await parameter(page, "sel"), /^task:1\d\d\//);
  assert.match(await text(page, ".detail"), /main\.handle/);
}

async function click(page, selector) {
  await page.click(selector);
  await settled(page);
}
