// The states that runs tell of, by number; the order is that of the server.

export interface StateStyle {
  /** As `interval` calls it. */
  name: string;
  /** As the page calls it. */
  title: string;
  /** The variable of the style sheet that holds its colour. */
  variable: string;
  /** What tells it apart without colours. */
  pattern: Pattern;
}

export type Pattern = "solid" | "slanted" | "lines" | "upright" | "dots" | "none";

export const NOTHING = 0;
export const RUNNING = 1;
export const RUNNABLE = 2;
export const WAITING = 3;
export const SYSCALL = 4;
export const UNKNOWN = 5;
export const OPEN = 6;

export const STATE_STYLES: readonly StateStyle[] = [
  { name: "nothing", title: "not there", variable: "--lane", pattern: "none" },
  { name: "running", title: "running", variable: "--running", pattern: "solid" },
  { name: "runnable", title: "runnable, in the queue", variable: "--runnable", pattern: "slanted" },
  { name: "waiting", title: "waiting", variable: "--waiting", pattern: "lines" },
  { name: "syscall", title: "in a system call", variable: "--syscall", pattern: "upright" },
  { name: "undetermined", title: "not known", variable: "--unknown", pattern: "dots" },
  { name: "open", title: "open", variable: "--open", pattern: "solid" },
];

/** From the ground up, where shares are stacked. */
export const STACKED: readonly number[] = [RUNNING, OPEN, SYSCALL, RUNNABLE, WAITING, UNKNOWN];

export function stateTitle(state: number): string {
  return STATE_STYLES[state]?.title ?? "not known";
}

/** What reports call states, where that is another word. */
const ALIASES: Record<string, string> = { blocked: "waiting", unknown: "undetermined" };

/** The number of a state by its name. */
export function stateOf(told: string): number {
  const name = ALIASES[told] ?? told;
  const found = STATE_STYLES.findIndex((style) => style.name === name);
  return found < 0 ? UNKNOWN : found;
}
