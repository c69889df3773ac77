// Names of a megabyte, of markup, marks that turn the direction and controls, in all that a program can name: they are shown as text,
// cut, and the page stays usable.
import assert from "node:assert/strict";
import { withFile } from "../files.mjs";
import { serve } from "../server.mjs";
import { open, press, settled, text } from "../shown.mjs";
import { isUnharmed } from "../unharmed.mjs";
import { V1Trace } from "../v1_trace.mjs";

const MS = 1_000_000;

/** The longest string that a trace can hold, but for what stands before the repeated part. */
const BYTES = 1_000_000 - 20;

/** The page shows that there was more. */
const SHOWN_MAX = 2000;

/** Names are cut in what the page is told, too. Its own script is shorter. */
const ANSWER_MAX = 400_000;

const HOSTILE = '<img src=x onerror=alert(1)>\u202e\u0000"><b id=pwned></script><svg/onload=alert(1)>';

export async function hugeNames({ page, binary }) {
  await withFile("huge.trace", trace(), async (path) => {
    const server = await serve(binary, path);
    try {
      let longest = 0;
      page.on("response", (told) => (longest = Math.max(longest, Number(told.headers()["content-length"]))));
      await page.addInitScript(() => (globalThis.alert = () => (globalThis.wasFooled = true)));
      await open(page, server.url);
      assert.match(await text(page, ".trust [role=status]"), /^✓ whole/);
      await press(page, "ArrowRight", "n");
      await isShort(page);
      const pages = await page.$$eval(".pages a", (links) => links.length);
      for (let place = 1; place <= pages; place++) {
        await press(page, `${place}`);
        await isShort(page);
      }
      for (const hash of ["#by=group&open=group:1", "#by=user_task", "#page=task&id=task:7", "#page=task&id=user:1"]) {
        await page.goto(`${server.url}${hash}`);
        await settled(page);
        await isShort(page);
      }
      await finds(page, server.url);
      assert.ok(longest > 10_000 && longest < ANSWER_MAX, `an answer of ${longest} bytes`);
    } finally {
      await server.stop();
    }
  });
}

/** What was written is seen, as text, and so little of it that the page can be used. */
async function isShort(page) {
  await isUnharmed(page);
  const longest = await page.evaluate(() => {
    const texts = document.evaluate("//text()", document.body, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
    const lengths = Array.from({ length: texts.snapshotLength }, (_, place) => texts.snapshotItem(place).data.length);
    return Math.max(...lengths);
  });
  assert.ok(longest <= SHOWN_MAX, `${longest} letters in ${page.url()}`);
}

/** A part of a name finds it. */
async function finds(page, url) {
  await page.goto(url);
  await settled(page);
  await page.fill("#search", "onerror=alert");
  await page.waitForSelector(".hits a");
  await settled(page);
  await isShort(page);
}

/** One goroutine, its function, its user task, region, log and samples, each with a name of its own. */
function trace() {
  const made = new V1Trace();
  const repeated = HOSTILE.repeat(BYTES / Buffer.byteLength(HOSTILE));
  const name = (kind) => `${kind} ${repeated}`;
  const stack = [`${name("main.function")} ${"/folder".repeat(BYTES / 7)}:1`, "main.main main.go:10"];
  made.event(0, 1000, "Gomaxprocs", 1, 0).event(0, 2000, "ProcStart", 1);
  made.create(0, 3000, 7, stack[0], ["main.main main.go:10"]).start(0, 4000, 7);
  made.event(0, MS, "UserTaskCreate", 1, 0, made.string(name("request")), made.stack(stack));
  made.event(0, 2 * MS, "UserRegion", 1, 0, made.string(name("region")), made.stack(stack));
  made.event(0, 3 * MS, "UserLog", 1, made.string(name("key")), made.stack(stack), name("message"));
  made.event(0, 4 * MS, "CPUSample", 4 * MS, 0, 7, made.stack(stack));
  made.event(0, 5 * MS, "GoBlockSync", made.stack(stack));
  made.create(0, 6 * MS, 8, "main.other main.go:20", ["main.main main.go:10"]).start(0, 7 * MS, 8);
  made.unblock(0, 40 * MS, 7, stack).event(0, 41 * MS, "GoEnd").start(0, 42 * MS, 7);
  made.event(0, 43 * MS, "UserRegion", 1, 1, made.string(name("region")), made.stack(stack));
  made.event(0, 44 * MS, "UserTaskEnd", 1, made.stack(stack)).event(0, 45 * MS, "GoEnd");
  return made.bytes();
}
