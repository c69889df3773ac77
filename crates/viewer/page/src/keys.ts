// Everything that a key does, in one list: what listens reads it, and so does the help.
import { trace, words } from "./api/trace";
import { listedPages, PAGES } from "./pages/list";
import { openFinding, stepFinding } from "./panels/finding_steps";
import { deselect, selected, step, stepTo, zoomToSelection } from "./selection";
import { Store } from "./store";
import { jump, wholeSpan } from "./time_window";
import { pan, zoom } from "./timeline/gestures";
import { choose, isOfMany, placeOf, shownRows, type Row } from "./timeline/rows";
import { addMark, stepMark } from "./timeline/marks";
import { go } from "./view";
import { toggleWhy } from "./why";

export interface Key {
  keys: readonly string[];
  title: string;
  run: () => void;
}

export const isHelpOpen = new Store(false);

/** Where `/` puts the cursor. */
export const SEARCH_ID = "search";

/** Where `f` does. */
export const FILTER_ID = "filter";

const PAN = 0.12;
const ZOOM = 1.25;

export const KEYS: readonly Key[] = [
  { keys: ["a"], title: "pan to the left", run: () => pan(-PAN) },
  { keys: ["d"], title: "pan to the right", run: () => pan(PAN) },
  { keys: ["w"], title: "zoom in", run: () => zoom(1 / ZOOM) },
  { keys: ["s"], title: "zoom out", run: () => zoom(ZOOM) },
  { keys: ["0"], title: "the whole trace", run: () => jump(wholeSpan.value) },
  { keys: ["ArrowRight"], title: "next interval of the track", run: () => void stepOrBegin(1) },
  { keys: ["ArrowLeft"], title: "previous interval of the track", run: () => void stepOrBegin(-1) },
  { keys: ["ArrowDown"], title: "next track", run: () => void stepTrack(1) },
  { keys: ["ArrowUp"], title: "previous track", run: () => void stepTrack(-1) },
  { keys: ["z"], title: "zoom to the selection", run: zoomToSelection },
  { keys: ["Escape"], title: "select nothing", run: escape },
  { keys: ["n"], title: "next finding", run: () => stepFinding(1) },
  { keys: ["p"], title: "previous finding", run: () => stepFinding(-1) },
  { keys: ["Enter"], title: "show the finding where it costs most", run: openFinding },
  { keys: ["y"], title: "why the selected task took so long, and who waited for whom", run: toggleWhy },
  { keys: ["m"], title: "mark the selection, or the middle of the window", run: addMark },
  { keys: ["]"], title: "next mark", run: () => stepMark(1) },
  { keys: ["["], title: "previous mark", run: () => stepMark(-1) },
  { keys: ["/"], title: "search", run: () => document.getElementById(SEARCH_ID)?.focus() },
  { keys: ["f"], title: "filter", run: () => document.getElementById(FILTER_ID)?.focus() },
  { keys: ["?"], title: "these keys", run: () => isHelpOpen.set(!isHelpOpen.value) },
  ...PAGES.filter(({ name }) => name !== "task").map((page, place) => ({
    keys: [`${place + 1}`],
    title: `page: ${page.title(words(null))}`,
    run: () => {
      if (listedPages(trace.value).includes(page)) go({ page: page.name === "overview" ? undefined : page.name });
    },
  })),
];

export function followKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const key = KEYS.find(({ keys }) => keys.includes(name));
    if (key === undefined) return;
    event.preventDefault();
    key.run();
  });
}

/** Whether the key means something to the element that it goes to. */
function isTaken(event: KeyboardEvent): boolean {
  const target = event.target instanceof HTMLElement ? event.target : null;
  if (target === null) return false;
  if (target.closest("input, textarea, select, dialog") !== null) return true;
  if (event.key === "Enter") return target.closest("a, button, summary") !== null;
  // Arrows scroll what can be scrolled, but for the timeline, where they step.
  return event.key.startsWith("Arrow") && target.closest(".scroller") === null && target !== document.body;
}

async function stepOrBegin(by: number): Promise<void> {
  if (selected.value.interval !== null) return step(by);
  const first = walkable()[0];
  if (first !== undefined) return stepTo(first.id);
}

/** The rows that have intervals of their own. */
function walkable(): readonly Row[] {
  return shownRows.value.rows.filter((row) => !isOfMany(row));
}

async function stepTrack(by: number): Promise<void> {
  const rows = walkable();
  const place = placeOf(selected.value.interval?.track, rows);
  const row = rows[place < 0 ? 0 : place + by];
  if (row === undefined) return;
  await stepTo(row.id);
  // Where its track has nothing the selection stays.
  if (selected.value.interval?.track === row.id) choose(row);
}

function escape(): void {
  if (isHelpOpen.value) isHelpOpen.set(false);
  else if (selected.value.asked !== null) deselect();
  else go({ range: undefined });
}
