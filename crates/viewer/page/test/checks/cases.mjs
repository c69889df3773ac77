// What users of other tools stumbled over, as it is drawn: what began before the trace, where data is lost, what takes no time.
import assert from "node:assert/strict";
import { unpacked, withFile } from "../files.mjs";
import { serve } from "../server.mjs";
import { open, press, settled, shareOf, text, visibleIntervals, windowOf } from "../shown.mjs";
import { V1Trace } from "../v1_trace.mjs";

const MS = 1_000_000;

/** What other tools print for "none". */
const NONE_AS_NUMBER = "18446744073709551615";

export async function cases({ page, binary, path }) {
  await shown(page, binary, beganBefore(), beganBeforeIsSaid);
  await shown(page, binary, withoutTime(), whatTakesNoTimeIsSeen);
  await shown(page, binary, damaged(await unpacked(path)), gapIsHatched);
}

async function shown(page, binary, bytes, look) {
  await withFile("case.trace", bytes, async (made) => {
    const server = await serve(binary, made);
    try {
      await open(page, server.url);
      await look(page, server.url);
    } finally {
      await server.stop();
    }
  });
}

/** A user task whose begin lies before the trace, with a log, and a child inside. */
function beganBefore() {
  const trace = begun();
  const stack = trace.stack(["main.work main.go:6"]);
  trace.event(0, MS, "UserTaskCreate", 2, 1, trace.string("child"), stack);
  trace.event(0, 2 * MS, "UserLog", 1, trace.string("key"), stack, "of the parent");
  trace.event(0, 3 * MS, "UserTaskEnd", 2, stack).event(0, 4 * MS, "UserTaskEnd", 1, stack).event(0, 5 * MS, "GoEnd");
  return trace.bytes();
}

async function beganBeforeIsSaid(page, url) {
  const titles = await page.$$(".pages a");
  for (let place = 1; place <= titles.length; place++) {
    await press(page, `${place}`);
    assert.ok(!(await page.textContent("body")).includes(NONE_AS_NUMBER), `page ${place}`);
  }
  await page.goto(`${url}#page=latency&name=child`);
  await settled(page);
  assert.match(await text(page, ".data-table tbody"), /user:1 \(began before the trace\)/);
  await page.click("td a:has-text('user:1')");
  await settled(page);
  assert.match(await text(page, "main"), /user task 1 \(began before the trace\)/);
  assert.match(await text(page, ".tree > ul > li"), /^0\.000000 s user task \(began before the trace\) 4 ms at least/);
  assert.match(await text(page, ".tree li ul"), /user:2 child 2 ms .*logged key: of the parent/);
  await page.goto(`${url}#by=user_task`);
  await settled(page);
  await page.click(".track button:has-text('(began before the trace)')");
  await settled(page);
  assert.match(await text(page, ".track.depth-1"), /^user:1 began before the trace$/);
  assert.ok(!(await page.textContent("body")).includes(NONE_AS_NUMBER));
}

/** A goroutine that starts and blocks within one tick, and runs again later. */
function withoutTime() {
  const trace = begun();
  trace.event(0, 5 * MS, "GoBlockRecv", trace.stack(["main.work main.go:6"]));
  trace.create(0, 6 * MS, 8, "main.other main.go:20", ["main.main main.go:10"]).start(0, 10 * MS, 8);
  trace.event(0, 10 * MS, "GoBlockRecv", trace.stack(["main.other main.go:21"]));
  trace.unblock(0, 90 * MS, 8, []).start(0, 90 * MS + 1000, 8).event(0, 91 * MS, "GoEnd");
  return trace.bytes();
}

async function whatTakesNoTimeIsSeen(page, url) {
  await page.goto(`${url}#by=group&open=group:1&from=${8 * MS}&to=${12 * MS}&sel=task:8/1`);
  await settled(page);
  assert.match(await text(page, ".detail .headline"), /^0 ns running/);
  const after = (await visibleIntervals(page)).find(({ id }) => id === "task:8/2");
  assert.deepEqual([after.begin, after.length], [10 * MS - 1000, 80 * MS], "what comes after it ends where it ended");
  await page.goto(`${url}#by=worker&from=${8 * MS}&to=${12 * MS}`);
  await settled(page);
  assert.ok((await shareOf(page, "--running", { from: 8 * MS, to: 12 * MS }, 10 * MS - 1000)) > 0.5, "a tick as high as its row");
}

/** A hundred bytes in the middle are others. */
function damaged(bytes) {
  const made = Buffer.from(bytes);
  for (let place = 0; place < 100; place++) made[Math.floor(made.length / 2) + place] = (place * 151 + 7) % 256;
  return made;
}

async function gapIsHatched(page) {
  await page.click(".trust a:has-text('where')");
  await settled(page);
  const gap = (await visibleIntervals(page)).find(({ id }) => id === "gap/0");
  assert.equal(gap?.state, "data is lost");
  const { from, to } = await windowOf(page);
  const inside = await shareOf(page, "--bad", { from, to }, gap.begin + gap.length / 2);
  assert.ok(inside > 0.02 && inside < 0.6, `hatched, not filled: ${inside}`);
  const before = gap.begin - (to - from) / 50;
  if (before > from) assert.equal(await shareOf(page, "--bad", { from, to }, before), 0, "and nothing beside it");
}

/** A goroutine that runs from 4 µs on. */
function begun() {
  const trace = new V1Trace();
  trace.event(0, 1000, "Gomaxprocs", 1, 0).event(0, 2000, "ProcStart", 1);
  return trace.create(0, 3000, 7, "main.work main.go:5", ["main.main main.go:10"]).start(0, 4000, 7);
}
