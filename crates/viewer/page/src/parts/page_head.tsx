// The head of a page: what it is about, and which stretch of time.
import type { ComponentChildren } from "preact";
import { shownTime } from "../clock";
import { duration } from "../duration";
import { useStore } from "../store";
import { jump, restingSpan, wholeSpan } from "../time_window";

export function PageHead({ title, children }: { title: ComponentChildren; children?: ComponentChildren }) {
  const span = useWindow();
  return (
    <div class="page-head">
      <h1>{title}</h1>
      {children}
      {span !== null && (
        <span class="window">
          only {duration(span.to - span.from)} from {shownTime(span.from)} on
          <button type="button" onClick={() => jump(wholeSpan.value)} title="0">
            whole trace
          </button>
        </span>
      )}
    </div>
  );
}

/** The stretch of time that is looked at; null for the whole trace. */
export function useWindow(): { from: number; to: number } | null {
  const { from, to } = useStore(restingSpan);
  const whole = useStore(wholeSpan);
  return from <= whole.from && to >= whole.to ? null : { from: Math.floor(from), to: Math.ceil(to) };
}
