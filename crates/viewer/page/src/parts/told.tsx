// An answer that is not there yet, or not to be had.
import type { ComponentChildren } from "preact";
import type { Answer } from "../api/answer";

export function Told<T>({ answer, children }: { answer: Answer<T>; children: (told: T) => ComponentChildren }) {
  if (answer.error !== null) return <p class="note error">{answer.error}</p>;
  if (answer.told === null) return <p class={answer.isStale ? "note stale" : "note"}>…</p>;
  return <div class={answer.isStale ? "told stale" : "told"}>{children(answer.told)}</div>;
}
