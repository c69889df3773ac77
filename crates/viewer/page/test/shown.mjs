// What a page shows, for checks.
import assert from "node:assert/strict";

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

/** Waits until all answers are there and the newest frame is told. */
export async function settled(page) {
  let calm = 0;
  let before = "";
  for (let tries = 0; calm < 2; tries++) {
    await page.waitForTimeout(40);
    const { state, isDone } = await page.evaluate(() => {
      const canvas = document.querySelector(".scroller canvas");
      const frame = canvas?.dataset.frame;
      const isTold = frame === document.querySelector("#visible-intervals")?.dataset.frame;
      const isStale = document.querySelector(".stale") !== null || document.documentElement.dataset.asking !== "0";
      return { state: `${frame} ${location.hash}`, isDone: isTold && !isStale };
    });
    calm = isDone && state === before ? calm + 1 : 0;
    before = state;
    if (tries > 400) throw new Error(`the page does not come to rest: ${state}`);
  }
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
