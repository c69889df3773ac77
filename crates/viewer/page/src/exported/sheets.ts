// Runs of tracks in an exported page: it has each track at some levels of detail, in sheets, and finds the one that fits.
import { decodeRuns, type Runs, type RunsAnswer, type TrackRuns } from "../api/runs";
import { UNKNOWN } from "../timeline/state";
import { tileSpan } from "../timeline/tile";
import type { Sheet } from "./about";
import type { Archive } from "./archive";
import { undo } from "./differences";
import { Recent } from "./recent";

/** Sheets that are kept unpacked: of a screen's tracks at one level, and of the next. */
const KEPT = 12;

interface Place {
  sheet: Sheet;
  /** Its number among the sheets, and the track's in it. */
  number: number;
  track: number;
}

export class Sheets {
  readonly #places = new Map<string, Place[]>();
  readonly #unpacked = new Recent<RunsAnswer>(KEPT);

  constructor(
    readonly archive: Archive,
    sheets: readonly Sheet[],
    readonly endNs: number,
  ) {
    sheets.forEach((sheet, number) => {
      sheet.tracks.forEach((id, track) => {
        const places = this.#places.get(id);
        if (places === undefined) this.#places.set(id, [{ sheet, number, track }]);
        else places.push({ sheet, number, track });
      });
    });
  }

  /** What there is of tracks in a stretch, in buckets as near as there are to what is asked. */
  async runs(tracks: readonly string[], from: number, to: number, width: number): Promise<RunsAnswer> {
    const shift = Math.max(Math.floor(Math.log2((to - from) / width)), 0);
    return { revision: 0, tracks: await Promise.all(tracks.map((track) => this.#track(track, from, to, shift))) };
  }

  /** A piece for each tile: the sheets that fit may be others. */
  async #track(track: string, from: number, to: number, shift: number): Promise<TrackRuns[]> {
    const length = tileSpan(shift);
    const pieces: TrackRuns[] = [];
    for (let begin = from; begin < to; begin += length) {
      const end = begin + length;
      const isInTrace = begin < this.endNs;
      const place = isInTrace ? this.#best(track, begin, Math.min(end, this.endNs), shift) : null;
      const runs = place === null ? null : await this.#unpack(place);
      pieces.push({ ...(runs ?? { ...(isInTrace ? this.#untold() : NOTHING), from: begin, bucketNs: 2 ** shift }), to: end });
    }
    return pieces;
  }

  /** A track that the page does not have: what it did is not known here. */
  #untold(): Runs {
    const end = new Float64Array([this.endNs]);
    const state = new Uint8Array([UNKNOWN]);
    return { ...NOTHING, begin: new Float64Array(1), end, index: new Uint32Array(1), label: new Uint32Array(1), state };
  }

  async #unpack({ number, track }: Place): Promise<TrackRuns | null> {
    const name = `sheet?number=${number}`;
    const answer = await this.#unpacked.of(name, async () => {
      const bytes = await this.archive.bytes(name);
      if (bytes === null) throw new Error("This page is damaged: a part of it is missing.");
      return decodeRuns(undo(bytes));
    });
    return answer.tracks[track]?.[0] ?? null;
  }

  /** The sheet that is no coarser, and else as little as can be. */
  #best(track: string, from: number, to: number, shift: number): Place | null {
    let best: Place | null = null;
    for (const place of this.#places.get(track) ?? []) {
      const { sheet } = place;
      if (sheet.from_ns > from || sheet.to_ns < to) continue;
      if (best === null || isNearer(sheet.shift, best.sheet.shift, shift)) best = place;
    }
    return best;
  }
}

const NOTHING: Runs = {
  full: 1,
  begin: new Float64Array(),
  end: new Float64Array(),
  index: new Uint32Array(),
  label: new Uint32Array(),
  state: new Uint8Array(),
  bucket: new Uint32Array(),
  count: new Uint32Array(),
  longest: new Float32Array(),
  longestState: new Uint8Array(),
  share: new Uint8Array(),
};

function isNearer(one: number, other: number, asked: number): boolean {
  if (one <= asked) return other > asked || one > other;
  return other > asked && one < other;
}
