// CPU samples and logs as ticks on the tracks that are seen: at most one of each a pixel, with the stack or the text of the first.
import { json } from "../api/request";
import type { Frame } from "../api/reports";
import type { Span } from "../time_window";
import { firstAtLeast } from "./tile";

export interface Sample {
  track: string;
  at_ns: number;
  /** How many stand behind the tick. */
  count: number;
  stack: Frame[];
}

export interface Log {
  track: string;
  at_ns: number;
  count: number;
  /** The begin of what it says. */
  text: string;
}

/** Those of one track, in order of time. */
interface OfTrack<Mark> {
  marks: readonly Mark[];
  times: Float64Array;
}

const NONE: OfTrack<never> = { marks: [], times: new Float64Array() };

export class Samples {
  #byTrack = new Map<string, OfTrack<Sample>>();
  #logs = new Map<string, OfTrack<Log>>();
  #asked = "";
  #isAsking = false;

  constructor(readonly loaded: () => void) {}

  /** When a track has samples, as far as that is known. */
  timesOf(track: string): Float64Array {
    return (this.#byTrack.get(track) ?? NONE).times;
  }

  /** The samples of a track that are known in a stretch of time. */
  of(track: string, { from, to }: Span): readonly Sample[] {
    const { marks, times } = this.#byTrack.get(track) ?? NONE;
    return marks.slice(firstAtLeast(times, from), firstAtLeast(times, to));
  }

  /** When something was logged on a track, as far as that is known. */
  logTimesOf(track: string): Float64Array {
    return (this.#logs.get(track) ?? NONE).times;
  }

  /** The logs of a track that are known in a stretch of time. */
  logsOf(track: string, { from, to }: Span): readonly Log[] {
    const { marks, times } = this.#logs.get(track) ?? NONE;
    return marks.slice(firstAtLeast(times, from), firstAtLeast(times, to));
  }

  /** Asks for what is seen, with half a screen on each side, when the window rests. */
  want(tracks: readonly string[], span: Span, width: number, revision: number): void {
    const half = (span.to - span.from) / 2;
    const query = {
      tracks: tracks.join(","),
      from: Math.max(Math.floor(span.from - half), 0),
      to: Math.ceil(span.to + half),
      width: Math.min(width * 2, 8192),
    };
    const question = JSON.stringify([query, revision]);
    if (this.#isAsking || question === this.#asked || tracks.length === 0) return;
    this.#asked = question;
    this.#isAsking = true;
    json<{ marks: Sample[]; logs: Log[] }>("marks", query)
      .then(({ marks, logs }) => {
        this.#byTrack = byTrack(tracks, marks);
        this.#logs = byTrack(tracks, logs);
      })
      .catch(() => {
        // Ticks are missing, and all else is there; the next window asks again.
      })
      .finally(() => {
        this.#isAsking = false;
        this.loaded();
      });
  }
}

function byTrack<Mark extends Sample | Log>(tracks: readonly string[], all: readonly Mark[]): Map<string, OfTrack<Mark>> {
  return new Map(
    tracks.map((track) => {
      const marks = all.filter((mark) => mark.track === track);
      return [track, { marks, times: Float64Array.from(marks, ({ at_ns }) => at_ns) }];
    }),
  );
}
