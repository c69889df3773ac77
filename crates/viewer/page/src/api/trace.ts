// The trace as a whole: how far it is read, and whether it can be trusted.
import { Store } from "../store";
import { wholeSpan } from "../time_window";
import { json } from "./request";

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

/** Null until the server has answered for the first time. */
export const trace = new Store<Trace | null>(null);

/** Rises with the revision, but while a trace is read only now and then: what takes long to ask waits for it. */
export const epoch = new Store(-1);

/** Why the server cannot be asked; null while it can. */
export const silence = new Store<string | null>(null);

const EVERY_MS = 250;
const AFTER_FAILURE_MS = 2000;
const EPOCH_MS = 1500;

/** Asks until all is read. */
export async function followTrace(): Promise<void> {
  let epochBegun = Number.NEGATIVE_INFINITY;
  for (;;) {
    let wait = EVERY_MS;
    try {
      const told = await json<Trace>("trace");
      silence.set(null);
      if (told.end_ns > wholeSpan.value.to || trace.value === null) {
        wholeSpan.set({ from: 0, to: Math.max(told.end_ns, 1) });
      }
      trace.set(told);
      const isDue = performance.now() - epochBegun >= EPOCH_MS;
      if (told.state !== "reading" || isDue) {
        epochBegun = performance.now();
        epoch.set(told.revision);
      }
      if (told.state !== "reading") return;
    } catch (error) {
      silence.set(error instanceof Error ? error.message : String(error));
      wait = AFTER_FAILURE_MS;
    }
    await new Promise((done) => setTimeout(done, wait));
  }
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
