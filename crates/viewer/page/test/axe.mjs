// What axe finds on a page, in both themes.
import assert from "node:assert/strict";
import axe from "axe-core";
import { settled } from "./shown.mjs";

/** Says that axe finds nothing serious. */
export async function isAccessible(page, where) {
  await settled(page);
  if (await page.evaluate(() => globalThis.axe === undefined)) await page.evaluate(axe.source);
  assert.deepEqual(await violations(page), [], `${where}, light`);
  // What themes differ in is contrast.
  await page.emulateMedia({ colorScheme: "dark" });
  assert.deepEqual(await violations(page, ["color-contrast"]), [], `${where}, dark`);
  await page.emulateMedia({ colorScheme: "light" });
}

function violations(page, rules) {
  return page.evaluate(async (rules) => {
    // The page has no frames, and nothing of its style comes from elsewhere.
    const options = { resultTypes: ["violations"], iframes: false, preload: false, ...(rules && { runOnly: rules }) };
    const { violations } = await globalThis.axe.run(document, options);
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(
        ({ id, nodes }) =>
          `${id}: ${nodes
            .slice(0, 3)
            .map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`)
            .join(" | ")}`,
      );
  }, rules);
}
