// A stack, innermost frame first.
import type { Frame } from "../api/reports";
import { FunctionName, place } from "../name";

/** So many frames are shown before the rest is asked for. */
const FIRST = 8;

export function Frames({ title, stack }: { title: string; stack: readonly Frame[] }) {
  if (stack.length === 0) return null;
  const frame = (it: Frame, index: number) => (
    <li key={index}>
      <FunctionName of={it.function} /> <span class="place">{place(it.file, it.line)}</span>
    </li>
  );
  return (
    <div class="stack">
      <h4>{title}</h4>
      <ol>{stack.slice(0, FIRST).map(frame)}</ol>
      {stack.length > FIRST && (
        <details>
          <summary>{stack.length - FIRST} more frames</summary>
          <ol start={FIRST + 1}>{stack.slice(FIRST, 200).map(frame)}</ol>
        </details>
      )}
    </div>
  );
}
