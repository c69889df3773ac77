// CPU samples and logs in an exported page: of each track at most one of each a pixel of a wide screen.
import type { Query } from "../api/question";
import type { Log, Sample } from "../timeline/samples";
import type { About } from "./about";
import type { Archive } from "./archive";
import { questionOf } from "./question";
import { withStacks } from "./stacks";

type Marks = { marks: Sample[]; logs: Log[] };

/** The samples and logs of tracks in a stretch, at most one of each a pixel. */
export async function samples(archive: Archive, about: About, query: Query): Promise<Marks> {
  const from = Number(query["from"]);
  const to = Number(query["to"]);
  const pixel = 2 ** Math.floor(Math.log2(Math.max((to - from) / Number(query["width"]), 1)));
  const told: Marks = { marks: [], logs: [] };
  for (const track of String(query["tracks"]).split(",")) {
    const part = await partOf(archive, about, track, from, to);
    const isIn = (mark: Sample | Log) => mark.track === track && mark.at_ns >= from && mark.at_ns < to;
    told.marks.push(...merged(part?.marks.filter(isIn) ?? [], pixel));
    told.logs.push(...merged(part?.logs.filter(isIn) ?? [], pixel));
  }
  return (await withStacks(archive, told)) as Marks;
}

/** What there is of a track; the last part that has all is that of the narrowest stretch, where marks stand one by one. */
function partOf(archive: Archive, { samples, end_ns }: About, track: string, from: number, to: number): Promise<Marks | null> {
  const number = samples.findLastIndex(
    (part) => part.tracks.includes(track) && part.from_ns <= Math.max(from, 0) && part.to_ns >= Math.min(to, end_ns),
  );
  return archive.json<Marks>(questionOf("samples", { number }));
}

/** The first of each pixel, with how many there are in it. */
function merged<Mark extends Sample | Log>(all: readonly Mark[], pixel: number): Mark[] {
  const marks: Mark[] = [];
  for (const mark of all) {
    const last = marks.at(-1);
    if (last !== undefined && Math.floor(last.at_ns / pixel) === Math.floor(mark.at_ns / pixel)) last.count += mark.count;
    else marks.push({ ...mark });
  }
  return marks;
}
