// The heap over time, and the goal of the collector.
import type uPlot from "uplot";
import { useMemo } from "preact/hooks";
import type { GcReport } from "../api/reports";
import { shownTime } from "../clock";
import { size } from "../duration";
import { Plot, type Colours } from "../parts/plot";

type Heap = NonNullable<GcReport["heap"]>;

export function HeapCurve({ heap }: { heap: Heap }) {
  const data = useMemo<uPlot.AlignedData>(
    () => [
      heap.points.map((_, place) => heap.begin_ns + place * heap.point_ns),
      heap.points.map((point) => point.live_bytes_max),
      heap.points.map((point) => point.goal_bytes),
    ],
    [heap],
  );
  const most = heap.points.reduce((max, point) => Math.max(max, point.live_bytes_max ?? 0), 0);
  return (
    <section aria-label="Heap over time">
      <h2>
        heap, at most {size(most)}; <span class="faint">the goal as a line</span>
      </h2>
      <Plot label={`The heap over time, at most ${size(most)}`} height={140} data={data} kind="heap" options={options} />
    </section>
  );
}

function options(colours: Colours): Omit<uPlot.Options, "width" | "height"> {
  const axis = { stroke: colours("--faint"), grid: { stroke: colours("--grid"), width: 1 }, font: "10px system-ui, sans-serif" };
  return {
    legend: { show: false },
    cursor: { show: false },
    axes: [
      { ...axis, values: (_, splits) => splits.map((value) => shownTime(value, 1e6)) },
      { ...axis, size: 70, values: (_, splits) => splits.map(size) },
    ],
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max : 1] } },
    series: [
      {},
      { stroke: colours("--open"), fill: `${colours("--open")}66`, width: 1, points: { show: false } },
      { stroke: colours("--bad"), width: 1, points: { show: false } },
    ],
  };
}
