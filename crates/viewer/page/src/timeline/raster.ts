// Draws rows of a timeline into pixels. Long intervals are filled to the pixel; what is shorter adds up to shares of a pixel's
// column, which are stacked. Writing pixels is an order of magnitude cheaper than filling rectangles where there are many.
import { STATES } from "../api/runs";
import { PERIOD, type Palette, type RowColours } from "./palette";
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

/** Where a row stands in the picture, and how much of its height is seen. */
interface Place {
  top: number;
  height: number;
  first: number;
  last: number;
  /** Patterns move along with what they are on. */
  phase: number;
}

/** How large ticks are, and on which line of the picture they stand. */
interface Ticks {
  width: number;
  height: number;
  foot: number;
}

export class Raster {
  readonly image: ImageData;
  readonly #pixels: Uint32Array;
  /** For each column how much of it each state has. */
  readonly #shares: Float32Array;
  readonly #ticks: Uint8Array;
  /** Which columns have a share of anything. */
  readonly #isShared: Uint8Array;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.image = new ImageData(width, height);
    this.#pixels = new Uint32Array(this.image.data.buffer);
    this.#shares = new Float32Array(width * STATES);
    this.#ticks = new Uint8Array(width);
    this.#isShared = new Uint8Array(width);
  }

  /** Clears all from the top down to `bottom`. */
  clear(palette: Palette, bottom = this.height): void {
    this.#pixels.fill(palette.background, 0, Math.min(bottom, this.height) * this.width);
  }

  /** Draws what the pieces of one track tell, from `top` on, `height` pixels high. */
  row(pieces: readonly Piece[], scale: Scale, top: number, height: number, colours: RowColours): void {
    const place = this.#place(scale, top, height);
    this.#ground(place, colours);
    this.#over(pieces, scale, place, colours, ceilingOf(pieces));
  }

  /** The same with what a filter does not mean dimmed. */
  filteredRow(pieces: readonly Piece[], meant: readonly Piece[], scale: Scale, top: number, height: number, palette: Palette): void {
    this.row(pieces, scale, top, height, palette.dimmed);
    this.#over(meant, scale, this.#place(scale, top, height), palette, ceilingOf(pieces));
  }

  #place(scale: Scale, top: number, height: number): Place {
    const phase = Math.round(scale.from / scale.nsPerPixel) % PERIOD;
    return { top, height, first: Math.max(-top, 0), last: Math.min(height, this.height - top), phase };
  }

  #over(pieces: readonly Piece[], scale: Scale, place: Place, colours: RowColours, ceiling: number): void {
    this.#shares.fill(0);
    this.#ticks.fill(0);
    this.#isShared.fill(0);
    for (const piece of pieces) this.#mixes(piece, scale, piece.tile.full / ceiling / 255);
    for (const piece of pieces) this.#shortIntervals(piece, scale);
    this.#stack(place, colours);
    for (const piece of pieces) this.#longIntervals(piece, scale, place, colours);
    this.#outliers(place, colours);
  }

  /** A tick that stands on `foot` for each time that is seen, with a rim: times rise, and there may be one for each pixel. */
  ticks(times: Float64Array, scale: Scale, { width, height, foot }: Ticks, palette: Palette): void {
    const end = scale.from + this.width * scale.nsPerPixel;
    let last = -1;
    for (let place = firstAtLeast(times, scale.from); place < times.length && times[place]! < end; place++) {
      const column = Math.round((times[place]! - scale.from) / scale.nsPerPixel);
      if (column === last) continue;
      last = column;
      this.#box(column - width, foot - height, column + 2 * width, foot, palette.rim);
      this.#box(column, foot - height + width, column + width, foot, palette.mark);
    }
  }

  #mixes(piece: Piece, scale: Scale, unit: number): void {
    const { from: origin, bucketNs, bucket: buckets, share: told } = piece.tile;
    const begin = Math.max(piece.from, scale.from);
    const end = Math.min(piece.to, scale.from + this.width * scale.nsPerPixel);
    const width = bucketNs / scale.nsPerPixel;
    const start = (origin - scale.from) / scale.nsPerPixel;
    const last = firstAtLeast(buckets, Math.ceil((end - origin) / bucketNs));
    for (let mix = firstAtLeast(buckets, Math.floor((begin - origin) / bucketNs)); mix < last; mix++) {
      const left = start + buckets[mix]! * width;
      const column = Math.floor(left);
      // Most buckets are narrower than a pixel, and inside of one.
      if (column >= 0 && left + width <= column + 1 && column < this.width) this.#addInside(column, told, mix, unit * width);
      else {
        for (let state = 1; state < STATES; state++) {
          const share = told[mix * STATES + state]!;
          if (share > 0) this.#add(left, left + width, state, share * unit);
        }
      }
      const tick = outlier(piece.tile, mix);
      if (tick > 0 && column >= 0 && column < this.width) this.#ticks[column] = tick;
    }
  }

  /** Adds all states of a mix to a column, without a look at which there are: a wrong guess of the processor costs more than that. */
  #addInside(column: number, told: Uint8Array, mix: number, factor: number): void {
    const shares = this.#shares;
    const to = column * STATES;
    const from = mix * STATES;
    this.#isShared[column] = 1;
    for (let state = 1; state < STATES; state++) shares[to + state]! += told[from + state]! * factor;
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

  #longIntervals(piece: Piece, scale: Scale, place: Place, colours: RowColours): void {
    const { tile } = piece;
    const least = BY_ITSELF_PX * scale.nsPerPixel;
    this.#each(piece, scale, (number, begin, end) => {
      if (tile.end[number]! - tile.begin[number]! < least) return;
      const left = Math.max(Math.round((begin - scale.from) / scale.nsPerPixel), 0);
      let right = Math.round((end - scale.from) / scale.nsPerPixel);
      // A gap shows where one ends and the next begins.
      if (end === tile.end[number] && right - left > BY_ITSELF_PX) right -= 1;
      this.#block(left, Math.min(right, this.width), tile.state[number]!, place, colours);
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
      this.#isShared[column] = 1;
      this.#shares[column * STATES + state]! += covered * share;
    }
  }

  #ground({ top, first, last }: Place, colours: RowColours): void {
    if (last > first) this.#pixels.fill(colours.lane, (top + first) * this.width, (top + last) * this.width);
  }

  /** Turns shares into heights, one state upon the other. */
  #stack(place: Place, colours: RowColours): void {
    const { height } = place;
    for (let column = 0; column < this.width; column++) {
      if (this.#isShared[column] === 0) continue;
      let bottom = height;
      for (let order = 0; order < STACKED.length && bottom > 0; order++) {
        const state = STACKED[order]!;
        const share = this.#shares[column * STATES + state]!;
        if (share <= 0.001) continue;
        const next = Math.max(bottom - Math.max(Math.round(share * height), 1), 0);
        this.#bar(column, next, bottom, state, place, colours);
        bottom = next;
      }
    }
  }

  /** What stands out is seen whatever is beside it, also if it takes no time. */
  #outliers(place: Place, colours: RowColours): void {
    for (let column = 0; column < this.width; column++) {
      const tick = this.#ticks[column]!;
      if (tick > 0) this.#bar(column, 0, place.height, tick, place, colours);
    }
  }

  /** A piece of one column, from one height of its row to another. */
  #bar(column: number, from: number, to: number, state: number, { top, first, last, phase }: Place, colours: RowColours): void {
    const pixels = this.#pixels;
    const { columns } = colours;
    const pattern = (state * PERIOD + ((column + phase) & (PERIOD - 1))) * PERIOD;
    const end = Math.min(to, last);
    for (let y = Math.max(from, first), at = (top + y) * this.width + column; y < end; y++, at += this.width) {
      pixels[at] = columns[pattern + (y & (PERIOD - 1))]!;
    }
  }

  /** One colour, as far as it is inside of the picture. */
  #box(left: number, top: number, right: number, bottom: number, pixel: number): void {
    const begin = Math.max(left, 0);
    const end = Math.min(right, this.width);
    for (let y = Math.max(top, 0); y < Math.min(bottom, this.height); y++) {
      for (let x = begin; x < end; x++) this.#pixels[y * this.width + x] = pixel;
    }
  }

  /** A stretch of the whole row. */
  #block(left: number, right: number, state: number, { top, first, last, phase }: Place, colours: RowColours): void {
    const pixels = this.#pixels;
    const { patterns } = colours;
    for (let y = first; y < last; y++) {
      const line = (top + y) * this.width;
      const pattern = (state * PERIOD + (y & (PERIOD - 1))) * PERIOD;
      for (let x = left; x < right; x++) pixels[line + x] = patterns[pattern + ((x + phase) & (PERIOD - 1))]!;
    }
  }
}

/** Of a group's tiles each has a height of its own; the highest that is seen counts. */
function ceilingOf(pieces: readonly Piece[]): number {
  return pieces.reduce((most, { tile }) => Math.max(most, tile.full), 1e-9);
}

/** The state to mark a mix with: of its longest interval, if that stands out, or if nothing else would be seen. */
function outlier({ count, longest, longestState, share, bucketNs }: Tile, mix: number): number {
  const intervals = count[mix]!;
  const most = longest[mix]!;
  const state = longestState[mix]! || RUNNING;
  // What takes no time has no share.
  if (most === 0) return intervals > 0 ? state : 0;
  // Few of all are so long: the rest is not looked at for the others.
  if (intervals < OUTLIER || most <= bucketNs / 4) return 0;
  let told = 0;
  for (let place = 1; place < STATES; place++) told += share[mix * STATES + place]!;
  const mean = ((told / 255) * bucketNs) / intervals;
  return most > mean * OUTLIER ? state : 0;
}
