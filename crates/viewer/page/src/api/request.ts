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

/** Says on the page how many questions have no answer yet: tests wait for all. */
async function counted<T>(ask: () => Promise<T>): Promise<T> {
  const told = document.documentElement.dataset;
  told["asking"] = `${++asking}`;
  try {
    return await ask();
  } finally {
    told["asking"] = `${--asking}`;
  }
}
