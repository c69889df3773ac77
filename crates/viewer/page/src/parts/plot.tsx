// A chart by uPlot, which lives in the page as long as the component does.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { liveSpan, restingSpan } from "../time_window";

/** Colours of the style sheet by their variable. */
export type Colours = (variable: string) => string;

export interface PlotProps {
  /** What the chart says, in words. */
  label: string;
  height: number;
  data: uPlot.AlignedData;
  /** Size and time axis are added; made anew when `kind` changes, or the theme. */
  options: (colours: Colours) => Omit<uPlot.Options, "width" | "height">;
  kind: string;
  /** Whether its axis is the timeline's, and moves with it. */
  followsTime?: boolean;
  /** Called at a click, with what is nearest to it: its place in the data. */
  onPick?: (place: number) => void;
}

/** Charts cost more than each frame has to spare: they follow a gesture so often. */
const REDRAW_MS = 60;

/** How far from a point a click may be. */
const PICK_PX = 20;

export function Plot({ label, height, data, options, kind, followsTime = false, onPick }: PlotProps) {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef({ data, onPick });
  latest.current = { data, onPick };
  useEffect(() => {
    const element = holder.current!;
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const make = () => {
      plot.current?.destroy();
      const style = getComputedStyle(element);
      const made = options((name) => style.getPropertyValue(name).trim());
      const size = { width: Math.max(element.clientWidth, 10), height };
      plot.current = new uPlot({ ...made, ...size, scales: withTime(made.scales, followsTime) }, latest.current.data, element);
      plot.current.over.addEventListener("click", (event) => pick(plot.current!, event, latest.current.onPick));
    };
    make();
    const resize = new ResizeObserver(() => plot.current?.setSize({ width: Math.max(element.clientWidth, 10), height }));
    resize.observe(element);
    dark.addEventListener("change", make);
    const ends = followsTime ? [follow(() => plot.current)] : [];
    return () => {
      ends.forEach((end) => end());
      resize.disconnect();
      dark.removeEventListener("change", make);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [kind, height, followsTime]);
  useEffect(() => plot.current?.setData(data), [data]);
  return <div class="plot" ref={holder} role="img" aria-label={label} />;
}

/** Keeps a chart at the window of the timeline. */
function follow(chart: () => uPlot | null): () => void {
  let drawn = 0;
  const redraw = () => {
    const { from, to } = liveSpan.value;
    drawn = performance.now();
    chart()?.setScale("x", { min: from, max: to });
  };
  const move = () => {
    if (performance.now() - drawn > REDRAW_MS) redraw();
  };
  const ends = [liveSpan.subscribe(move), restingSpan.subscribe(redraw)];
  return () => ends.forEach((end) => end());
}

function withTime(scales: uPlot.Scales | undefined, followsTime: boolean): uPlot.Scales {
  const time: uPlot.Scale = followsTime
    ? { time: false, range: () => [liveSpan.value.from, liveSpan.value.to] }
    : { time: false };
  return { ...scales, x: { ...time, ...scales?.x } };
}

function pick(plot: uPlot, event: MouseEvent, onPick: ((place: number) => void) | undefined): void {
  if (onPick === undefined) return;
  const [xs, ...series] = plot.data;
  let best = { place: -1, distance: PICK_PX };
  xs.forEach((x, place) => {
    for (const values of series) {
      const y = values?.[place];
      if (y === null || y === undefined) continue;
      const distance = Math.hypot(plot.valToPos(x, "x") - event.offsetX, plot.valToPos(y, "y") - event.offsetY);
      if (distance < best.distance) best = { place, distance };
    }
  });
  if (best.place >= 0) onPick(best.place);
}
