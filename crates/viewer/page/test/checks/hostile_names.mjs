// Names from a trace are text, whatever stands in them.
import { unpacked, withFile } from "../files.mjs";
import { serve } from "../server.mjs";
import { open, press, settled } from "../shown.mjs";
import { isUnharmed } from "../unharmed.mjs";

/** What may stand in names: markup, an attribute's end, marks that turn the direction, a control, half a character. */
const HOSTILE = [
  "<img src=x onerror=alert(1)>",
  '"><b id=pwned>',
  "\u202eesrever",
  "a\u0000b",
  "\u{1f980}".slice(0, 1),
  "</script><svg/onload=alert(1)>",
];

export async function hostileNames({ page, binary, path }) {
  const bytes = poisoned(await unpacked(path));
  if (bytes === null) return;
  await withFile("hostile<i>.trace", bytes, async (made) => {
    const server = await serve(binary, made);
    try {
      await page.addInitScript(() => (globalThis.alert = () => (globalThis.wasFooled = true)));
      await open(page, server.url);
      const pages = await page.$$eval(".pages a", (links) => links.length);
      for (let place = 1; place <= pages; place++) {
        await press(page, `${place}`);
        await isUnharmed(page);
      }
      await page.goto(`${server.url}#by=group`);
      await settled(page);
      await isUnharmed(page);
    } finally {
      await server.stop();
    }
  });
}

/** The same trace with names of its functions replaced by hostile ones of the same length; null if it has none. */
function poisoned(bytes) {
  const names = new Set(bytes.toString("latin1").match(/(?:main|demo|corpus|threads|futures)[.:][\w.:(){}*]{6,60}/g) ?? []);
  if (names.size === 0) return null;
  const made = Buffer.from(bytes);
  [...names].forEach((name, place) => {
    const hostile = Buffer.from(HOSTILE[place % HOSTILE.length]);
    for (let at = made.indexOf(name); at >= 0; at = made.indexOf(name, at + name.length)) {
      hostile.copy(made, at, 0, Math.min(hostile.length, name.length));
    }
  });
  return made;
}
