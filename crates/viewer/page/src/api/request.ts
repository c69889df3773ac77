// Questions about the trace.
import { door, type RunsQuestion } from "./door";
import type { Query } from "./question";
import type { RunsAnswer } from "./runs";

export { address, type Query } from "./question";
export { isAbort, RequestError } from "./request_error";

export function json<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return counted(() => door.json<T>(path, query, signal));
}

/** Asks for tracks; the order of the answer is that of the question. */
export function askRuns(question: RunsQuestion): Promise<RunsAnswer> {
  return counted(() => door.runs(question));
}

let asking = 0;
/** Since when there is a question without an answer, and for how long there was one before. */
let askingSince = 0;
let askedBeforeMs = 0;

/** Whether there is a question without an answer. */
export function isAsking(): boolean {
  return asking > 0;
}

/** For how long there has been one, in all. */
export function askedMs(): number {
  return askedBeforeMs + (asking > 0 ? performance.now() - askingSince : 0);
}

/** Says on the page how many questions have no answer yet: tests wait for all. */
async function counted<T>(ask: () => Promise<T>): Promise<T> {
  const told = document.documentElement.dataset;
  if (asking === 0) askingSince = performance.now();
  told["asking"] = `${++asking}`;
  try {
    return await ask();
  } finally {
    told["asking"] = `${--asking}`;
    if (asking === 0) askedBeforeMs += performance.now() - askingSince;
  }
}
