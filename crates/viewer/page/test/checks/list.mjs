// All checks: a row each.
import { accessibility } from "./accessibility.mjs";
import { damaged } from "./damaged.mjs";
import { deepLinks } from "./deep_links.mjs";
import { firstScreen } from "./first_screen.mjs";
import { gestures } from "./gestures.mjs";
import { hostileNames } from "./hostile_names.mjs";
import { keyboard } from "./keyboard.mjs";
import { pages } from "./pages.mjs";
import { pictures } from "./pictures.mjs";
import { questions } from "./questions.mjs";

// What does not depend on what is in a trace is looked at once, with the first one.
export const checks = [
  { name: "pictures", run: pictures, once: true },
  { name: "questions", run: questions, once: true },
  { name: "keyboard", run: keyboard, once: true },
  { name: "gestures", run: gestures, once: true },
  { name: "accessibility", run: accessibility, once: true },
  { name: "first-screen", run: firstScreen },
  { name: "pages", run: pages },
  { name: "deep-links", run: deepLinks },
  { name: "damaged", run: damaged },
  { name: "hostile-names", run: hostileNames },
];
