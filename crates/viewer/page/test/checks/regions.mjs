// Regions are tracks by their names: each opens to show the tasks that have such regions, and these to show them.
import assert from "node:assert/strict";
import { open, parameter, press, settled, visibleIntervals } from "../shown.mjs";

export async function regions({ page, planted }) {
  await open(page, planted, "#by=region");
  assert.deepEqual(await tracks(page), ["▸ work 20"]);
  const [all] = await visibleIntervals(page);
  assert.deepEqual([all.id, all.state], ["region:0", "open 100 %"]);
  await page.click(".track button");
  await settled(page);
  assert.deepEqual((await tracks(page)).slice(0, 3), ["▾ work 20", "▸ task:101 main.handle 1", "▸ task:102 main.handle 1"]);
  await page.click(".track.depth-1 button");
  await settled(page);
  assert.equal((await tracks(page))[2], "regions:101.0");
  // By keys, too: the first track that has intervals is the task's, then comes that of its regions.
  await press(page, "ArrowRight", "ArrowDown");
  assert.equal(await parameter(page, "sel"), "regions:101.0/0");
  await page.goto(`${planted}#by=region&where=${encodeURIComponent('name == "work" && begin > 700ms && task < 116')}&open=region:0`);
  await settled(page);
  assert.deepEqual(await tracks(page), ["▾ work 20", "▸ task:114 main.handle 1", "▸ task:115 main.handle 1"]);
}

function tracks(page) {
  return page.$$eval(".track", (found) => found.map(({ textContent }) => textContent.replace(/\s+/g, " ").trim()));
}
