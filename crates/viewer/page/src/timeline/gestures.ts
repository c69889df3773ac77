// Wheel and pointer on the timeline: pan, zoom, choose, measure.
import { glide, liveSpan, type Span } from "../time_window";

/** A press that moves less is a click. */
const CLICK_PX = 4;

export interface Gestured {
  /** How wide the canvas is. */
  width(): number;
  scrollBy(pixels: number): void;
  canScroll(): boolean;
  hover(x: number, y: number): void;
  leave(): void;
  click(x: number, y: number): void;
  doubleClick(x: number, y: number): void;
  /** A stretch is measured; `isDone` when it is let go. */
  measure(range: Span, isDone: boolean): void;
}

/** Zooms by a factor, so that what is at `share` of the width stays there. */
export function zoom(factor: number, share = 0.5): void {
  const { from, to } = liveSpan.value;
  const at = from + (to - from) * share;
  glide({ from: at - (at - from) * factor, to: at + (to - at) * factor });
}

/** Pans by a share of the window. */
export function pan(share: number): void {
  const { from, to } = liveSpan.value;
  const by = (to - from) * share;
  glide({ from: from + by, to: to + by });
}

/** Follows gestures on `element`, whose canvas begins at `left` of it, until what it returns is called. */
export function followGestures(element: HTMLElement, canvas: HTMLElement, gestured: Gestured): () => void {
  const abort = new AbortController();
  const options = { signal: abort.signal };
  element.addEventListener("wheel", (event) => onWheel(event, canvas, gestured), { ...options, passive: false });
  canvas.addEventListener("pointerdown", (event) => onPress(event, canvas, gestured), options);
  canvas.addEventListener("pointermove", (event) => gestured.hover(event.offsetX, event.offsetY), options);
  canvas.addEventListener("pointerleave", () => gestured.leave(), options);
  canvas.addEventListener("dblclick", (event) => gestured.doubleClick(event.offsetX, event.offsetY), options);
  return () => abort.abort();
}

function onWheel(event: WheelEvent, canvas: HTMLElement, gestured: Gestured): void {
  // Lines and pages of those browsers that do not tell pixels.
  const unit = event.deltaMode === 0 ? 1 : event.deltaMode === 1 ? 16 : 400;
  const share = (event.clientX - canvas.getBoundingClientRect().left) / gestured.width();
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    zoom(Math.exp((event.deltaY * unit) / 400), Math.min(Math.max(share, 0), 1));
    return;
  }
  const isAside = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
  if (isAside || !gestured.canScroll()) {
    event.preventDefault();
    pan(((event.deltaX || event.deltaY) * unit) / gestured.width());
  }
}

function onPress(press: PointerEvent, canvas: HTMLElement, gestured: Gestured): void {
  if (press.button !== 0) return;
  const begin = { x: press.offsetX, y: press.offsetY, span: liveSpan.value };
  const isMeasuring = press.shiftKey;
  let lastY = press.clientY;
  let hasMoved = false;
  canvas.setPointerCapture(press.pointerId);
  const abort = new AbortController();
  const nsPerPixel = (begin.span.to - begin.span.from) / gestured.width();
  const rangeTo = (x: number): Span => {
    const ends = [begin.x, x].map((end) => begin.span.from + end * nsPerPixel);
    return { from: Math.min(...ends), to: Math.max(...ends) };
  };
  const move = (event: PointerEvent) => {
    const x = event.offsetX;
    hasMoved ||= Math.abs(x - begin.x) > CLICK_PX || Math.abs(event.offsetY - begin.y) > CLICK_PX;
    if (!hasMoved) return;
    if (isMeasuring) {
      gestured.measure(rangeTo(x), false);
      return;
    }
    const by = (begin.x - x) * nsPerPixel;
    glide({ from: begin.span.from + by, to: begin.span.to + by });
    gestured.scrollBy(lastY - event.clientY);
    lastY = event.clientY;
  };
  const release = (event: PointerEvent) => {
    abort.abort();
    if (!hasMoved) gestured.click(event.offsetX, event.offsetY);
    else if (isMeasuring) gestured.measure(rangeTo(event.offsetX), true);
  };
  canvas.addEventListener("pointermove", move, { signal: abort.signal });
  canvas.addEventListener("pointerup", release, { signal: abort.signal });
  canvas.addEventListener("pointercancel", () => abort.abort(), { signal: abort.signal });
}
