// Reports, with their times turned into those of the page.
import { useAnswer, type Answer } from "./answer";
import type { Query } from "./request";
import { useStore } from "../store";
import { trace } from "./trace";

/** Reports whose times are those of events; the others tell them since the first event, as the page does. */
const TOLD_AS_EVENTS: ReadonlySet<string> = new Set(["tasks", "latency", "why", "blockers", "workers", "gc"]);

/** The keys that hold a time, and no duration. */
const TIMES: ReadonlySet<string> = new Set(["begin_ns", "end_ns", "time_ns"]);

/** The report of this name; null asks for none. */
export function useReport<T>(name: string | null, query: Query): Answer<T> {
  // The server reads the whole trace for it: not beside the reading that everybody waits for.
  const isRead = useStore(trace)?.state !== "reading";
  const path = name === null || !isRead ? null : `report/${name}`;
  return useAnswer<T>(path, query, (told) => (name !== null && TOLD_AS_EVENTS.has(name) ? sinceFirst(told) : told));
}

function sinceFirst<T>(told: T): T {
  const first = trace.value?.first_event_ns ?? 0;
  return first === 0 ? told : (shifted(told, first) as T);
}

function shifted(value: unknown, first: number): unknown {
  if (Array.isArray(value)) return value.map((item) => shifted(item, first));
  if (value === null || typeof value !== "object") return value;
  const pairs = Object.entries(value).map(([key, item]) => [
    key,
    TIMES.has(key) && typeof item === "number" ? item - first : shifted(item, first),
  ]);
  return Object.fromEntries(pairs);
}
