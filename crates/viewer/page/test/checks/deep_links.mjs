// A link restores what was seen, and an interval is the same at every zoom.
import assert from "node:assert/strict";
import { open, press, settled, text, visibleIntervals } from "../shown.mjs";

export async function deepLinks({ page, url, browser }) {
  await open(page, url);
  await press(page, "ArrowRight", "z", "m");
  const seen = { detail: await text(page, ".detail"), intervals: await visibleIntervals(page) };
  const context = await browser.newContext({ viewport: { width: 1600, height: 950 } });
  try {
    const other = await context.newPage();
    await open(other, page.url());
    assert.equal(await text(other, ".detail"), seen.detail);
    assert.deepEqual(await visibleIntervals(other), seen.intervals);
  } finally {
    await context.close();
  }
  await sameAtEveryZoom(page);
  await page.goBack();
  await settled(page);
}

/** The ids and lengths of what is seen now and was seen before agree. */
async function sameAtEveryZoom(page) {
  const lengths = new Map();
  for (const key of ["w", "w", "d", "s"]) {
    for (const { id, begin, length } of await visibleIntervals(page)) {
      const before = lengths.get(id);
      if (before !== undefined) assert.deepEqual({ begin, length }, before, id);
      lengths.set(id, { begin, length });
    }
    await press(page, key);
  }
}
