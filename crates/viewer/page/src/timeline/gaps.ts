// Where data is lost: hatched over all rows, so that nobody takes what is drawn there for what happened.
import { trace, type Gap } from "../api/trace";
import { count } from "../duration";
import type { Span } from "../time_window";
import { AXIS_PX } from "./axis";
import type { Palette } from "./palette";
import type { Scale } from "./raster";

/** Also a gap of no length is seen. */
const NARROWEST_PX = 3;

/** How far apart the lines are. */
const HATCH_PX = 8;

/** The gaps that touch a stretch of time. */
export function seenGaps({ from, to }: Span): readonly Gap[] {
  return (trace.value?.gaps ?? []).filter(({ from_ns, to_ns }) => to_ns >= from && from_ns <= to);
}

/** The gap at a time, or within `slack` of it. */
export function gapAt(at: number, slack: number): Gap | undefined {
  return seenGaps({ from: at - slack, to: at + slack })[0];
}

export function wordsOfGap({ events, is_exact }: Gap): string {
  return `data is lost here, ${is_exact ? "" : "at least "}${count(events)} events`;
}

export function drawGaps(
  canvas: CanvasRenderingContext2D,
  gaps: readonly Gap[],
  scale: Scale,
  palette: Palette,
  { width, height }: { width: number; height: number },
): void {
  const seen = gaps
    .map(({ from_ns, to_ns }) => {
      const left = Math.round((from_ns - scale.from) / scale.nsPerPixel);
      const right = Math.max(Math.round((to_ns - scale.from) / scale.nsPerPixel), left + NARROWEST_PX);
      return { left: Math.max(left, 0), right: Math.min(right, width) };
    })
    .filter(({ left, right }) => right > left);
  if (seen.length === 0) return;
  canvas.save();
  canvas.beginPath();
  for (const { left, right } of seen) canvas.rect(left, AXIS_PX, right - left, height - AXIS_PX);
  canvas.clip();
  canvas.beginPath();
  // Slanted lines over all, of which the gaps are cut out.
  for (let x = 0; x < width + height; x += HATCH_PX) {
    canvas.moveTo(x, AXIS_PX);
    canvas.lineTo(x - height, AXIS_PX + height);
  }
  canvas.strokeStyle = palette.bad;
  canvas.lineWidth = 1.5;
  canvas.stroke();
  canvas.restore();
}
