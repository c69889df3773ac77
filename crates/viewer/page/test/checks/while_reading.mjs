// While a trace is read the page follows it in steps, says at once how far it is, and does at once what a person wants.
import assert from "node:assert/strict";
import { drawn, press, settled, windowOf } from "../shown.mjs";

/** More than one step would be noticed in. */
const POLLS = 6;

/** A step waits for ten times as long as the one before took, on a machine that does other things beside. */
const PATIENCE_MS = 60_000;

export async function whileReading({ page, url }) {
  page.setDefaultTimeout(PATIENCE_MS);
  const whole = await (await page.request.get(`${url}api/trace`)).json();
  // The server has read all of it: what it says of that is not.
  let told = { ...whole, state: "reading", revision: 1, bytes_read: 0, end_ns: Math.floor(whole.end_ns / 4) };
  await page.route("**/api/trace", (route) => {
    told.revision += 1;
    return route.fulfill({ json: told });
  });
  let asked = 0;
  page.on("request", (request) => (asked += request.url().includes("api/curves") ? 1 : 0));
  const next = () => page.waitForResponse((response) => response.url().endsWith("api/trace"));
  await page.goto(url);
  await drawn(page);
  assert.equal(asked, 1);

  told.end_ns = Math.floor(told.end_ns * 1.1);
  told.bytes_read = whole.bytes / 2;
  for (let poll = 0; poll < POLLS; poll++) await next();
  assert.equal(asked, 1, "hardly more is not drawn anew");
  await page.waitForSelector('.reading:has-text("50 %")');

  told.end_ns = Math.floor(whole.end_ns / 2);
  await page.waitForFunction((to) => Number(document.querySelector("#visible-intervals").dataset.to) === to, told.end_ns);
  await settled(page);
  assert.equal(asked, 2, "twice as much is");

  await press(page, "w");
  const { from, to } = await windowOf(page);
  assert.ok(to - from < told.end_ns, "who acts need not wait");

  told = whole;
  await page.waitForSelector(".trust [role=status]");
}
