// Each page opens by its link, and by that of a task, and shows no error.
import assert from "node:assert/strict";
import { open, settled, text } from "../shown.mjs";

export async function pages({ page, url }) {
  await open(page, url);
  const links = await page.$$eval(".pages a", (anchors) => anchors.map((anchor) => anchor.hash));
  for (const hash of links) {
    await page.goto(`${url}${hash}`);
    await settled(page);
    await page.waitForSelector("main");
    assert.equal((await page.$$(".note.error")).length, 0, `${hash}: ${await text(page, "main")}`);
  }
  // Rows of many tell what their members did, for who does not see the canvas.
  await page.goto(`${url}#by=group`);
  await settled(page);
  assert.match(await page.textContent("#visible-intervals tbody"), /running|waiting/);
  // The way to one task, by its group.
  await page.goto(`${url}#page=tasks`);
  await settled(page);
  await page.click(".data-table td a");
  await settled(page);
  await page.click(".data-table td a");
  await settled(page);
  assert.match(await text(page, ".lives"), /lived/);
  assert.equal((await page.$$(".note.error")).length, 0, await text(page, "main"));
}
