// Why a question has no answer.

export class RequestError extends Error {
  constructor(
    /** As HTTP has it; 0 where nobody has answered. */
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
