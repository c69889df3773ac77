// CPU samples as ticks on the tracks that are seen: at most one a pixel, each with the stack of the first.
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

/** Those of one track, in order of time. */
interface OfTrack {
  samples: readonly Sample[];
  times: Float64Array;
}

const NONE: OfTrack = { samples: [], times: new Float64Array() };

export class Samples {
  #byTrack = new Map<string, OfTrack>();
  #asked = "";
  #isAsking = false;

  constructor(readonly loaded: () => void) {}

  /** When a track has samples, as far as that is known. */
  timesOf(track: string): Float64Array {
    return (this.#byTrack.get(track) ?? NONE).times;
  }

  /** The samples of a track that are known in a stretch of time. */
  of(track: string, { from, to }: Span): readonly Sample[] {
    const { samples, times } = this.#byTrack.get(track) ?? NONE;
    return samples.slice(firstAtLeast(times, from), firstAtLeast(times, to));
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
    json<{ marks: Sample[] }>("marks", query)
      .then(({ marks }) => {
        this.#byTrack = new Map(tracks.map((track) => [track, ofTrack(marks.filter((mark) => mark.track === track))]));
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

function ofTrack(samples: readonly Sample[]): OfTrack {
  return { samples, times: Float64Array.from(samples, ({ at_ns }) => at_ns) };
}
