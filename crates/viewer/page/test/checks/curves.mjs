// What there was over time stands above the tracks: tasks by what they did, the collector, the heap and its goal.
import assert from "node:assert/strict";
import { colours, open } from "../shown.mjs";

export async function curves({ page, planted }) {
  await open(page, planted);
  const said = await page.$$eval(".strip .plot", (plots) => plots.map((plot) => plot.getAttribute("aria-label")));
  assert.deepEqual(said, [
    "busy procs over time, at most 2.5",
    "in the queue over time, at most 0",
    "GC at work over time, at most 100 %",
    "in system calls over time, at most 0",
    "waiting over time, at most 2",
    "heap over time, at most 8 MiB; goal 8 MiB",
  ]);
  assert.ok((await colours(page, ".strip:last-child canvas")) > 2, "the heap, and a line");
}
