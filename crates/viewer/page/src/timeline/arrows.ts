// Arrows from who ended a wait, to its end: of the selected interval, and of the whole chain once it is asked for.
import type { Interval } from "../selection";
import type { ChainLink } from "../why";
import { AXIS_PX } from "./axis";
import { LANE_PX, ROW_PX, type ShownRow } from "./row_layout";
import type { Palette } from "./palette";
import type { Scale } from "./raster";

/** Who ended the selected wait; from the top, where there is no row for it. */
export function drawWaker(
  canvas: CanvasRenderingContext2D,
  rows: readonly ShownRow[],
  scale: Scale,
  palette: Palette,
  interval: Interval | null,
): void {
  const waker = interval?.waker;
  if (interval === null || !waker) return;
  const to = rows.find(({ row }) => row.id === interval.track);
  if (to === undefined) return;
  const from = rows.find(({ row }) => row.id === waker.worker || row.id === waker.task);
  const x = (waker.at_ns - scale.from) / scale.nsPerPixel;
  drawArrow(canvas, x, from === undefined ? AXIS_PX + 2 : middle(from), middle(to), palette);
}

/** Who waited for whom: each wait is framed, and an arrow comes from the one who ended it. */
export function drawChain(
  canvas: CanvasRenderingContext2D,
  pinned: readonly ShownRow[],
  scale: Scale,
  palette: Palette,
  links: readonly ChainLink[],
): void {
  for (const link of links) {
    const to = pinned.find(({ row }) => row.id === link.task);
    if (to === undefined) continue;
    const left = (link.begin_ns - scale.from) / scale.nsPerPixel;
    const right = (link.end_ns - scale.from) / scale.nsPerPixel;
    canvas.strokeStyle = palette.accent;
    canvas.lineWidth = 1;
    canvas.setLineDash([3, 2]);
    canvas.strokeRect(left - 0.5, to.top + (ROW_PX - LANE_PX) / 2 - 0.5, Math.max(right - left, 3) + 1, LANE_PX + 1);
    canvas.setLineDash([]);
    const from = pinned.find(({ row }) => row.id === link.woken_by);
    if (from !== undefined) drawArrow(canvas, right, middle(from), middle(to), palette);
  }
}

function middle({ top }: ShownRow): number {
  return top + ROW_PX / 2;
}

function drawArrow(canvas: CanvasRenderingContext2D, x: number, from: number, to: number, palette: Palette): void {
  if (from === to) return;
  canvas.strokeStyle = palette.accent;
  canvas.fillStyle = palette.accent;
  canvas.lineWidth = 1.5;
  canvas.beginPath();
  canvas.moveTo(x, from);
  canvas.lineTo(x, to);
  canvas.stroke();
  const point = to > from ? -6 : 6;
  canvas.beginPath();
  canvas.moveTo(x, to);
  canvas.lineTo(x - 4, to + point);
  canvas.lineTo(x + 4, to + point);
  canvas.fill();
  canvas.beginPath();
  canvas.arc(x, from, 3, 0, 2 * Math.PI);
  canvas.fill();
}
