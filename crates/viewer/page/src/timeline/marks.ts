// Marks that a person sets on the timeline; they stand in the URL, and so in links.
import { selected } from "../selection";
import { glide, liveSpan } from "../time_window";
import { go, view } from "../view";

export function marks(): number[] {
  const listed = (view.value.marks ?? "").split(",").filter((text) => text !== "");
  return listed.map(Number).filter((at) => Number.isFinite(at));
}

/** Sets a mark at the begin of the selection, or in the middle of the window; takes away one that is there. */
export function addMark(): void {
  const { from, to } = liveSpan.value;
  const at = Math.floor(selected.value.interval?.from_ns ?? (from + to) / 2);
  const set = new Set(marks());
  if (!set.delete(at)) set.add(at);
  go({ marks: [...set].sort((a, b) => a - b).join(",") });
}

/** Shows the next mark, or the one before. */
export function stepMark(by: 1 | -1): void {
  const { from, to } = liveSpan.value;
  const middle = (from + to) / 2;
  // The one that is in the middle is not the next one.
  const slack = (to - from) / 1000;
  const all = marks();
  const target = by > 0 ? all.find((at) => at > middle + slack) : all.findLast((at) => at < middle - slack);
  if (target !== undefined) glide({ from: target - (to - from) / 2, to: target + (to - from) / 2 });
}
