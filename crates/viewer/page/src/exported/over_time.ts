// What an exported page has over time, cut to what is looked at.
import type { Query } from "../api/question";
import type { Curves } from "../panels/strips";
import type { Scatter } from "../panels/latency_scatter";
import { least, stretches, type About } from "./about";
import type { Archive } from "./archive";
import { questionOf } from "./question";

/** As many buckets as the server gives at most. */
const BUCKETS = 16_384;

/** Curves in the shortest buckets that the page has. */
export async function curves(archive: Archive, about: About, query: Query): Promise<Curves | null> {
  const from = Number(query["from"]);
  const to = Number(query["to"]);
  const stretch = least(about.curves, from, Math.min(to, about.end_ns));
  if (stretch === null) return null;
  const asked = { names: query["names"], from: stretch.from_ns, to: stretch.to_ns, width: BUCKETS };
  const all = await archive.json<Curves>(questionOf("curves", asked));
  if (all === null) return null;
  const first = Math.max(Math.floor((from - all.from_ns) / all.bucket_ns), 0);
  const last = Math.ceil((to - all.from_ns) / all.bucket_ns);
  const cut = Object.entries(all.curves).map(([name, values]) => [name, values?.slice(first, last) ?? null]);
  return { ...all, from_ns: all.from_ns + first * all.bucket_ns, curves: Object.fromEntries(cut) as Curves["curves"] };
}

/** Points of what is looked at; counts and percentiles are those of a longer stretch, which is told. */
export async function scatter(archive: Archive, about: About, query: Query): Promise<Scatter | null> {
  const from = Number(query["from"]);
  const to = Number(query["to"]);
  const stretch = least(stretches(about), from, to);
  if (stretch === null) return null;
  const asked = { ...query, from: stretch.from_ns, to: stretch.to_ns };
  const all = await archive.json<Scatter>(questionOf("scatter", asked));
  if (all === null) return null;
  const isIn = ({ begin_ns, ns }: { begin_ns: number; ns: number }) => begin_ns >= from && begin_ns + ns <= to;
  return { ...all, points: all.points.filter(isIn), worst: all.worst.filter(isIn), of: stretch };
}

/** The members of a group that are there in a stretch that has what is looked at. */
export function members(archive: Archive, about: About, query: Query): Promise<unknown> | null {
  if (query["parent"] === undefined) return null;
  const stretch = least(stretches(about), Number(query["from"]), Number(query["to"]));
  return stretch && archive.json(questionOf("tracks", { ...query, from: stretch.from_ns, to: stretch.to_ns }));
}
