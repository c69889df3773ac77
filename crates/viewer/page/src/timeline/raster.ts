// Draws rows of a timeline into pixels. Long intervals are filled to the pixel; what is shorter adds up to shares of a pixel's
// column, which are stacked. Writing pixels is an order of magnitude cheaper than filling rectangles where there are many.
import { STATES } from "../api/runs";
import { PERIOD, type Palette } from "./palette";
import { RUNNING, STACKED } from "./state";
import { firstAtLeast, firstEndAfter, type Tile } from "./tile";
import type { Piece } from "./tile_cache";

/** From so many pixels on, an interval is drawn by itself. */
const BY_ITSELF_PX = 3;

/** An interval is an outlier of its bucket if it is so many times as long as the mean. */
const OUTLIER = 16;

/** What is seen: from when on, and how long a pixel is. */
export interface Scale {
  from: number;
  nsPerPixel: number;
}

export class Raster {
  readonly image: ImageData;
  readonly #pixels: Uint32Array;
  readonly #shares: Float32Array;
  readonly #ticks: Uint8Array;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.image = new ImageData(width, height);
    this.#pixels = new Uint32Array(this.image.data.buffer);
    this.#shares = new Float32Array(width * STATES);
    this.#ticks = new Uint8Array(width);
  }

  /** Clears all from the top down to `bottom`. */
  clear(palette: Palette, bottom = this.height): void {
    this.#pixels.fill(palette.background, 0, Math.min(bottom, this.height) * this.width);
  }

  /** Draws what the pieces of one track tell, from `top` on, `height` pixels high. */
  row(pieces: readonly Piece[], scale: Scale, top: number, height: number, palette: Palette): void {
    const first = Math.max(top, 0);
    const last = Math.min(top + height, this.height);
    if (first >= last) return;
    this.#pixels.fill(palette.lane, first * this.width, last * this.width);
    this.#shares.fill(0);
    this.#ticks.fill(0);
    // Of a group's tiles each has a height of its own; the highest that is seen counts.
    const ceiling = pieces.reduce((most, { tile }) => Math.max(most, tile.full), 1e-9);
    for (const piece of pieces) this.#mixes(piece, scale, piece.tile.full / ceiling / 255);
    for (const piece of pieces) this.#shortIntervals(piece, scale);
    this.#columns(scale, top, height, palette);
    for (const piece of pieces) this.#longIntervals(piece, scale, top, height, palette);
  }

  #mixes(piece: Piece, scale: Scale, unit: number): void {
    const { tile } = piece;
    const begin = Math.max(piece.from, scale.from);
    const end = Math.min(piece.to, scale.from + this.width * scale.nsPerPixel);
    const start = firstAtLeast(tile.bucket, Math.floor((begin - tile.from) / tile.bucketNs));
    for (let mix = start; mix < tile.bucket.length; mix++) {
      const from = tile.from + tile.bucket[mix]! * tile.bucketNs;
      if (from >= end) break;
      const left = (from - scale.from) / scale.nsPerPixel;
      const right = left + tile.bucketNs / scale.nsPerPixel;
      let told = 0;
      for (let state = 1; state < STATES; state++) {
        const share = tile.share[mix * STATES + state]!;
        if (share === 0) continue;
        told += share;
        this.#add(left, right, state, share * unit);
      }
      const tick = outlier(tile, mix, told);
      const column = Math.floor(left);
      if (tick > 0 && column >= 0 && column < this.width) this.#ticks[column] = tick;
    }
  }

  #shortIntervals(piece: Piece, scale: Scale): void {
    const { tile } = piece;
    const least = BY_ITSELF_PX * scale.nsPerPixel;
    this.#each(piece, scale, (place, begin, end) => {
      if (tile.end[place]! - tile.begin[place]! >= least) return;
      const left = (begin - scale.from) / scale.nsPerPixel;
      const right = (end - scale.from) / scale.nsPerPixel;
      const state = tile.state[place]!;
      if (right > left) this.#add(left, right, state, 1);
      else if (left >= 0 && left < this.width) this.#ticks[Math.floor(left)] = state;
    });
  }

  #longIntervals(piece: Piece, scale: Scale, top: number, height: number, palette: Palette): void {
    const { tile } = piece;
    const least = BY_ITSELF_PX * scale.nsPerPixel;
    this.#each(piece, scale, (place, begin, end) => {
      if (tile.end[place]! - tile.begin[place]! < least) return;
      const left = Math.round((begin - scale.from) / scale.nsPerPixel);
      let right = Math.round((end - scale.from) / scale.nsPerPixel);
      // A gap shows where one ends and the next begins.
      if (end === tile.end[place] && right - left > BY_ITSELF_PX) right -= 1;
      this.#fill(left, right, top, height, palette.patterns[tile.state[place]!]!, scale);
    });
  }

  /** The intervals of a piece that are seen, cut to it. */
  #each(piece: Piece, scale: Scale, draw: (place: number, begin: number, end: number) => void): void {
    const { tile } = piece;
    const from = Math.max(piece.from, scale.from);
    const to = Math.min(piece.to, scale.from + this.width * scale.nsPerPixel);
    for (let place = firstEndAfter(tile.end, from); place < tile.begin.length && tile.begin[place]! < to; place++) {
      draw(place, Math.max(tile.begin[place]!, from), Math.min(tile.end[place]!, to));
    }
  }

  /** Adds to the columns from `left` to `right`, by how much of each is covered. */
  #add(left: number, right: number, state: number, share: number): void {
    const first = Math.max(Math.floor(left), 0);
    const last = Math.min(Math.ceil(right), this.width);
    for (let column = first; column < last; column++) {
      const covered = Math.min(right, column + 1) - Math.max(left, column);
      this.#shares[column * STATES + state]! += covered * share;
    }
  }

  #columns(scale: Scale, top: number, height: number, palette: Palette): void {
    const phase = this.#phase(scale);
    for (let column = 0; column < this.width; column++) {
      let bottom = top + height;
      for (const state of STACKED) {
        const share = this.#shares[column * STATES + state]!;
        if (share <= 0.001) continue;
        const rows = Math.max(Math.round(share * height), 1);
        const next = Math.max(bottom - rows, top);
        this.#column(column, next, bottom, palette.patterns[state]!, phase);
        bottom = next;
        if (bottom <= top) break;
      }
      const tick = this.#ticks[column]!;
      if (tick > 0) this.#column(column, top, top + height, palette.patterns[tick]!, phase);
    }
  }

  #column(column: number, from: number, to: number, pattern: Uint32Array, phase: number): void {
    const last = Math.min(to, this.height);
    const x = (column + phase) & (PERIOD - 1);
    for (let y = Math.max(from, 0); y < last; y++) {
      this.#pixels[y * this.width + column] = pattern[(y & (PERIOD - 1)) * PERIOD + x]!;
    }
  }

  #fill(left: number, right: number, top: number, height: number, pattern: Uint32Array, scale: Scale): void {
    const from = Math.max(left, 0);
    const to = Math.min(right, this.width);
    if (from >= to) return;
    const phase = this.#phase(scale);
    const last = Math.min(top + height, this.height);
    for (let y = Math.max(top, 0); y < last; y++) {
      const line = y * this.width;
      const row = (y & (PERIOD - 1)) * PERIOD;
      for (let x = from; x < to; x++) this.#pixels[line + x] = pattern[row + ((x + phase) & (PERIOD - 1))]!;
    }
  }

  /** Patterns move along with what they are on. */
  #phase(scale: Scale): number {
    return Math.round(scale.from / scale.nsPerPixel) % PERIOD & (PERIOD - 1);
  }
}

/** The state to mark a mix with: of its longest interval, if that stands out, or if nothing else would be seen. */
function outlier(tile: Tile, mix: number, told: number): number {
  const intervals = tile.count[mix]!;
  const longest = tile.longest[mix]!;
  const state = tile.longestState[mix]! || RUNNING;
  if (told === 0) return intervals > 0 ? state : 0;
  const mean = ((told / 255) * tile.bucketNs) / Math.max(intervals, 1);
  return intervals >= OUTLIER && longest > tile.bucketNs / 4 && longest > mean * OUTLIER ? state : 0;
}
