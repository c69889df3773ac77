// Asks for the tiles that are missing: at most one request a frame and two at a time; what is seen first, then what is beside it.
import { askRuns, isAbort } from "../api/request";
import { Store } from "../store";
import type { Span } from "../time_window";
import { cut, tileSpan, tilesOf } from "./tile";
import type { TileCache } from "./tile_cache";

/** The server refuses more tracks at once. */
const MOST_TRACKS = 64;

const MOST_AT_ONCE = 2;

/** No window needs more: a screen has some thousand pixels. */
const MOST_TILES = 8;

interface Question {
  tracks: string[];
  level: number;
  first: number;
  last: number;
}

/** What the server said last to a question that failed; null after one that did not. */
export const loadingError = new Store<string | null>(null);

export class TileLoader {
  readonly #asked = new Set<string>();
  #running = 0;
  #notBefore = 0;

  constructor(
    readonly cache: TileCache,
    readonly loaded: () => void,
    /** The filter whose tiles these are. */
    readonly where?: string,
  ) {}

  /** Whether all that is seen is there, or else asks for some of what is not. */
  want(tracks: readonly string[], span: Span, level: number, revision: number, isStill: boolean): boolean {
    const seen = this.#missing(tracks, tilesOf(span, level), level, revision);
    if (this.#running >= MOST_AT_ONCE || performance.now() < this.#notBefore) return seen === null;
    if (seen !== null) {
      this.#ask(seen, revision);
      return false;
    }
    if (isStill && this.#running === 0) this.#prefetch(tracks, span, level, revision);
    return true;
  }

  /** Half a screen on each side. */
  #prefetch(tracks: readonly string[], span: Span, level: number, revision: number): void {
    const half = (span.to - span.from) / 2;
    const beside = this.#missing(tracks, tilesOf({ from: span.from - half, to: span.to + half }, level), level, revision);
    if (beside !== null) this.#ask(beside, revision);
  }

  #missing(tracks: readonly string[], tiles: { first: number; last: number }, level: number, revision: number): Question | null {
    const last = Math.min(tiles.last, tiles.first + MOST_TILES - 1);
    let found: Question | null = null;
    for (const track of tracks) {
      let lacks = false;
      for (let index = tiles.first; index <= last; index++) {
        if (this.cache.has(track, level, index, revision) || this.#asked.has(name(track, level, index, revision))) continue;
        lacks = true;
        found ??= { tracks: [], level, first: index, last: index };
        found.first = Math.min(found.first, index);
        found.last = Math.max(found.last, index);
      }
      if (lacks && found !== null && found.tracks.length < MOST_TRACKS) found.tracks.push(track);
    }
    return found;
  }

  async #ask(question: Question, revision: number): Promise<void> {
    const { tracks, level, first, last } = question;
    const length = tileSpan(level);
    const names = tracks.flatMap((track) => range(first, last).map((index) => name(track, level, index, revision)));
    for (const asked of names) this.#asked.add(asked);
    this.#running++;
    try {
      const from = first * length;
      const to = (last + 1) * length;
      const answer = await askRuns({ tracks, from, to, width: (to - from) / 2 ** level, where: this.where });
      // A trace that is still read may know more by now than the page has heard of: the revision that was asked for counts.
      tracks.forEach((track, place) => {
        const pieces = answer.tracks[place] ?? [];
        for (const index of range(first, last)) {
          const end = (index + 1) * length;
          const runs = pieces.find((piece) => piece.to >= end);
          if (runs !== undefined) this.cache.put(track, level, index, cut(runs, revision, end - length, end));
        }
      });
      loadingError.set(null);
    } catch (error) {
      if (!isAbort(error)) loadingError.set(error instanceof Error ? error.message : String(error));
      // Who is asked too much is not asked more.
      this.#notBefore = performance.now() + 1000;
      setTimeout(this.loaded, 1050);
    } finally {
      for (const asked of names) this.#asked.delete(asked);
      this.#running--;
      this.loaded();
    }
  }
}

function name(track: string, level: number, index: number, revision: number): string {
  return `${track} ${level} ${index} ${revision}`;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, place) => first + place);
}
