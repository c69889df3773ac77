// Who waited for whom is shown on demand: the tasks of the chain as rows below one another, whatever tracks are looked at.
import assert from "node:assert/strict";
import { open, parameter, press, settled, text, visibleIntervals } from "../shown.mjs";

export async function chain({ page, planted }) {
  await open(page, planted);
  await page.click("text=tasks waited for a lock");
  await settled(page);
  assert.deepEqual(await pinned(page), ["task:113 main.handle"], "the selected one alone at first");
  await press(page, "y");
  await isShown(page);
  // The one that is waited for can be looked at, and the chain stays.
  await page.click(".chain a:has-text('task:50')");
  await settled(page);
  assert.match(await text(page, ".detail .headline"), /205 ms waiting: sleep/);
  assert.equal((await pinned(page)).length, 2);
  await page.goBack();
  await settled(page);
  await page.reload();
  await settled(page);
  await isShown(page);
  await press(page, "Escape");
  assert.equal(await parameter(page, "why"), null);
  assert.deepEqual(await pinned(page), ["selected goroutine"]);
}

async function isShown(page) {
  assert.match(await parameter(page, "why"), /^task:113@\d+$/);
  assert.deepEqual(await pinned(page), ["task:113 main.handle", "task:50 main.(*Store).compact"]);
  const waits = (await visibleIntervals(page)).filter(({ id, state }) => id.startsWith("task:50/") && state.startsWith("waiting"));
  assert.ok(waits.length > 0, "what the holder of the lock did is shown");
  assert.match(await text(page, ".detail .chain"), /task:113 .*sync.*task:50 .*sleep/);
}

function pinned(page) {
  return page.$$eval(".pinned div", (rows) => rows.map((row) => row.textContent));
}
