// Canvases look as they did: pictures of a planted trace, of which at most one pixel in a hundred may differ.
//
// BLESS=1 writes the pictures anew. Letters are drawn by the machine's fonts, and are few.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { open, settled } from "../shown.mjs";

const FOLDER = new URL("../pictures/", import.meta.url);

/** So many of a hundred pixels may differ, and by so much of 255 before they count. */
const DIFFERENT_MAX = 1;
const SLACK = 32;

const PICTURES = [
  { name: "workers", hash: "#by=worker", selector: ".scroller canvas", colorScheme: "light" },
  {
    name: "workers-near",
    hash: "#by=worker&from=480000000&to=720000000&sel=task:113/2",
    selector: ".scroller canvas",
    colorScheme: "dark",
  },
  {
    name: "chain",
    hash: "#by=worker&from=480000000&to=720000000&sel=task:113/2&why=task:113@500999000",
    selector: ".scroller canvas",
    colorScheme: "light",
  },
  { name: "functions", hash: "#by=group", selector: ".scroller canvas", colorScheme: "light" },
  { name: "latency", hash: "", selector: ".latency .plot", colorScheme: "light" },
  { name: "flame", hash: "#page=profile&type=offcpu", selector: ".flame canvas", colorScheme: "dark" },
];

export async function pictures({ page, planted }) {
  for (const picture of PICTURES) await compare(page, planted, picture);
}

async function compare(page, url, { name, hash, selector, colorScheme }) {
  await page.emulateMedia({ colorScheme });
  await page.goto("about:blank");
  await open(page, url, hash);
  await settled(page);
  const taken = await page.locator(selector).screenshot();
  const file = new URL(`${name}.png`, FOLDER);
  if (process.env.BLESS !== undefined) return writeFile(file, taken);
  const kept = await readFile(file);
  const different = await page.evaluate(differentPixels, {
    texts: [kept, taken].map((png) => png.toString("base64")),
    slack: SLACK,
  });
  assert.ok(different <= DIFFERENT_MAX, `${name}: ${different.toFixed(2)} % of the pixels differ`);
}

/** How many of a hundred pixels differ; all of them if the sizes do. Runs in the page. */
async function differentPixels({ texts, slack }) {
  const [kept, taken] = await Promise.all(
    texts.map(async (text) => {
      const image = new Image();
      image.src = `data:image/png;base64,${text}`;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height);
    }),
  );
  if (kept.width !== taken.width || kept.height !== taken.height) return 100;
  let different = 0;
  for (let at = 0; at < kept.data.length; at += 4) {
    const isSame = [0, 1, 2].every((channel) => Math.abs(kept.data[at + channel] - taken.data[at + channel]) <= slack);
    if (!isSame) different += 1;
  }
  return (different * 400) / kept.data.length;
}
