// Where rows stand on the canvas.
import type { Row } from "./rows";
import type { Piece } from "./tile_cache";

export const ROW_PX = 22;
export const LANE_PX = 18;

/** How high the ticks of samples are, at the foot of a lane. */
export const SAMPLE_PX = 7;

/** A row that is seen, with what there is to draw of it. */
export interface ShownRow {
  row: Row;
  /** Where its lane begins, in pixels of the page. */
  top: number;
  /** Whether it stays when the others are scrolled. */
  isPinned: boolean;
  pieces: Piece[];
  /** What a filter leaves of that; null without one. */
  meant: Piece[] | null;
}

/** What of a row is not dimmed. */
export function meantPieces({ pieces, meant }: ShownRow): readonly Piece[] {
  return meant ?? pieces;
}

export interface Pointer {
  x: number;
  y: number;
}
