// The canvas of the timeline: draws a frame when something changed, and asks for what it lacks.
import { trace } from "../api/trace";
import { selected, type Interval } from "../selection";
import { Store } from "../store";
import { liveSpan, parseRange, restingSpan, type Span } from "../time_window";
import { view } from "../view";
import { chain } from "../why";
import { drawChain, drawWaker } from "./arrows";
import { AXIS_PX, drawAxis } from "./axis";
import { drawGaps } from "./gaps";
import { Labels } from "./labels";
import { marks } from "./marks";
import { drawCrosshair, drawLabels, drawMarks, drawRange, drawSelection } from "./overlay";
import { readPalette, type Palette } from "./palette";
import { headPx, pinnedRows } from "./pinned";
import { Raster, type Scale } from "./raster";
import { LANE_PX, ROW_PX, SAMPLE_PX, type Pointer, type ShownRow } from "./row_layout";
import type { Row } from "./rows";
import { levelOf, tilesOf } from "./tile";
import { Samples } from "./samples";
import { TileCache, type Piece } from "./tile_cache";
import { TileLoader } from "./tile_loader";

/** The number of the last frame that was drawn of exact tiles alone, of a window that rests: what follows the canvas listens to it. */
export const framesDone = new Store(0);

export class Painter {
  rows: readonly Row[] = [];
  scrollTop = 0;
  pointer: Pointer | null = null;
  /** What is being measured, while it is dragged. */
  range: Span | null = null;
  shown: readonly ShownRow[] = [];

  readonly #cache = new TileCache();
  readonly labels = new Labels(() => this.schedule());
  readonly samples = new Samples(() => this.schedule());
  readonly #loader = new TileLoader(this.#cache, () => this.schedule());
  /** The same of what a filter leaves. */
  #meant: TileLoader | null = null;
  readonly #context: CanvasRenderingContext2D;
  #raster = new Raster(1, 1);
  #palette: Palette;
  #frame = 0;
  #frames = 0;
  #width = 1;
  #height = 1;
  #ratio = 1;

  constructor(readonly canvas: HTMLCanvasElement) {
    const context = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
    if (context === null) throw new Error("This browser has no canvas.");
    this.#context = context;
    this.#palette = readPalette(canvas);
  }

  get width(): number {
    return this.#width;
  }

  get scale(): Scale {
    const { from, to } = liveSpan.value;
    return { from, nsPerPixel: (to - from) / this.#width };
  }

  /** Draws what a filter leaves, and all else dimmed. */
  filter(where: string | undefined): void {
    if (where === this.#meant?.where) return;
    this.#meant = where === undefined ? null : new TileLoader(new TileCache(), () => this.schedule(), where);
    this.schedule();
  }

  /** Draws at the next frame. */
  schedule(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
  }

  resize(width: number, height: number): void {
    this.#ratio = Math.min(devicePixelRatio, 2);
    this.#width = Math.max(Math.floor(width), 1);
    this.#height = Math.max(Math.floor(height), 1);
    this.canvas.width = this.#width * this.#ratio;
    this.canvas.height = this.#height * this.#ratio;
    this.#raster = new Raster(this.canvas.width, this.canvas.height);
    this.schedule();
  }

  repaint(): void {
    this.#palette = readPalette(this.canvas);
    this.schedule();
  }

  /** The row at a height of the canvas. */
  rowAt(y: number): ShownRow | undefined {
    return this.shown.find(({ top, isPinned }) => y >= top && y < top + ROW_PX && (isPinned || y >= headPx()));
  }

  #draw(): void {
    const told = trace.value;
    if (told === null) return;
    const scale = this.scale;
    const level = levelOf(scale.nsPerPixel);
    this.shown = this.#visibleRows(level);
    const isResting = liveSpan.value === restingSpan.value;
    const tracks = this.shown.map(({ row }) => row.id);
    // What is beside the window is asked for once it stays as it is.
    const isStill = isResting && told.state !== "reading";
    const wants = [this.#loader, this.#meant].map((it) => it?.want(tracks, liveSpan.value, level, told.revision, isStill));
    const isComplete = !wants.includes(false);
    if (isResting && told.samples + told.logs > 0) this.samples.want(tracks, liveSpan.value, this.#width, told.revision);
    this.#paintRows(scale);
    this.#paintOver(scale);
    this.#frames += 1;
    // Tests wait for the table of what is seen to be about the newest frame.
    this.canvas.dataset["frame"] = `${this.#frames}`;
    if (isComplete && isResting) framesDone.set(this.#frames);
  }

  #visibleRows(level: number): ShownRow[] {
    const first = Math.floor(this.scrollTop / ROW_PX);
    const head = headPx();
    const last = Math.min(Math.ceil((this.scrollTop + this.#height - head) / ROW_PX), this.rows.length);
    const rows = this.rows.slice(first, last).map((row, place) => ({
      row,
      top: head + (first + place) * ROW_PX - this.scrollTop,
      isPinned: false,
      ...this.#piecesOf(row, level),
    }));
    const pinned = pinnedRows().map((row, place) => ({
      row,
      top: AXIS_PX + place * ROW_PX,
      isPinned: true,
      ...this.#piecesOf(row, level),
    }));
    return [...pinned, ...rows];
  }

  #piecesOf(row: Row, level: number): Pick<ShownRow, "pieces" | "meant"> {
    const tiles = tilesOf(liveSpan.value, level);
    const of = (cache: TileCache) => {
      const pieces: Piece[] = [];
      for (let index = tiles.first; index <= tiles.last; index++) cache.pieces(row.id, level, index, pieces);
      return pieces;
    };
    return { pieces: of(this.#cache), meant: this.#meant === null ? null : of(this.#meant.cache) };
  }

  #paintRows(scale: Scale): void {
    const ratio = this.#ratio;
    const fine = { from: scale.from, nsPerPixel: scale.nsPerPixel / ratio };
    const paint = ({ row, top, pieces, meant }: ShownRow) => {
      const lane = Math.round((top + (ROW_PX - LANE_PX) / 2) * ratio);
      if (meant === null) this.#raster.row(pieces, fine, lane, LANE_PX * ratio, this.#palette);
      else this.#raster.filteredRow(pieces, meant, fine, lane, LANE_PX * ratio, this.#palette);
      const ticks = { width: ratio, height: SAMPLE_PX * ratio, foot: lane + LANE_PX * ratio };
      this.#raster.ticks(this.samples.timesOf(row.id), fine, ticks, this.#palette);
      // What was logged hangs from the head of the lane.
      const hanging = { ...ticks, foot: lane + ticks.height };
      this.#raster.ticks(this.samples.logTimesOf(row.id), fine, hanging, this.#palette);
    };
    this.#raster.clear(this.#palette);
    this.shown.filter(({ isPinned }) => !isPinned).forEach(paint);
    // Rows that are half scrolled away go below the head.
    this.#raster.clear(this.#palette, headPx() * ratio);
    this.shown.filter(({ isPinned }) => isPinned).forEach(paint);
    this.#context.putImageData(this.#raster.image, 0, 0);
  }

  #paintOver(scale: Scale): void {
    const canvas = this.#context;
    const palette = this.#palette;
    const { interval } = selected.value;
    canvas.save();
    canvas.scale(this.#ratio, this.#ratio);
    drawGaps(canvas, trace.value?.gaps ?? [], scale, palette, { width: this.#width, height: this.#height });
    const head = headPx();
    const pinned = this.shown.filter(({ isPinned }) => isPinned);
    const scrolled = this.shown.filter(({ isPinned }) => !isPinned);
    this.#paintOverRows(scale, pinned, interval);
    canvas.save();
    canvas.beginPath();
    canvas.rect(0, head, this.#width, this.#height - head);
    canvas.clip();
    this.#paintOverRows(scale, scrolled, interval);
    canvas.restore();
    const links = chain();
    if (links.length > 0) drawChain(canvas, pinned, scale, palette, links);
    else drawWaker(canvas, this.shown, scale, palette, interval);
    const range = this.range ?? parseRange(view.value.range);
    if (range !== null) drawRange(canvas, range, scale, palette, this.#height);
    drawMarks(canvas, marks(), scale, palette, this.#height);
    drawAxis(canvas, scale, palette, this.#width, this.#height);
    if (this.pointer !== null) drawCrosshair(canvas, this.pointer, palette, this.#height);
    canvas.restore();
  }

  #paintOverRows(scale: Scale, rows: readonly ShownRow[], interval: Interval | null): void {
    drawLabels(this.#context, rows, scale, this.#palette, this.labels, this.#width);
    drawSelection(this.#context, rows, scale, this.#palette, interval);
  }
}
