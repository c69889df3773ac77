// Requests to the server that the page came from.
import type { Door } from "./door";
import { address, type Query } from "./question";
import { RequestError } from "./request_error";
import { decodeRuns, type RunsAnswer } from "./runs";

export const server: Door = {
  async json<T>(path: string, query: Query, signal?: AbortSignal): Promise<T> {
    return (await (await answer(address(path, query), signal)).json()) as T;
  },

  async runs({ tracks, ...asked }): Promise<RunsAnswer> {
    const query = { tracks: tracks.join(","), ...asked };
    return decodeRuns(await (await answer(address("runs", query))).arrayBuffer());
  },
};

async function answer(url: string, signal?: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { signal: signal ?? null, cache: "no-store" });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new RequestError(0, "The server does not answer. Has `exectrace view` ended?");
  }
  if (!response.ok) throw new RequestError(response.status, await reason(response));
  return response;
}

async function reason(response: Response): Promise<string> {
  try {
    const told = (await response.json()) as { error?: unknown };
    if (typeof told.error === "string") return told.error;
  } catch {
    // What is no JSON has no words of its own.
  }
  return response.status === 404 ? "There is no such thing in this trace." : `The server answers ${response.status}.`;
}
