// Colours as pixels. A state is told by its colour and by its pattern, so that who sees no colours can tell it, too.
import { STATE_STYLES, type Pattern } from "./state";

/** Patterns repeat after so many pixels, each way. */
export const PERIOD = 8;

/** What rows are drawn in. */
export interface RowColours {
  /** For each state the pixels of one period, row by row. */
  patterns: Uint32Array;
  /** The same column by column. */
  columns: Uint32Array;
  lane: number;
}

/** How much of what a filter does not mean is ground. */
const DIMMED = 0.82;

export interface Palette extends RowColours {
  /** For what a filter does not mean. */
  dimmed: RowColours;
  background: number;
  /** Of ticks, and around them. */
  mark: number;
  rim: number;
  /** Style sheet colours, for strokes and texts. */
  text: string;
  faint: string;
  grid: string;
  accent: string;
  bad: string;
  onState: string;
  halo: string;
}

export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element);
  const variable = (name: string) => style.getPropertyValue(name).trim();
  const lane = pixel(variable("--lane"));
  const patterns = STATE_STYLES.map((state) => patternPixels(state.pattern, pixel(variable(state.variable)), lane));
  const dimmed = patterns.map((pixels) => pixels.map((it) => mixed(it, lane, DIMMED)));
  return {
    ...rowColours(patterns, lane),
    dimmed: rowColours(dimmed, lane),
    background: pixel(variable("--background")),
    mark: pixel(variable("--on-state")),
    rim: pixel(variable("--halo")),
    text: variable("--text"),
    faint: variable("--faint"),
    grid: variable("--grid"),
    accent: variable("--accent"),
    bad: variable("--bad"),
    onState: variable("--on-state"),
    halo: variable("--halo"),
  };
}

function rowColours(patterns: readonly number[][], lane: number): RowColours {
  return {
    patterns: Uint32Array.from(patterns.flat()),
    columns: Uint32Array.from(patterns.flatMap(turned)),
    lane,
  };
}

/** Whether the pattern leaves the ground free at a pixel; by how much, for what is half covered. */
function gap(pattern: Pattern, x: number, y: number): number {
  switch (pattern) {
    case "solid":
      return 0;
    case "slanted":
      return (x + y) % 4 === 0 ? 0.55 : 0;
    case "lines":
      return y % 4 === 0 ? 0 : 0.45;
    case "upright":
      return x % 4 === 0 ? 0.6 : 0;
    case "dots":
      return x % 4 === 0 && y % 4 === 0 ? 0 : 0.7;
    case "none":
      return 1;
  }
}

function patternPixels(pattern: Pattern, colour: number, ground: number): number[] {
  const places = Array.from({ length: PERIOD * PERIOD }, (_, place) => place);
  return places.map((place) => mixed(colour, ground, gap(pattern, place % PERIOD, Math.floor(place / PERIOD))));
}

/** Columns for rows. */
function turned(pixels: number[]): number[] {
  return pixels.map((_, place) => pixels[(place % PERIOD) * PERIOD + Math.floor(place / PERIOD)]!);
}

function mixed(a: number, b: number, share: number): number {
  let result = 0xff000000;
  for (const shift of [0, 8, 16]) {
    const channel = ((a >> shift) & 255) * (1 - share) + ((b >> shift) & 255) * share;
    result |= Math.round(channel) << shift;
  }
  return result >>> 0;
}

/** `#rrggbb` as a little-endian pixel. */
function pixel(colour: string): number {
  const digits = /^#([0-9a-f]{6})$/i.exec(colour)?.[1] ?? "808080";
  const rgb = Number.parseInt(digits, 16);
  return (0xff000000 | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
}
