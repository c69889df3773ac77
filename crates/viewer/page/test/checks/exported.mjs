// A page that was exported opens from the disk, asks nobody for anything, and says what the one with a server says.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { isAccessible } from "../axe.mjs";
import { watchedPage } from "../browser.mjs";
import { open, press, settled, text, visibleIntervals } from "../shown.mjs";

/** The hidden table has no more intervals. */
const TOLD_MAX = 200;

/** As large as a page may be. */
const BYTES_MAX = 20_000_000;

export async function exported({ page, url, browser, binary, path, isFirst }) {
  const folder = await mkdtemp(join(tmpdir(), "exectrace-page-"));
  const file = join(folder, "report.html");
  const alone = await watchedPage(browser, pathToFileURL(file).href);
  try {
    await promisify(execFile)(binary, ["view", path, "--export", file, "--allow-partial"]);
    assert.ok((await stat(file)).size <= BYTES_MAX);
    const { is_of_go: isOfGo } = await (await fetch(`${url}api/trace`)).json();
    // What pages there are does not depend on the version of Go.
    await saysTheSame(alone.page, pathToFileURL(file).href, page, url, isFirst || !isOfGo);
    await alone.verify();
  } finally {
    await alone.close();
    await rm(folder, { recursive: true });
  }
}

async function saysTheSame(page, file, live, url, isWhole) {
  const same = async (hash, where, part = "main") => {
    await open(page, file, hash);
    await open(live, url, hash);
    assert.equal((await page.$$(".note.error")).length, 0, `${where}: ${await text(page, "main")}`);
    assert.equal(await shown(page, part), await shown(live, part), where);
    // The page that was exported may tell intervals apart that the other one has as shares.
    const told = new Map((await visibleIntervals(page)).map((interval) => [interval.id, interval]));
    const ofOne = (await visibleIntervals(live)).filter(({ id }) => id.includes("/"));
    if (told.size < TOLD_MAX) for (const interval of ofOne) assert.deepEqual(told.get(interval.id), interval, where);
  };
  await same("", "the first screen");
  assert.match(await text(page, ".exported"), /in full/);
  await isAccessible(page, "an exported page");
  if (!isWhole) return;
  const links = await page.$$eval(".pages a", (anchors) => anchors.map((anchor) => anchor.hash));
  for (const hash of links) await same(hash, hash);
  for (const by of ["region", "group"]) await same(`#by=${by}`, `by ${by}`);
  // What a finding leads to, and an interval: the same by keys, and by a link.
  await open(page, file);
  const [interval] = await visibleIntervals(page);
  await press(page, "n");
  await same(new URL(page.url()).hash, "a finding", ".detail");
  await open(page, file, `#sel=${interval.id}`);
  await press(page, "ArrowRight", "z");
  await same(new URL(page.url()).hash, "an interval", ".detail");
  // What it does not have it says, and how to get it.
  await page.goto(`${file}#page=tasks&where=duration%20%3E%201ms`);
  await settled(page);
  assert.match(await text(page, ".note.error"), /exectrace tasks .* --where 'duration > 1ms'/);
  await page.goto(`${file}#where=duration%20%3E%201ms`);
  await settled(page);
  assert.match(await text(page, ".timeline .note.error"), /exported without that. `exectrace view /);
  assert.ok((await page.$$(".track")).length > 0, "the tracks stay");
}

/** All that is seen in words. */
function shown(page, part) {
  return page.$eval(part, (element) => {
    const unseen = element.querySelector("#visible-intervals");
    unseen?.style.setProperty("display", "none");
    const words = element.innerText.replace(/\s+/g, " ").trim();
    unseen?.style.removeProperty("display");
    return words;
  });
}
