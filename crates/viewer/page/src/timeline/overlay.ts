// What is drawn over the rows: labels, the selection, what is measured, marks, and the pointer's time.
import { duration } from "../duration";
import type { Interval } from "../selection";
import type { Span } from "../time_window";
import { AXIS_PX } from "./axis";
import type { Labels } from "./labels";
import { LANE_PX, meantPieces, ROW_PX, type Pointer, type ShownRow } from "./row_layout";
import type { Palette } from "./palette";
import type { Scale } from "./raster";
import { firstEndAfter } from "./tile";

/** Narrower intervals have no label. */
export const LABEL_PX = 40;

/** A frame draws no more labels. */
const MOST_LABELS = 600;

const INSET = (ROW_PX - LANE_PX) / 2;

export function drawLabels(
  canvas: CanvasRenderingContext2D,
  rows: readonly ShownRow[],
  scale: Scale,
  palette: Palette,
  labels: Labels,
  width: number,
): void {
  canvas.font = "11px ui-monospace, monospace";
  canvas.textBaseline = "middle";
  canvas.lineJoin = "round";
  const letter = canvas.measureText("0").width;
  const least = LABEL_PX * scale.nsPerPixel;
  let left = MOST_LABELS;
  for (const shown of rows) {
    const { row, top } = shown;
    const drawn = new Set<number>();
    for (const { tile, from, to } of meantPieces(shown)) {
      for (let place = firstEndAfter(tile.end, from); place < tile.begin.length; place++) {
        const begin = tile.begin[place]!;
        const end = tile.end[place]!;
        if (begin >= to || begin >= scale.from + width * scale.nsPerPixel) break;
        if (end - begin < least || drawn.has(tile.index[place]!) || left === 0) continue;
        drawn.add(tile.index[place]!);
        const x = Math.max((begin - scale.from) / scale.nsPerPixel, 0) + 4;
        const room = Math.min((end - scale.from) / scale.nsPerPixel, width) - x - 4;
        const text = labels.of(row.id, tile.label[place]!).slice(0, Math.max(Math.floor(room / letter), 0));
        if (text.length < 2) continue;
        left--;
        drawText(canvas, text, x, top + ROW_PX / 2, palette);
      }
    }
  }
}

/** With a rim, so that it can be read over any pattern. */
function drawText(canvas: CanvasRenderingContext2D, text: string, x: number, y: number, palette: Palette): void {
  canvas.lineWidth = 3;
  canvas.strokeStyle = palette.halo;
  canvas.strokeText(text, x, y);
  canvas.fillStyle = palette.onState;
  canvas.fillText(text, x, y);
}

export function drawSelection(
  canvas: CanvasRenderingContext2D,
  rows: readonly ShownRow[],
  scale: Scale,
  palette: Palette,
  interval: Interval | null,
): void {
  if (interval === null) return;
  const left = (interval.from_ns - scale.from) / scale.nsPerPixel;
  const width = Math.max((interval.to_ns - interval.from_ns) / scale.nsPerPixel, 3);
  for (const { row, top } of rows) {
    const isOwn = row.id === interval.track;
    // The same stretch on other tracks that tell of it.
    if (!isOwn && row.id !== interval.task && row.id !== interval.worker && row.id !== interval.group) continue;
    canvas.strokeStyle = isOwn ? palette.accent : palette.text;
    canvas.lineWidth = isOwn ? 2 : 1;
    canvas.setLineDash(isOwn ? [] : [3, 2]);
    canvas.strokeRect(left - 0.5, top + INSET - 0.5, width + 1, LANE_PX + 1);
  }
  canvas.setLineDash([]);
}

/** What is measured: a stretch of time with its length. */
export function drawRange(canvas: CanvasRenderingContext2D, range: Span, scale: Scale, palette: Palette, height: number): void {
  const left = (range.from - scale.from) / scale.nsPerPixel;
  const right = (range.to - scale.from) / scale.nsPerPixel;
  canvas.globalAlpha = 0.16;
  canvas.fillStyle = palette.accent;
  canvas.fillRect(left, AXIS_PX, right - left, height - AXIS_PX);
  canvas.globalAlpha = 1;
  canvas.strokeStyle = palette.accent;
  canvas.lineWidth = 1;
  canvas.strokeRect(Math.round(left) + 0.5, AXIS_PX + 0.5, Math.round(right - left), height - AXIS_PX - 1);
  canvas.font = "bold 12px system-ui, sans-serif";
  canvas.lineJoin = "round";
  drawText(canvas, duration(range.to - range.from), left + 6, AXIS_PX + 12, palette);
}

export function drawCrosshair(canvas: CanvasRenderingContext2D, pointer: Pointer, palette: Palette, height: number): void {
  canvas.strokeStyle = palette.faint;
  canvas.lineWidth = 1;
  canvas.beginPath();
  canvas.moveTo(Math.round(pointer.x) + 0.5, 0);
  canvas.lineTo(Math.round(pointer.x) + 0.5, height);
  canvas.stroke();
}

export function drawMarks(
  canvas: CanvasRenderingContext2D,
  marks: readonly number[],
  scale: Scale,
  palette: Palette,
  height: number,
): void {
  canvas.fillStyle = palette.accent;
  for (const at of marks) {
    const x = Math.round((at - scale.from) / scale.nsPerPixel);
    canvas.fillRect(x, 0, 2, height);
    canvas.fillRect(x, 0, 9, 7);
  }
}
