// A damaged file says so, and what is left of it can be looked at.
import assert from "node:assert/strict";
import { unpacked, withFile } from "../files.mjs";
import { serve } from "../server.mjs";
import { settled, text } from "../shown.mjs";

export async function damaged({ page, binary, path }) {
  const whole = await unpacked(path);
  await withFile("damaged.trace", whole.subarray(0, Math.floor(whole.length * 0.7)), async (cut) => {
    const server = await serve(binary, cut);
    try {
      await page.goto(server.url);
      const told = await text(page, ".trust [role=status]");
      await settled(page);
      assert.match(told, /in part|not readable/, "the banner");
      // What was lost, in a sentence.
      assert.ok(told.length > 20, told);
    } finally {
      await server.stop();
    }
  });
}
