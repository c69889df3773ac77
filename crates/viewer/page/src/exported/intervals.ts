// All that is known of single intervals, in an exported page: parts of one track each, in columns.
import type { Query } from "../api/question";
import type { About, IntervalsPart } from "./about";
import type { Archive } from "./archive";
import { questionOf } from "./question";
import { withStacks } from "./stacks";

type Columns = Record<string, unknown[]> & Record<"index" | "from_ns" | "to_ns" | "count", number[]>;

/** The interval of a track with a number, or at a time; null where the page does not have it. */
export async function interval(archive: Archive, about: About, query: Query): Promise<unknown> {
  const { track, index, at } = query;
  const isIn = (part: IntervalsPart) =>
    part.track === track &&
    (index === undefined ? part.from_ns <= Number(at) : part.first <= Number(index) && Number(index) < part.end);
  const columns = await archive.json<Columns>(questionOf("intervals", { number: about.intervals.findLastIndex(isIn) }));
  if (columns === null) return null;
  const place = index === undefined ? placeAt(columns, Number(at)) : columns.index.indexOf(Number(index));
  if (place < 0) return null;
  const fields = Object.entries(columns).map(([name, values]) => [name, values[place]]);
  return withStacks(archive, Object.fromEntries(fields));
}

/** The place of what was there at a time, or else before it; -1 if it is not known what that was. */
function placeAt({ index, from_ns, to_ns, count }: Columns, at: number): number {
  const place = from_ns.findLastIndex((from) => from <= at);
  // After the last one of these there may be others, which the page does not have.
  const mayBeAnother = place === index.length - 1 && to_ns[place]! <= at && index[place]! + 1 < count[place]!;
  return mayBeAnother ? -1 : place;
}
