// The first screen shows what is in the trace.
import assert from "node:assert/strict";
import { colours, open, text, visibleIntervals } from "../shown.mjs";

export async function firstScreen({ page, url, trace }) {
  await open(page, url);
  assert.ok((await text(page, ".trust .file")).endsWith(trace), "the trace's name");
  assert.match(await text(page, ".trust"), /events/);
  assert.match(await text(page, ".trust [role=status]"), /whole|in part/);
  assert.ok(await page.$$eval(".finding, .findings .note", (found) => found.length > 0), "findings, or that there are none");
  assert.ok((await page.$$(".track")).length > 0, "tracks");
  assert.ok((await page.$$(".strip canvas")).length >= 4, "strips");
  assert.ok((await visibleIntervals(page)).length > 0, "intervals");
  // The lane, a state, a line and a letter at least.
  assert.ok((await colours(page, ".scroller canvas")) > 4, "the canvas is drawn");
}
