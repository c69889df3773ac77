// All checks: a row each.
import { annotations } from "./annotations.mjs";
import { behindNumbers } from "./behind_numbers.mjs";
import { cases } from "./cases.mjs";
import { chain } from "./chain.mjs";
import { curves } from "./curves.mjs";
import { damaged } from "./damaged.mjs";
import { deepLinks } from "./deep_links.mjs";
import { exported } from "./exported.mjs";
import { filter } from "./filter.mjs";
import { firstScreen } from "./first_screen.mjs";
import { gestures } from "./gestures.mjs";
import { hostileNames } from "./hostile_names.mjs";
import { hugeNames } from "./huge_names.mjs";
import { keyboard } from "./keyboard.mjs";
import { pages } from "./pages.mjs";
import { pictures } from "./pictures.mjs";
import { questions } from "./questions.mjs";
import { regions } from "./regions.mjs";
import { trees } from "./trees.mjs";
import { whileReading } from "./while_reading.mjs";

// Those that take longest come first. What does not depend on what is in a trace is looked at once, with the first one.
export const checks = [
  { name: "questions", run: questions, once: true },
  { name: "pictures", run: pictures, once: true },
  { name: "exported", run: exported },
  { name: "pages", run: pages },
  { name: "keyboard", run: keyboard },
  { name: "hostile-names", run: hostileNames },
  { name: "huge-names", run: hugeNames, once: true },
  { name: "while-reading", run: whileReading, once: true },
  { name: "deep-links", run: deepLinks },
  { name: "first-screen", run: firstScreen },
  { name: "damaged", run: damaged },
  { name: "behind-numbers", run: behindNumbers, once: true },
  { name: "cases", run: cases, once: true },
  { name: "filter", run: filter, once: true },
  { name: "chain", run: chain, once: true },
  { name: "curves", run: curves, once: true },
  { name: "regions", run: regions, once: true },
  { name: "trees", run: trees, once: true },
  { name: "annotations", run: annotations, once: true },
  { name: "gestures", run: gestures, once: true },
];
