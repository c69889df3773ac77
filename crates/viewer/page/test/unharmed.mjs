// Whether a page is what it was meant to be, whatever the names say that it shows.
import assert from "node:assert/strict";

/** No element came out of a name, and no name has what turns the text around it. */
export async function isUnharmed(page) {
  const harm = await page.evaluate(() => ({
    fooled: globalThis.wasFooled ?? false,
    elements: document.querySelectorAll("img, #pwned, svg, script:not([src])").length,
    marks: /[\u202a-\u202e\u2066-\u2069\u0000]/.test(document.body.innerText),
  }));
  assert.deepEqual(harm, { fooled: false, elements: 0, marks: false });
}
