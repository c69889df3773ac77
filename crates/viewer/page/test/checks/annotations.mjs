// What the author of a program has annotated: a log and its text are found from the keyboard, a task opens to show its regions, and an
// interval of these is told.
import assert from "node:assert/strict";
import { open, parameter, settled, text, visibleIntervals } from "../shown.mjs";

export async function annotations({ page, url }) {
  await showsLog(page, url);
  const { task, depth } = await withRegions(url);
  const id = `regions:${task.number}`;
  await open(page, url, `#by=group&open=${task.group},${task.id}`);
  const names = await page.$$eval(".track", (tracks) => tracks.map((track) => track.textContent.trim()));
  for (let row = 0; row < depth; row++) assert.ok(names.includes(`${id}.${row}`), `${names}`);
  const told = await (await fetch(`${url}api/interval?track=${id}.0&index=0`)).json();
  await open(page, url, `#by=group&open=${task.group},${task.id}&sel=${id}.0/0`);
  assert.ok((await text(page, ".detail .headline")).includes(told.reason), told.reason);
  const seen = (await visibleIntervals(page)).find((interval) => interval.id === `${id}.0/0`);
  assert.equal(seen?.length, told.to_ns - told.from_ns);
  await listsLogs(page, url);
}

/** A stretch that is measured lists what was logged in it, each as a link; a worker leads to the profile of what ran on it. */
async function listsLogs(page, url) {
  const { end_ns } = await (await fetch(`${url}api/trace`)).json();
  const { total } = await (await fetch(`${url}api/logs?from=0&to=${end_ns}`)).json();
  await open(page, url, `#range=0-${end_ns}&sel=worker:0/0`);
  const listed = await page.$$eval(".detail .logs li", (items) => items.length);
  assert.ok(listed > 0 && listed <= total, `${listed} of ${total}`);
  await page.locator(".detail .logs li a").first().click();
  await settled(page);
  assert.match(await parameter(page, "log"), /^[a-z]+:\d+@\d+$/);
  await page.getByRole("link", { name: "CPU profile of worker:0" }).click();
  await settled(page);
  assert.equal(await page.inputValue(".filter input"), "worker == 0");
  assert.equal(await page.locator(".note.error").count(), 0);
}

/** A task that has regions, its group, and how many rows these take. */
async function withRegions(url) {
  const ask = async (target) => (await fetch(`${url}${target}`)).json();
  for (const group of (await ask("api/tracks?by=group")).tracks) {
    for (const { id, has_children, members } of (await ask(`api/tracks?parent=${group.id}`)).tracks) {
      if (has_children) return { task: { id, number: id.split(":")[1], group: group.id }, depth: members };
    }
  }
  assert.fail("no task has regions");
}

/** Types a word of a log, opens the hit with Enter, and reads the whole text. */
async function showsLog(page, url) {
  await open(page, url);
  const { end_ns } = await (await fetch(`${url}api/trace`)).json();
  const { tracks } = await (await fetch(`${url}api/tracks?by=worker`)).json();
  const ids = tracks.map(({ id }) => id).join(",");
  const { logs } = await (await fetch(`${url}api/marks?tracks=${ids}&from=0&to=${end_ns + 1}&width=1000`)).json();
  const found = logs.map(({ text: told }) => told).find((told) => /^[\w ]{3,}$/.test(told));
  assert.ok(found !== undefined, "a log has words");
  await page.keyboard.press("/");
  await page.keyboard.type(found);
  const hit = page.locator(".hits li a", { hasText: "log" }).filter({ hasText: found }).first();
  await hit.waitFor();
  await hit.press("Enter");
  await settled(page);
  assert.match(page.url(), /[#&]log=/);
  assert.match(await text(page, ".detail .headline"), /^Logged at /);
  assert.ok((await text(page, ".detail")).includes(found), found);
}
