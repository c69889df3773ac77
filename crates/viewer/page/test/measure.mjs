// How fast the page is: `npm run measure -- SERVER TRACE`. A line for each figure, with its budget's words before the colon.
import { openBrowser, watchedPage } from "./browser.mjs";
import { serve } from "./server.mjs";
import { drawn } from "./shown.mjs";

/** How long each movement goes on. */
const FRAMES = 150;

const [binary, ...traces] = process.argv.slice(2);
if (binary === undefined || traces.length === 0) {
  console.error("usage: npm run measure -- SERVER TRACE...");
  process.exit(64);
}
const browser = await openBrowser();
for (const trace of traces) {
  console.log(trace);
  const begun = performance.now();
  const server = await serve(binary, trace);
  const watched = await watchedPage(browser);
  const { page } = watched;
  const served = await watchRequests(page);
  await page.goto(server.url);
  await page.waitForFunction(() => document.querySelectorAll("#visible-intervals tbody tr").length > 0, null, {
    timeout: 120_000,
  });
  say("first tracks, real data", performance.now() - begun, "ms");
  await page.waitForSelector(".findings .told:not(.stale), .findings .error", { timeout: 120_000 });
  await page.waitForSelector("progress", { state: "detached", timeout: 120_000 });
  await drawn(page);
  say("first screen, findings too", performance.now() - begun, "ms");
  for (const by of ["worker", "group"]) {
    await page.goto(`${server.url}#by=${by}`);
    await drawn(page);
    for (const keys of ["w", "d", "a", "s", "wdsa"]) {
      const times = await frames(page, keys);
      console.log(`frames, by ${by}, holding ${keys}: p50 ${at(times, 0.5)}, p95 ${at(times, 0.95)}, worst ${at(times, 1)} ms`);
    }
  }
  const runs = served.filter(({ url }) => url.includes("api/runs"));
  console.log(
    `requests for runs: ${runs.length}, p50 ${at(
      runs.map(({ ms }) => ms),
      0.5,
    )}, p99 ${at(
      runs.map(({ ms }) => ms),
      0.99,
    )} ms, most ${Math.max(...runs.map(({ bytes }) => bytes))} bytes`,
  );
  await memory(page);
  say("most memory of the server", await server.peakMiB(), "MiB");
  await watched.close();
  await server.stop();
}
await browser.close();

function say(what, value, unit) {
  console.log(`${what}: ${Math.round(value)} ${unit}`);
}

function at(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0).toFixed(1);
}

async function watchRequests(page) {
  const served = [];
  page.on("requestfinished", async (request) => {
    const { responseStart, requestStart } = request.timing();
    const { responseBodySize } = await request.sizes().catch(() => ({ responseBodySize: 0 }));
    served.push({ url: request.url(), ms: responseStart - requestStart, bytes: responseBodySize });
  });
  return served;
}

/** The times between frames while keys are held, one a frame in turns. */
function frames(page, keys) {
  return page.evaluate(
    ({ keys, count }) =>
      new Promise((done) => {
        const times = [];
        let last = performance.now();
        const step = (now) => {
          times.push(now - last);
          last = now;
          if (times.length > count) return done(times.slice(1));
          const key = keys[Math.floor((times.length / count) * keys.length * 3) % keys.length];
          dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
          requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
      }),
    { keys, count: FRAMES },
  );
}

async function memory(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const usage = await session.send("Runtime.getHeapUsage");
  const used = usage.usedSize + (usage.embedderHeapUsedSize ?? 0) + (usage.backingStorageSize ?? 0);
  say("memory of the page: scripts, nodes and buffers", used / (1 << 20), "MiB");
}
