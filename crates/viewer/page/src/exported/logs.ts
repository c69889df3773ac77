// What was logged, in an exported page: all of it, and what there is on each track.
import type { Query } from "../api/question";
import type { About } from "./about";
import type { Archive } from "./archive";
import { questionOf } from "./question";
import { withStacks } from "./stacks";

interface Log {
  at_ns: number;
}

/** As many as the server tells at once. */
const MOST = 200;

/** The logs of a stretch, on a track or at all; null where the page does not know. */
export async function logs(archive: Archive, about: About, { track, from, to, most }: Query): Promise<unknown> {
  const all = await archive.json<Log[]>(questionOf("logs", { track }));
  if (all === null) {
    const isKnown = track !== undefined && about.samples.some(({ tracks }) => tracks.includes(String(track)));
    return isKnown && !about.logged.includes(String(track)) ? { logs: [], total: 0 } : null;
  }
  const found = all.filter(({ at_ns }) => at_ns >= Number(from) && at_ns < Number(to));
  return withStacks(archive, { logs: found.slice(0, Number(most ?? MOST)), total: found.length });
}
