// Looks at the page in a real browser: `npm test -- SERVER TRACE...`, where SERVER is the built command.
//
// Each check gets a fresh page on each trace. Whatever it does: no error on the console, no request outside of this machine, and no
// more than 3,000 nodes. CHECKS=name,name chooses some. The first failure of each is told; the exit code is 1 if there is any.
import { basename, dirname } from "node:path";
import { openBrowser, watchedPage } from "./browser.mjs";
import { checks } from "./checks/list.mjs";
import { withFile } from "./files.mjs";
import { plantedTrace } from "./planted.mjs";
import { serve } from "./server.mjs";

/** So many go on side by side: most of a check is waiting. */
const AT_ONCE = 4;

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
  // Many checks are about the same trace that is made.
  await withFile("planted.trace", plantedTrace(), (path) => withServers([...traces, path], runAll));
} finally {
  // Also when the browser is gone.
  await browser.close();
}
const seconds = ((performance.now() - begun) / 1000).toFixed(1);
console.log(failures === 0 ? `the page passes in ${seconds} s` : `${failures} checks failed in ${seconds} s`);
process.exitCode = failures === 0 ? 0 : 1;

/** Calls `use` with the addresses of servers of these traces, which have ended afterwards. */
async function withServers(paths, use) {
  const servers = [];
  try {
    for (const path of paths) servers.push(await serve(binary, path));
    return await use(servers.map(({ url }) => url));
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

async function runAll(urls) {
  const planted = urls.at(-1);
  const left = checks
    .filter(({ name }) => wanted === undefined || wanted.includes(name))
    .flatMap((check) => traces.slice(0, check.once ? 1 : traces.length).map((path, place) => ({ check, url: urls[place], path, place })));
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      if (!(await passes(next, planted))) failures += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function passes({ check, url, path, place }, planted) {
  const trace = basename(path);
  const name = `${basename(dirname(path))}/${trace}: ${check.name}`;
  const from = performance.now();
  const watched = await watchedPage(browser);
  try {
    await check.run({ page: watched.page, url, browser, binary, path, trace, planted, isFirst: place === 0 });
    await watched.verify();
    console.log(`ok   ${name} (${Math.round(performance.now() - from)} ms)`);
    return true;
  } catch (error) {
    console.error(`FAIL ${name}: ${error.stack ?? error}`);
    if (process.env.SCREENSHOTS !== undefined) {
      await watched.page.screenshot({ path: `${process.env.SCREENSHOTS}/${name.replaceAll(/[/:]/g, "-")}.png` });
    }
    return false;
  } finally {
    await watched.close();
  }
}
