// The stretch of time that is shown. Canvases follow it frame by frame; the URL and whatever asks the server wait until it rests.
import { Store } from "./store";
import { amend, go, view } from "./view";

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** How long the window must rest before it is written down. */
const REST_MS = 120;

/** No window is shorter: 100 ns are told apart, and no trace has finer clocks. */
const SHORTEST_NS = 100;

/** All that the trace has, as far as it is read. */
export const wholeSpan = new Store<Span>({ from: 0, to: 1 });

/** What is shown, at this very frame. */
export const liveSpan = new Store<Span>({ from: 0, to: 1 });

/** What is shown, once it rests. */
export const restingSpan = new Store<Span>({ from: 0, to: 1 });

let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows another stretch, as a gesture goes on. */
export function glide(span: Span): void {
  liveSpan.set(within(span));
  clearTimeout(timer);
  timer = setTimeout(rest, REST_MS);
}

/** Shows another stretch at once, as a step of its own. */
export function jump(span: Span): void {
  clearTimeout(timer);
  timer = undefined;
  const target = within(span);
  const parameters = asParameters(target);
  go(parameters);
  liveSpan.set(target);
  restingSpan.set(target);
}

/** The parameters of a view that shows the span; none for the whole trace. */
export function asParameters(span: Span): { from: string | undefined; to: string | undefined } {
  const whole = wholeSpan.value;
  const isWhole = span.from <= whole.from && span.to >= whole.to;
  return isWhole ? { from: undefined, to: undefined } : { from: `${Math.floor(span.from)}`, to: `${Math.ceil(span.to)}` };
}

/** A stretch that is measured, as it stands in the URL: `1000-2000`. */
export function parseRange(text: string | undefined): Span | null {
  const [, from, to] = /^(\d+)-(\d+)$/.exec(text ?? "") ?? [];
  return from === undefined || to === undefined || Number(to) <= Number(from) ? null : { from: Number(from), to: Number(to) };
}

/** The span around another, with some of what is beside it. */
export function around(span: Span, share: number): Span {
  const margin = Math.max((span.to - span.from) * share, SHORTEST_NS);
  return within({ from: span.from - margin, to: span.to + margin });
}

/** Follows the URL, and the trace as it is read. */
export function followView(): void {
  const follow = () => {
    if (timer !== undefined) return;
    const target = spanOf(view.value.from, view.value.to);
    if (!isSame(target, liveSpan.value)) liveSpan.set(target);
    if (!isSame(target, restingSpan.value)) restingSpan.set(target);
  };
  view.subscribe(follow);
  wholeSpan.subscribe(follow);
  follow();
}

function rest(): void {
  timer = undefined;
  const span = liveSpan.value;
  restingSpan.set(span);
  amend(asParameters(span));
}

function spanOf(from: string | undefined, to: string | undefined): Span {
  const whole = wholeSpan.value;
  const asked = { from: numberOr(from, whole.from), to: numberOr(to, whole.to) };
  return asked.to > asked.from ? within(asked) : whole;
}

function numberOr(text: string | undefined, otherwise: number): number {
  const number = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : otherwise;
}

/** The nearest span of that length inside the trace. */
function within(span: Span): Span {
  const whole = wholeSpan.value;
  const all = whole.to - whole.from;
  const length = Math.min(Math.max(span.to - span.from, SHORTEST_NS), Math.max(all, SHORTEST_NS));
  const middle = (span.from + span.to) / 2;
  const from = Math.min(Math.max(middle - length / 2, whole.from), Math.max(whole.to - length, whole.from));
  return { from, to: from + length };
}

function isSame(a: Span, b: Span): boolean {
  return Math.floor(a.from) === Math.floor(b.from) && Math.ceil(a.to) === Math.ceil(b.to);
}
