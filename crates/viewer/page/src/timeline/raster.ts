// Draws rows of a timeline into pixels. Long intervals are filled to the pixel; what is shorter adds up to shares of a pixel's
// column, which are stacked. Writing pixels is an order of magnitude cheaper than filling rectangles where there are many.
import { STATES } from "../api/runs";
import { PERIOD, type Palette } from "./palette";
import { NOTHING, RUNNING, STACKED } from "./state";
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
  /** For each column how much of it each state has. */
  readonly #shares: Float32Array;
  readonly #ticks: Uint8Array;
  /** The states of one row's pixels: so small that it is written in any order at no cost. */
  #cells = new Uint8Array(0);

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
    if (this.#cells.length !== this.width * height) this.#cells = new Uint8Array(this.width * height);
    this.#cells.fill(NOTHING);
    this.#shares.fill(0);
    this.#ticks.fill(0);
    // Of a group's tiles each has a height of its own; the highest that is seen counts.
    const ceiling = pieces.reduce((most, { tile }) => Math.max(most, tile.full), 1e-9);
    for (const piece of pieces) this.#mixes(piece, scale, piece.tile.full / ceiling / 255);
    for (const piece of pieces) this.#shortIntervals(piece, scale);
    this.#stack(height);
    for (const piece of pieces) this.#longIntervals(piece, scale, height);
    this.#paint(scale, top, height, palette);
  }

  #mixes(piece: Piece, scale: Scale, unit: number): void {
    const { tile } = piece;
    const begin = Math.max(piece.from, scale.from);
    const end = Math.min(piece.to, scale.from + this.width * scale.nsPerPixel);
    const width = tile.bucketNs / scale.nsPerPixel;
    const start = firstAtLeast(tile.bucket, Math.floor((begin - tile.from) / tile.bucketNs));
    for (let mix = start; mix < tile.bucket.length; mix++) {
      const from = tile.from + tile.bucket[mix]! * tile.bucketNs;
      if (from >= end) break;
      const left = (from - scale.from) / scale.nsPerPixel;
      const column = Math.floor(left);
      // Most buckets are narrower than a pixel, and inside of one.
      const isInside = column >= 0 && left + width <= column + 1 && column < this.width;
      let told = 0;
      for (let state = 1; state < STATES; state++) {
        const share = tile.share[mix * STATES + state]!;
        if (share === 0) continue;
        told += share;
        if (isInside) this.#shares[column * STATES + state]! += share * unit * width;
        else this.#add(left, left + width, state, share * unit);
      }
      const tick = outlier(tile, mix, told);
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

  #longIntervals(piece: Piece, scale: Scale, height: number): void {
    const { tile } = piece;
    const least = BY_ITSELF_PX * scale.nsPerPixel;
    this.#each(piece, scale, (place, begin, end) => {
      if (tile.end[place]! - tile.begin[place]! < least) return;
      const left = Math.max(Math.round((begin - scale.from) / scale.nsPerPixel), 0);
      let right = Math.round((end - scale.from) / scale.nsPerPixel);
      // A gap shows where one ends and the next begins.
      if (end === tile.end[place] && right - left > BY_ITSELF_PX) right -= 1;
      for (let y = 0; y < height; y++) {
        const line = y * this.width;
        this.#cells.fill(tile.state[place]!, line + left, line + Math.max(Math.min(right, this.width), left));
      }
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

  /** Turns shares into heights, one state upon the other. */
  #stack(height: number): void {
    for (let column = 0; column < this.width; column++) {
      let bottom = height;
      for (const state of STACKED) {
        const share = this.#shares[column * STATES + state]!;
        if (share <= 0.001) continue;
        const next = Math.max(bottom - Math.max(Math.round(share * height), 1), 0);
        for (let y = next; y < bottom; y++) this.#cells[y * this.width + column] = state;
        bottom = next;
        if (bottom === 0) break;
      }
      const tick = this.#ticks[column]!;
      if (tick > 0) for (let y = 0; y < height; y++) this.#cells[y * this.width + column] = tick;
    }
  }

  #paint(scale: Scale, top: number, height: number, palette: Palette): void {
    // Patterns move along with what they are on.
    const phase = Math.round(scale.from / scale.nsPerPixel) % PERIOD;
    const first = Math.max(-top, 0);
    const last = Math.min(height, this.height - top);
    for (let y = first; y < last; y++) {
      const cells = y * this.width;
      const pixels = (top + y) * this.width;
      const row = (y & (PERIOD - 1)) * PERIOD;
      for (let x = 0; x < this.width; x++) {
        const pattern = this.#cells[cells + x]! * PERIOD * PERIOD;
        this.#pixels[pixels + x] = palette.patterns[pattern + row + ((x + phase) & (PERIOD - 1))]!;
      }
    }
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
