// How long requests took, over time: a point each, or the longest of each pixel's column; the worst are marked.
import uPlot from "uplot";
import { useMemo } from "preact/hooks";
import { useAnswer } from "../api/answer";
import { shownTime } from "../clock";
import { duration } from "../duration";
import { Name, plainName } from "../name";
import { Plot, type Colours } from "../parts/plot";
import { useStore } from "../store";
import { around, asParameters, restingSpan } from "../time_window";
import { go, linkTo, view, type Change } from "../view";

export interface Point {
  /** `user:5` or `task:7`. */
  id: string;
  task: string | null;
  begin_ns: number;
  ns: number;
}

export interface Scatter {
  names: { name: string; kind: string; count: number; p50_ns: number; p99_ns: number; max_ns: number }[];
  name: string;
  points: Point[];
  worst: Point[];
  total: number;
  /** Of an exported page: the longer stretch that counts and percentiles are of. */
  of?: { from_ns: number; to_ns: number };
}

const HEIGHT_PX = 140;
const COLUMNS = 400;

export function LatencyScatter() {
  const { name } = useStore(view);
  const { from, to } = useStore(restingSpan);
  const answer = useAnswer<Scatter>("scatter", { name, from: Math.floor(from), to: Math.ceil(to), columns: COLUMNS });
  const told = answer.told;
  const points = useMemo(() => [...(told?.points ?? [])].sort((a, b) => a.begin_ns - b.begin_ns), [told]);
  const data = useMemo(() => dataOf(points, told?.worst ?? []), [points]);
  if (answer.error !== null) return <p class="note error">{answer.error}</p>;
  return (
    <section class="latency" aria-label="Latency over time">
      <div class="title">
        <Chooser told={told} />
        <Worst told={told} />
      </div>
      <Plot
        label={`Latency over time of ${plainName(told?.name ?? "requests")}; the worst are listed beside it`}
        height={HEIGHT_PX}
        data={data}
        kind="scatter"
        followsTime
        options={options}
        onPick={(place) => go(changeFor(points[place]!))}
      />
    </section>
  );
}

function Chooser({ told }: { told: Scatter | null }) {
  if (told === null) return <span class="faint">…</span>;
  const group = told.names.find(({ name }) => name === told.name);
  if (group === undefined) return <span class="faint">no requests in this window</span>;
  return (
    <>
      <label>
        latency of{" "}
        <select value={told.name} onChange={(event) => go({ name: event.currentTarget.value })}>
          {told.names.map(({ name, count, kind }) => (
            <option key={`${kind} ${name}`} value={name}>
              {plainName(name.slice(name.lastIndexOf("/") + 1), 60) || "(no name)"} ({count})
            </option>
          ))}
        </select>
      </label>
      <span class="faint">
        p50 {duration(group.p50_ns)}, p99 {duration(group.p99_ns)}, max {duration(group.max_ns)}
        {told.of !== undefined && `, of ${duration(told.of.to_ns - told.of.from_ns)} from ${shownTime(told.of.from_ns)} on`}
      </span>
    </>
  );
}

/** The worst as links: what the points are to a mouse, these are to keys. */
function Worst({ told }: { told: Scatter | null }) {
  useStore(view);
  if (told === null || told.worst.length === 0) return null;
  return (
    <ol class="worst" aria-label="The longest">
      {told.worst.slice(0, 10).map((point) => (
        <li key={`${point.id} ${point.begin_ns}`}>
          <a href={linkTo(changeFor(point))}>
            <strong>{duration(point.ns)}</strong> <Name of={point.id} />
          </a>
        </li>
      ))}
    </ol>
  );
}

/** What shows a request: its time, with its task selected where that is known. */
function changeFor(point: Point): Change {
  const span = around({ from: point.begin_ns, to: point.begin_ns + point.ns }, 0.3);
  return { ...asParameters(span), sel: `${point.task ?? point.id}@${Math.floor(point.begin_ns)}` };
}

function dataOf(points: readonly Point[], worst: readonly Point[]): uPlot.AlignedData {
  const least = worst.at(Math.min(worst.length, 10) - 1)?.ns ?? Number.POSITIVE_INFINITY;
  const durations = points.map(({ ns }) => Math.max(ns, 1));
  return [
    points.map(({ begin_ns }) => begin_ns),
    durations.map((ns) => (ns < least ? ns : null)),
    durations.map((ns) => (ns >= least ? ns : null)),
  ];
}

function options(colours: Colours): Omit<uPlot.Options, "width" | "height"> {
  const points = (variable: string, size: number): uPlot.Series => ({
    paths: () => null,
    stroke: colours(variable),
    points: { show: (plot, series) => drawPoints(plot, series, size, colours(variable)) },
  });
  return {
    legend: { show: false },
    cursor: { show: false },
    padding: [6, 0, 4, 0],
    axes: [
      { show: false },
      {
        stroke: colours("--faint"),
        grid: { stroke: colours("--grid"), width: 1, filter: decades },
        ticks: { show: false },
        size: 0,
        gap: -52,
        font: "10px system-ui, sans-serif",
        space: 28,
        filter: decades,
        values: (_, splits) => splits.map((value) => (value === null ? "" : duration(value))),
      },
    ],
    scales: { y: { distr: 3, range: (_, min, max) => rangeOf(min, max) } },
    series: [{}, points("--running", 4), points("--bad", 7)],
  };
}

/** As squares, which are cheap where there are thousands, and a gesture draws them anew; nothing is left to draw for the chart. */
function drawPoints(plot: uPlot, series: number, size: number, colour: string): false {
  const { ctx: canvas, data } = plot;
  const { min = 0, max = 0 } = plot.scales["x"] ?? {};
  const side = Math.round(size * devicePixelRatio);
  canvas.fillStyle = colour;
  data[0].forEach((x, place) => {
    const y = data[series]?.[place];
    if (y === null || y === undefined || x < (min ?? 0) || x > (max ?? 0)) return;
    const left = Math.round(plot.valToPos(x, "x", true) - side / 2);
    canvas.fillRect(left, Math.round(plot.valToPos(y, "y", true) - side / 2), side, side);
  });
  return false;
}

function decades(_: uPlot, splits: number[]): (number | null)[] {
  return splits.map((value) => (Number.isInteger(Math.log10(value)) ? value : null));
}

/** Whole powers of ten, so that points do not stick to the edges. */
function rangeOf(min: number | null, max: number | null): [number, number] {
  if (min === null || max === null || !(max > 0)) return [1e3, 1e6];
  return [10 ** Math.floor(Math.log10(Math.max(min, 1))), 10 ** Math.ceil(Math.log10(max) + 0.05)];
}
