// The rows that stay when the others are scrolled: that of the selected task, and those of the tasks that waited for one another.
import { selected } from "../selection";
import { chain } from "../why";
import { AXIS_PX } from "./axis";
import { ROW_PX } from "./row_layout";
import type { Row } from "./rows";

/** More would leave no room for the others. */
const MOST = 6;

export function pinnedRows(): readonly Row[] {
  const { interval } = selected.value;
  const linked = chain().map(({ task, function: name }) => [task, name] as const);
  const own = interval === null || interval.task === null ? [] : [[interval.task, interval.name] as const];
  const isLinked = linked.some(([task]) => task === own[0]?.[0]);
  // In the order of the chain, so that they stay in place while one walks along it.
  const names = new Map(isLinked ? linked : [...own, ...linked]);
  return Array.from(names, ([id, name]) => pinned(id, name)).slice(0, MOST);
}

/** How much of the top stays: the axis, and a place for the row of a task that may be selected. */
export function headPx(): number {
  return AXIS_PX + Math.max(pinnedRows().length, 1) * ROW_PX;
}

function pinned(id: string, name: string): Row {
  return { id, path: id, name, detail: "", members: 1, has_children: false, depth: 0, isOpen: false };
}
