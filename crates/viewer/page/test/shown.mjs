// What a page shows, for checks.
import assert from "node:assert/strict";

/** An answer may lead to the next question within so much time, and so many frames. */
const CALM = { ms: 60, frames: 5 };

/** Opens a view and waits until it is drawn. */
export async function open(page, url, hash = "") {
  await page.goto(`${url}${hash}`);
  await page.waitForSelector(".trust .file");
  await page.waitForSelector("progress", { state: "detached" });
  if (!page.url().includes("page=")) await drawn(page);
  else await settled(page);
}

/** Waits until the canvas shows exact runs for a window that rests. */
export async function drawn(page) {
  await page.waitForFunction(() => Number(document.querySelector("#visible-intervals")?.dataset.frame) > 0);
  await settled(page);
}

/** Waits until all answers are there, the window rests, the newest frame is told, and nothing comes after it. */
export async function settled(page) {
  // What was calm before the last action is not calm after it.
  await page.evaluate(() => delete globalThis.calm);
  await page.waitForFunction(isCalm, CALM, { polling: "raf" });
}

/** Whether nothing has happened for a while. Runs in the page, at each frame. */
function isCalm({ ms, frames }) {
  const canvas = document.querySelector(".scroller canvas");
  const frame = canvas?.dataset.frame;
  const isTold = frame === document.querySelector("#visible-intervals")?.dataset.frame;
  const isDone = isTold && document.querySelector(".stale") === null && document.documentElement.dataset.asking === "0";
  const state = isDone ? `${frame} ${location.hash}` : null;
  const before = globalThis.calm;
  if (state === null || before?.state !== state) {
    globalThis.calm = { state, since: performance.now(), frames: 0 };
    return false;
  }
  before.frames += 1;
  return before.frames >= frames && performance.now() - before.since >= ms;
}

/** Presses keys, one after the other, as a person would. */
export async function press(page, ...keys) {
  for (const key of keys) {
    await page.keyboard.press(key);
    await settled(page);
  }
}

/** The intervals of the hidden table. */
export function visibleIntervals(page) {
  return page.$$eval("#visible-intervals tbody tr", (rows) =>
    rows.map((row) => ({
      id: row.dataset.id,
      state: row.cells[1].textContent,
      begin: Number(row.cells[2].dataset.ns),
      length: Number(row.cells[3].dataset.ns),
    })),
  );
}

/** A parameter of the view. */
export async function parameter(page, name) {
  return new URLSearchParams(new URL(page.url()).hash.slice(1)).get(name);
}

export async function text(page, selector) {
  const element = await page.waitForSelector(selector);
  return (await element.innerText()).replace(/\s+/g, " ").trim();
}

/** How many colours a canvas shows. */
export async function colours(page, selector) {
  const count = await page.$eval(selector, (canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
  assert.ok(count > 0);
  return count;
}

/** What the canvas shows. */
export function windowOf(page) {
  return page.$eval("#visible-intervals", ({ dataset }) => ({ from: Number(dataset.from), to: Number(dataset.to) }));
}

/** How much of the first track's height, or of that of the track that says `of`, has a colour of the style sheet, at most in any of three columns around a time. */
export function shareOf(page, variable, { from, to }, at, of = "") {
  return page.evaluate(
    ({ variable, share, of }) => {
      const canvas = document.querySelector(".scroller canvas");
      const track = [...document.querySelectorAll(".track")].find(({ textContent }) => textContent.includes(of));
      const row = track.getBoundingClientRect();
      const { top } = canvas.getBoundingClientRect();
      const colour = getComputedStyle(canvas).getPropertyValue(variable).trim();
      const wanted = [1, 3, 5].map((place) => Number.parseInt(colour.slice(place, place + 2), 16));
      const context = canvas.getContext("2d");
      const shares = [-1, 0, 1].map((beside) => {
        const { data, height } = context.getImageData(Math.round(share * canvas.width) + beside, row.top - top, 1, row.height);
        const pixels = Array.from({ length: height }, (_, y) => data.subarray(y * 4, y * 4 + 3));
        // Slanted lines are smoothed at their edges.
        return pixels.filter((pixel) => wanted.every((channel, place) => Math.abs(channel - pixel[place]) < 60)).length / height;
      });
      return Math.max(...shares);
    },
    { variable, share: (at - from) / (to - from), of },
  );
}
