// Looks at the page in a real browser: `npm test -- SERVER TRACE...`, where SERVER is the built command.
//
// Each check gets a fresh page on each trace. Whatever it does: no error on the console, no request outside of this machine, and no
// more than 3,000 nodes. CHECKS=name,name chooses some. The first failure of each is told; the exit code is 1 if there is any.
import { basename } from "node:path";
import { openBrowser, watchedPage } from "./browser.mjs";
import { checks } from "./checks/list.mjs";
import { serve } from "./server.mjs";

const [binary, ...traces] = process.argv.slice(2);
if (binary === undefined || traces.length === 0) {
  console.error("usage: npm test -- SERVER TRACE...");
  process.exit(64);
}
const wanted = process.env.CHECKS?.split(",");
const begun = performance.now();
const browser = await openBrowser();
let failures = 0;
try {
  // Side by side: most of a check is waiting.
  await Promise.all(traces.map(look));
} finally {
  await browser.close();
}
const seconds = ((performance.now() - begun) / 1000).toFixed(1);
console.log(failures === 0 ? `the page passes in ${seconds} s` : `${failures} checks failed in ${seconds} s`);
process.exitCode = failures === 0 ? 0 : 1;

/** All checks on one trace. */
async function look(trace) {
  const server = await serve(binary, trace);
  try {
    for (const check of checks) {
      if (wanted !== undefined && !wanted.includes(check.name)) continue;
      if (check.once && trace !== traces[0]) continue;
      failures += (await passes(check, server.url, trace)) ? 0 : 1;
    }
  } finally {
    await server.stop();
  }
}

async function passes(check, url, path) {
  const trace = basename(path);
  const from = performance.now();
  const watched = await watchedPage(browser);
  try {
    await check.run({ page: watched.page, url, browser, binary, path, trace });
    await watched.verify();
    console.log(`ok   ${trace}: ${check.name} (${Math.round(performance.now() - from)} ms)`);
    return true;
  } catch (error) {
    console.error(`FAIL ${trace}: ${check.name}: ${error.stack ?? error}`);
    if (process.env.SCREENSHOTS !== undefined) {
      await watched.page.screenshot({ path: `${process.env.SCREENSHOTS}/${trace}-${check.name}.png` });
    }
    return false;
  } finally {
    await watched.close();
  }
}
