// No serious finding of axe, on any page, in both themes.
import assert from "node:assert/strict";
import axe from "axe-core";
import { open, press, settled } from "../shown.mjs";

export async function accessibility({ page, url }) {
  await open(page, url);
  await page.evaluate(axe.source);
  const titles = await page.$$eval(".pages a", (links) => links.map((link) => link.textContent));
  for (const [place, title] of titles.entries()) {
    await press(page, `${place + 1}`);
    await none(page, title);
  }
  await press(page, "1", "ArrowRight");
  await none(page, "a selection");
  await press(page, "n");
  await none(page, "a finding");
  await press(page, "?");
  await none(page, "help");
}

async function none(page, where) {
  await settled(page);
  assert.deepEqual(await violations(page), [], `${where}, light`);
  // What themes differ in is contrast.
  await page.emulateMedia({ colorScheme: "dark" });
  assert.deepEqual(await violations(page, ["color-contrast"]), [], `${where}, dark`);
  await page.emulateMedia({ colorScheme: "light" });
}

function violations(page, rules) {
  return page.evaluate(async (rules) => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"], ...(rules && { runOnly: rules }) });
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
