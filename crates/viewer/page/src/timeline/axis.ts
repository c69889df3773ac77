// The axis of time: where its ticks are, and what they say.
import { shownTime } from "../clock";
import type { Palette } from "./palette";
import type { Scale } from "./raster";

export const AXIS_PX = 20;

/** Ticks are so far apart at least. */
const APART_PX = 120;

/** The least of 1, 2 and 5 times a power of ten that is not below. */
export function tickStep(least_ns: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least_ns, 1)));
  return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least_ns) ?? power * 10;
}

/** Draws lines over the whole height, and their times on top. */
export function drawAxis(canvas: CanvasRenderingContext2D, scale: Scale, palette: Palette, width: number, height: number): void {
  const step = tickStep(APART_PX * scale.nsPerPixel);
  canvas.font = "11px system-ui, sans-serif";
  canvas.textBaseline = "middle";
  canvas.strokeStyle = palette.grid;
  canvas.lineWidth = 1;
  canvas.beginPath();
  for (let at = Math.ceil(scale.from / step) * step; at < scale.from + width * scale.nsPerPixel; at += step) {
    const x = Math.round((at - scale.from) / scale.nsPerPixel) + 0.5;
    canvas.moveTo(x, 0);
    canvas.lineTo(x, height);
    canvas.fillStyle = palette.faint;
    canvas.fillText(shownTime(at, step), x + 4, AXIS_PX / 2);
  }
  canvas.stroke();
}
