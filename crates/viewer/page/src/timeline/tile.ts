// A tile: the runs of one track in a stretch of time at one level. A level's buckets are 2^level ns long, and a tile has 1,024 of
// them; so the same stretch has the same tiles whatever window is looked at.
import { STATES, type Runs, type TrackRuns } from "../api/runs";
import type { Span } from "../time_window";

export const TILE_BUCKETS = 1024;

/** No level is coarser: 2^40 ns are 18 minutes a bucket. */
export const TOP_LEVEL = 40;

export interface Tile extends Runs {
  /** Where its first bucket begins. */
  from: number;
  to: number;
  bucketNs: number;
  revision: number;
  bytes: number;
}

/** The level whose buckets are as long as a pixel, or up to half of that. */
export function levelOf(nsPerPixel: number): number {
  return Math.min(Math.max(Math.floor(Math.log2(nsPerPixel)), 0), TOP_LEVEL);
}

export function tileSpan(level: number): number {
  return TILE_BUCKETS * 2 ** level;
}

/** The numbers of the first tile that shows a part of the span, and of the last. */
export function tilesOf(span: Span, level: number): { first: number; last: number } {
  const length = tileSpan(level);
  return { first: Math.floor(Math.max(span.from, 0) / length), last: Math.floor(Math.max(span.to - 1e-9, 0) / length) };
}

/** What an answer about several tiles says of one of them. Its buckets may be others than were asked for, and longer than the tile. */
export function cut(runs: TrackRuns, revision: number, asked: number, to: number): Tile {
  const { bucketNs } = runs;
  const from = Math.floor(asked / bucketNs) * bucketNs;
  const first = firstEndAfter(runs.end, asked);
  const last = firstAtLeast(runs.begin, to);
  const offset = Math.round((from - runs.from) / bucketNs);
  const firstMix = firstAtLeast(runs.bucket, offset);
  const lastMix = firstAtLeast(runs.bucket, offset + Math.ceil((to - from) / bucketNs));
  // Copies: a view would keep the whole answer alive.
  const tile = {
    // As a number of tasks at once.
    full: runs.full / bucketNs,
    begin: runs.begin.slice(first, last),
    end: runs.end.slice(first, last),
    index: runs.index.slice(first, last),
    label: runs.label.slice(first, last),
    state: runs.state.slice(first, last),
    bucket: runs.bucket.slice(firstMix, lastMix).map((bucket) => bucket - offset),
    count: runs.count.slice(firstMix, lastMix),
    longest: runs.longest.slice(firstMix, lastMix),
    longestState: runs.longestState.slice(firstMix, lastMix),
    share: runs.share.slice(firstMix * STATES, lastMix * STATES),
  };
  const bytes = Math.max(last - first, 0) * 25 + Math.max(lastMix - firstMix, 0) * (13 + STATES) + 500;
  return { ...tile, from, to, bucketNs, revision, bytes };
}

/** The place of the first end that lies after `time`, or at it for an interval of no length. */
export function firstEndAfter(ends: Float64Array, time: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]! > time) high = middle;
    else low = middle + 1;
  }
  // Those that end where the stretch begins are in the one before, but for what has no length.
  return low;
}

/** The place of the first value of a rising array that is not less than `least`. */
export function firstAtLeast(values: ArrayLike<number>, least: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! >= least) high = middle;
    else low = middle + 1;
  }
  return low;
}
