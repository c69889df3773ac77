// All checks: a row each.
import { accessibility } from "./accessibility.mjs";
import { damaged } from "./damaged.mjs";
import { deepLinks } from "./deep_links.mjs";
import { firstScreen } from "./first_screen.mjs";
import { gestures } from "./gestures.mjs";
import { hostileNames } from "./hostile_names.mjs";
import { keyboard } from "./keyboard.mjs";
import { questions } from "./questions.mjs";

export const checks = [
  { name: "questions", run: questions, once: true },
  { name: "first-screen", run: firstScreen },
  { name: "keyboard", run: keyboard },
  { name: "gestures", run: gestures },
  { name: "deep-links", run: deepLinks },
  { name: "damaged", run: damaged },
  { name: "hostile-names", run: hostileNames },
  { name: "accessibility-light", run: accessibility, options: { colorScheme: "light" } },
  { name: "accessibility-dark", run: accessibility, options: { colorScheme: "dark" } },
];
