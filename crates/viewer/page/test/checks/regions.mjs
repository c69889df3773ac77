// Regions are tracks by their names: each opens to show the tasks that have such regions, and these to show them.
import assert from "node:assert/strict";
import { withFile } from "../files.mjs";
import { serve } from "../server.mjs";
import { open, parameter, press, settled, visibleIntervals } from "../shown.mjs";
import { V1Trace } from "../v1_trace.mjs";

export async function regions({ page, planted, binary }) {
  await namesOpen(page, planted);
  await withFile("regions.trace", regionsInRegions(), async (path) => {
    const server = await serve(binary, path);
    try {
      await tasksBelowTwoNames(page, server.url);
    } finally {
      await server.stop();
    }
  });
}

async function namesOpen(page, planted) {
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

/** A task may be below several names: each of its rows is one, and keys go on from that which was reached. */
async function tasksBelowTwoNames(page, url) {
  await open(page, url, "#by=region&open=region:0,region:1");
  const rows = await tracks(page);
  assert.deepEqual(rows.map((row) => row.split(" ")[1]), ["step", "task:1", "task:2", "walk", "task:1", "task:2"]);
  const walked = [];
  await press(page, "ArrowRight");
  for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp"]) {
    await press(page, key);
    walked.push((await parameter(page, "sel")).split("/")[0].slice(5));
  }
  // Below the last one there is none.
  assert.deepEqual(walked, ["2", "1", "2", "2", "1", "2", "1", "1"]);
}

/** Two tasks, one after another in each of two regions. */
function regionsInRegions() {
  const trace = new V1Trace();
  trace.event(0, 1000, "Gomaxprocs", 1, 0).event(0, 2000, "ProcStart", 1);
  const stack = () => trace.stack(["main.walk walk.go:3"]);
  const region = (at, mode, name) => trace.event(0, at, "UserRegion", 0, mode, trace.string(name), stack());
  for (const task of [1, 2]) trace.create(0, 2000 + task, task, "main.walk walk.go:1", ["main.main main.go:1"]);
  for (const task of [1, 2]) {
    const at = task * 100_000;
    trace.start(0, at, task);
    region(at + 1000, 0, "walk");
    region(at + 2000, 0, "step");
    region(at + 30_000, 1, "step");
    region(at + 40_000, 1, "walk");
    trace.event(0, at + 50_000, "GoEnd");
  }
  return trace.bytes();
}

function tracks(page) {
  return page.$$eval(".track", (found) => found.map(({ textContent }) => textContent.replace(/\s+/g, " ").trim()));
}
