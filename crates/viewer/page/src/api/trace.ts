// The trace as a whole: how far it is read, and whether it can be trusted.
import { Store } from "../store";
import { wholeSpan } from "../time_window";
import { door } from "./door";
import { askedMs, isAsking } from "./request";

/** A time between whose ends events are gone. */
export interface Gap {
  from_ns: number;
  to_ns: number;
  events: number;
  /** Whether they are so many, or at least so many. */
  is_exact: boolean;
}

export interface Trace {
  state: "reading" | "ready" | "failed";
  bytes_read: number;
  bytes: number;
  /** Rises when what the server knows changes. */
  revision: number;
  name: string;
  /** The trace that this one is compared with, if it is with any. */
  other?: string | null;
  format: string;
  header: string;
  is_of_go: boolean;
  /** What the wall clock showed at the first event, in ns since 1970. */
  wall_clock_ns: number | null;
  end_ns: number;
  events: number;
  verdict: "whole" | "partial" | "refused";
  trust: string[];
  gaps: Gap[];
  fault: string | null;
  samples: number;
  /** How many messages the program logged. */
  logs: number;
}

/** The trace as the page shows it: while it is read this changes only now and then. Null until the server has answered for the first time. */
export const trace = new Store<Trace | null>(null);

/** The trace as the server told of it last. */
export const progress = new Store<Trace | null>(null);

/** Why the server cannot be asked; null while it can. */
export const silence = new Store<string | null>(null);

const EVERY_MS = 250;
const AFTER_FAILURE_MS = 2000;

/** While a trace is read showing it takes a part in so many of the time, at most: the processor is wanted for reading. */
const PARTS = 10;

/** A trace that is this much longer than the one that is shown is worth showing. */
const GROWTH = 9 / 8;

/** Asks until all is read. */
export async function followTrace(): Promise<void> {
  let shown = { at: Number.NEGATIVE_INFINITY, askedMs: 0 };
  for (;;) {
    let wait = EVERY_MS;
    try {
      // Nobody waits for this one: it counts as no question.
      const told = await door.json<Trace>("trace", {});
      silence.set(null);
      progress.set(told);
      const now = performance.now();
      const isCheap = !isAsking() && now - shown.at >= PARTS * (askedMs() - shown.askedMs);
      const isNews = trace.value === null || told.end_ns >= GROWTH * trace.value.end_ns;
      if (told.state !== "reading" || (isCheap && isNews)) {
        shown = { at: now, askedMs: askedMs() };
        show(told);
      }
      if (told.state !== "reading") return;
    } catch (error) {
      silence.set(error instanceof Error ? error.message : String(error));
      wait = AFTER_FAILURE_MS;
    }
    await new Promise((done) => setTimeout(done, wait));
  }
}

function show(told: Trace): void {
  if (told.end_ns > wholeSpan.value.to || trace.value === null) wholeSpan.set({ from: 0, to: Math.max(told.end_ns, 1) });
  trace.set(told);
}

export interface Words {
  worker: string;
  workers: string;
  task: string;
  tasks: string;
}

/** What the trace's own world calls a worker and a task. */
export function words(told: Trace | null): Words {
  return told?.is_of_go
    ? { worker: "proc", workers: "procs", task: "goroutine", tasks: "goroutines" }
    : { worker: "worker", workers: "workers", task: "task", tasks: "tasks" };
}
