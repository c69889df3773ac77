// Tiles that were asked for, up to a number of bytes; those that were drawn last stay.
import { tileSpan, TOP_LEVEL, type Tile } from "./tile";
import type { Span } from "../time_window";

/** A screen of 60 tracks has about two megabytes. */
const MOST_BYTES = 24 << 20;

/** How many levels away a tile may be to stand in for one that is not there yet. */
const COARSER = 12;
const FINER = 2;

/** A tile and the stretch of it that is to be drawn. */
export interface Piece extends Span {
  tile: Tile;
}

export class TileCache {
  // A map keeps its entries in the order in which they were put in: the first is the one that was not drawn for longest.
  readonly #tiles = new Map<string, Tile>();
  #bytes = 0;

  has(track: string, level: number, index: number, revision: number): boolean {
    return this.#tiles.get(key(track, level, index))?.revision === revision;
  }

  put(track: string, level: number, index: number, tile: Tile): void {
    const name = key(track, level, index);
    this.#bytes += tile.bytes - (this.#tiles.get(name)?.bytes ?? 0);
    this.#tiles.delete(name);
    this.#tiles.set(name, tile);
    for (const [oldest, old] of this.#tiles) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#tiles.delete(oldest);
      this.#bytes -= old.bytes;
    }
  }

  /** What there is to draw of a track in one tile's stretch: the tile, or what can stand in for it. */
  pieces(track: string, level: number, index: number, into: Piece[]): void {
    const length = tileSpan(level);
    const span = { from: index * length, to: (index + 1) * length };
    const exact = this.#use(track, level, index);
    if (exact !== undefined) {
      into.push({ tile: exact, ...span });
      return;
    }
    for (let up = 1; up <= COARSER && level + up <= TOP_LEVEL; up++) {
      const coarser = this.#use(track, level + up, Math.floor(index / 2 ** up));
      if (coarser !== undefined) {
        into.push({ tile: coarser, ...span });
        return;
      }
    }
    this.#finer(track, level, index, Math.min(FINER, level), into);
  }

  #finer(track: string, level: number, index: number, depth: number, into: Piece[]): void {
    if (depth === 0) return;
    for (const child of [index * 2, index * 2 + 1]) {
      const tile = this.#use(track, level - 1, child);
      if (tile === undefined) this.#finer(track, level - 1, child, depth - 1, into);
      else into.push({ tile, from: tile.from, to: tile.to });
    }
  }

  #use(track: string, level: number, index: number): Tile | undefined {
    const name = key(track, level, index);
    const tile = this.#tiles.get(name);
    if (tile !== undefined) {
      this.#tiles.delete(name);
      this.#tiles.set(name, tile);
    }
    return tile;
  }
}

function key(track: string, level: number, index: number): string {
  return `${track} ${level} ${index}`;
}
