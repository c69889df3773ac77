// The interval that is selected: which one stands in the URL, as `worker:0/17`, or by a time as `task:7@1200000`.
import { isAbort, json, RequestError } from "./api/request";
import type { Frame } from "./api/reports";
import { trace } from "./api/trace";
import { Store } from "./store";
import { around, glide, liveSpan } from "./time_window";
import { amend, go, view } from "./view";

export interface Interval {
  track: string;
  index: number;
  /** How many intervals its track has. */
  count: number;
  /** Who was in it, as `task:7`; null where a track tells of nobody. */
  task: string | null;
  name: string;
  group: string | null;
  state: string;
  reason: string;
  from_ns: number;
  to_ns: number;
  open_left: boolean;
  open_right: boolean;
  worker: string | null;
  /** That a region belongs to. */
  user_task: string | null;
  begin_stack: Frame[];
  end_stack: Frame[];
  waker: Waker | null;
}

export interface Waker {
  task: string | null;
  name: string;
  stack: Frame[];
  at_ns: number;
  worker: string | null;
  /** Its interval then, on its own track. */
  index: number | null;
}

export interface Selected {
  /** As it stands in the URL. */
  asked: string | null;
  interval: Interval | null;
  error: string | null;
}

const NONE: Selected = { asked: null, interval: null, error: null };

export const selected = new Store<Selected>(NONE);

let controller = new AbortController();

/** Asks for what the URL says is selected, whenever that changes. */
export function followSelection(): void {
  const follow = () => {
    const asked = view.value.sel ?? null;
    if (asked !== selected.value.asked && trace.value !== null) void load(asked);
  };
  view.subscribe(follow);
  trace.subscribe(follow);
  follow();
}

/** Selects an interval by its number on its track. */
export function select(track: string, index: number): void {
  go({ sel: `${track}/${index}`, sample: undefined, log: undefined });
}

/** Selects what is on a track at a time. */
export function selectAt(track: string, at_ns: number): void {
  go({ sel: `${track}@${Math.floor(at_ns)}` });
}

export function deselect(): void {
  go({ sel: undefined, why: undefined });
}

/** Selects the interval that comes so many after the selected one on its track. */
export async function step(by: number): Promise<void> {
  const from = selected.value.interval;
  if (from === null || from.index + by < 0 || from.index + by >= from.count) return;
  await take({ track: from.track, index: from.index + by });
}

/** Selects what is on another track at the middle of what is selected and seen. */
export async function stepTo(track: string): Promise<void> {
  const from = selected.value.interval;
  const { from: begin, to: end } = liveSpan.value;
  const at = from === null ? (begin + end) / 2 : (Math.max(from.from_ns, begin) + Math.min(from.to_ns, end)) / 2;
  await take({ track, at: Math.floor(at) });
}

/** Shows what is selected as a whole, with something around it. */
export function zoomToSelection(): void {
  const { interval } = selected.value;
  if (interval !== null) glide(around({ from: interval.from_ns, to: interval.to_ns }, 0.25));
}

async function take(query: { track: string; index?: number; at?: number }): Promise<void> {
  try {
    const interval = await json<Interval>("interval", { ...query });
    show(interval);
    go({ sel: `${interval.track}/${interval.index}` });
  } catch (error) {
    // Beyond the last interval there is none: the selection stays.
    if (!(error instanceof RequestError)) throw error;
  }
}

async function load(asked: string | null): Promise<void> {
  controller.abort();
  controller = new AbortController();
  if (asked === null) {
    selected.set(NONE);
    return;
  }
  // One that was stepped to is known already.
  const known = selected.value.interval;
  if (known !== null && asked === `${known.track}/${known.index}`) {
    selected.set({ ...selected.value, asked });
    return;
  }
  selected.set({ asked, interval: known, error: null });
  const query = questionOf(asked);
  try {
    if (query === null) throw new RequestError(400, `“${asked.slice(0, 80)}” names no interval.`);
    const interval = await json<Interval>("interval", query, controller.signal);
    show(interval);
    amend({ sel: `${interval.track}/${interval.index}` });
  } catch (error) {
    if (isAbort(error)) return;
    selected.set({ asked, interval: null, error: error instanceof Error ? error.message : String(error) });
  }
}

function show(interval: Interval): void {
  selected.set({ asked: `${interval.track}/${interval.index}`, interval, error: null });
  bringIntoView(interval);
}

/** Moves the window, without zooming, if nothing of the interval is in it. */
function bringIntoView(interval: Interval): void {
  const { from, to } = liveSpan.value;
  if (interval.to_ns >= from && interval.from_ns <= to) return;
  const middle = (interval.from_ns + Math.min(interval.to_ns, interval.from_ns + (to - from))) / 2;
  glide({ from: middle - (to - from) / 2, to: middle + (to - from) / 2 });
}

function questionOf(asked: string): Record<string, string> | null {
  const [, track, kind, number] = /^([a-z_]+(?::\d+(?:\.\d+)?)?)([/@])(\d+)$/.exec(asked) ?? [];
  if (track === undefined || kind === undefined || number === undefined) return null;
  return kind === "/" ? { track, index: number } : { track, at: number };
}
