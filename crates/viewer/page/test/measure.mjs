// How fast the page is: `npm run measure -- SERVER TRACE`. A line for each figure, with its budget's words before the colon.
import { openBrowser, watchedPage } from "./browser.mjs";
import { serve } from "./server.mjs";
import { drawn } from "./shown.mjs";

/** Traces of a gigabyte take a minute or more on small machines. */
const PATIENCE_MS = 600_000;

/** How long each movement goes on. */
const FRAMES = 150;

const [binary, ...traces] = process.argv.slice(2);
if (binary === undefined || traces.length === 0) {
  console.error("usage: npm run measure -- SERVER TRACE...");
  process.exit(64);
}
const browser = await openBrowser();
try {
  for (const trace of traces) await measured(trace);
} finally {
  await browser.close();
}

async function measured(trace) {
  console.log(trace);
  const begun = performance.now();
  const server = await serve(binary, trace);
  try {
    const { page, close } = await watchedPage(browser);
    page.setDefaultTimeout(PATIENCE_MS);
    const served = watchRequests(page);
    await page.goto(server.url);
    await firstScreen(page, begun);
    await movements(page, server.url);
    requests(served.filter(({ url }) => url.includes("api/runs")));
    await memory(page);
    say("most memory of the server", await server.peakMiB(), "MiB");
    await close();
  } finally {
    await server.stop();
  }
}

async function firstScreen(page, begun) {
  await page.waitForFunction(() => document.querySelectorAll("#visible-intervals tbody tr").length > 0);
  say("first tracks, real data", performance.now() - begun, "ms");
  await page.waitForSelector("progress", { state: "detached" });
  say("all is read", performance.now() - begun, "ms");
  await page.waitForSelector(".findings .told:not(.stale), .findings .error");
  await drawn(page);
  say("first screen, findings too", performance.now() - begun, "ms");
}

async function movements(page, url) {
  for (const by of ["worker", "group"]) {
    await page.goto(`${url}#by=${by}`);
    await drawn(page);
    for (const keys of ["w", "d", "a", "s", "wdsa"]) {
      const times = await frames(page, keys);
      console.log(`frames, by ${by}, holding ${keys}: p50 ${at(times, 0.5)}, p95 ${at(times, 0.95)}, worst ${at(times, 1)} ms`);
    }
  }
}

function requests(runs) {
  const times = runs.map(({ ms }) => ms);
  const most = Math.max(...runs.map(({ bytes }) => bytes));
  console.log(`requests for runs: ${runs.length}, p50 ${at(times, 0.5)}, p99 ${at(times, 0.99)} ms, most ${most} bytes`);
}

function say(what, value, unit) {
  console.log(`${what}: ${Math.round(value)} ${unit}`);
}

function at(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0).toFixed(1);
}

function watchRequests(page) {
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
