// A browser, and pages of it that are watched.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

/** A page of the viewer has fewer nodes, whatever trace it shows. */
const NODES_MAX = 3000;

export function openBrowser() {
  return chromium.launch({
    executablePath: process.env.EXECTRACE_CHROMIUM ?? "/usr/bin/chromium",
    // In a container Chromium's own sandbox has no rights to set itself up; what is looked at is our own page. Machines that check
    // have no graphics processor, and playing one takes a fifth of the time.
    args: ["--no-sandbox", "--disable-gpu"],
  });
}

/** A fresh page whose errors and requests are kept account of; it may ask this machine's servers, or for `file` alone. */
export async function watchedPage(browser, file) {
  const context = await browser.newContext({ viewport: { width: 1600, height: 950 }, colorScheme: "light" });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const errors = [];
  const outside = [];
  page.on("pageerror", (error) => errors.push(error.stack ?? String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") errors.push(message.text());
  });
  page.on("request", (request) => {
    const { protocol, hostname, href } = new URL(request.url());
    const isAllowed = file === undefined ? hostname === "127.0.0.1" : href.split("#")[0] === file;
    if (protocol !== "data:" && protocol !== "blob:" && !isAllowed) outside.push(href);
  });
  return {
    page,
    async verify() {
      assert.deepEqual(errors, [], "errors on the console");
      assert.deepEqual(outside, [], "requests outside of this machine");
      const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
      assert.ok(nodes < NODES_MAX, `${nodes} nodes`);
    },
    close: () => context.close(),
  };
}
