// Each page opens by its key, shows no error and nothing that axe calls serious, and shows the same when its link is opened anew.
import assert from "node:assert/strict";
import { isAccessible } from "../axe.mjs";
import { watchedPage } from "../browser.mjs";
import { open, press, settled, text } from "../shown.mjs";

export async function pages({ page, url, browser }) {
  const other = await watchedPage(browser);
  try {
    await walk(page, url, other.page);
    await other.verify();
  } finally {
    await other.close();
  }
}

async function walk(page, url, anew) {
  await open(page, url);
  const titles = await page.$$eval(".pages a", (links) => links.map((link) => link.textContent));
  for (const [place, title] of titles.entries()) {
    await press(page, `${place + 1}`);
    assert.equal(await text(page, ".pages a[aria-current=page]"), title);
    await isSound(page, anew, title);
  }
  // Rows of many tell what their members did, for who does not see the canvas.
  await page.goto(`${url}#by=group`);
  await settled(page);
  assert.match(await page.textContent("#visible-intervals tbody"), /running|waiting/);
  // The way to one task, by its group; and to one name of those that the program gave, if it gave any.
  await page.goto(`${url}#page=tasks`);
  await follow(page, anew, "a group");
  await follow(page, anew, "a task");
  assert.match(await text(page, ".lives"), /lived/);
  await page.goto(`${url}#page=latency`);
  await settled(page);
  if ((await page.$(".data-table td a")) !== null) await follow(page, anew, "a name");
}

async function follow(page, anew, what) {
  await settled(page);
  await page.click(".data-table td a");
  await isSound(page, anew, what);
}

async function isSound(page, anew, where) {
  await settled(page);
  const seen = await text(page, "main");
  assert.equal((await page.$$(".note.error")).length, 0, `${where}: ${seen}`);
  await isAccessible(page, where);
  await anew.goto("about:blank");
  await anew.goto(page.url());
  await anew.waitForSelector("main");
  await settled(anew);
  assert.equal(await text(anew, "main"), seen, `${where} by its link`);
}
