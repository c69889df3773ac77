// Requests to the server that the page came from; relative, so that they carry the token of its URL.

export class RequestError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export type Query = Readonly<Record<string, string | number | undefined>>;

export function address(path: string, query: Query = {}): string {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) asked.set(name, String(value));
  }
  // Colons and commas may stand in a query, and make it legible.
  const text = asked.toString().replaceAll("%3A", ":").replaceAll("%2C", ",");
  return text === "" ? `api/${path}` : `api/${path}?${text}`;
}

export async function json<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return counted(async () => (await (await answer(address(path, query), signal)).json()) as T);
}

export async function bytes(path: string, query: Query, signal?: AbortSignal): Promise<ArrayBuffer> {
  return counted(async () => (await answer(address(path, query), signal)).arrayBuffer());
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

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
