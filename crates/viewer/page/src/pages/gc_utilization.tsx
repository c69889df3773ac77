// The minimum mutator utilisation: the least share of the workers' time that the program had in any window of a length.
import type uPlot from "uplot";
import { useMemo, useState } from "preact/hooks";
import type { GcReport } from "../api/reports";
import { trace, words } from "../api/trace";
import { shownTime } from "../clock";
import { duration, percent } from "../duration";
import { Plot, type Colours } from "../parts/plot";
import { useStore } from "../store";
import { asParameters } from "../time_window";
import { linkTo } from "../view";

type Curve = GcReport["utilization"][number];

const COLOURS = ["--running", "--bad", "--open", "--runnable"];

export function MutatorCurves({ curves }: { curves: readonly Curve[] }) {
  const { worker: one, workers: many } = words(useStore(trace));
  const [chosen, setChosen] = useState(-1);
  const data = useMemo(() => dataOf(curves), [curves]);
  if (curves.length === 0 || data[0].length === 0) return null;
  const main = curves.find((curve) => curve.assists && !curve.sweeps && !curve.by_worker) ?? curves[0]!;
  const place = chosen < 0 ? Math.floor(main.points.length / 2) : chosen;
  const point = main.points[place];
  return (
    <section class="mmu" aria-label="Minimum mutator utilisation">
      <h2>what was left of the {many}, at least, in any window of a length</h2>
      <Plot
        label="Minimum mutator utilisation by length of the window; the table beside it says the same"
        height={220}
        data={data}
        kind={`mmu ${curves.length}`}
        options={(colours) => options(colours, curves)}
        onPick={setChosen}
      />
      <div class="beside">
        <ul class="words">
          {curves.map((curve, index) => (
            <li key={index}>
              <i class={`line line-${index}`} aria-hidden="true" /> {titleOf(curve, one)}
            </li>
          ))}
        </ul>
        <label>
          windows of{" "}
          <select value={place} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
            {main.points.map(({ window_ns, utilization }, index) => (
              <option key={index} value={index}>
                {duration(window_ns)}: {percent(utilization)}
              </option>
            ))}
          </select>
        </label>
        {point !== undefined && (
          <ol class="plain" aria-label="The worst windows">
            {point.worst.map((window, index) => (
              <li key={index}>
                <a
                  href={linkTo({
                    page: undefined,
                    range: undefined,
                    ...asParameters({ from: window.begin_ns, to: window.begin_ns + window.window_ns }),
                  })}
                >
                  {percent(window.utilization)} from {shownTime(window.begin_ns)} on
                </a>
                {window.worker !== null && ` on ${window.worker}`}
              </li>
            ))}
          </ol>
        )}
      </div>
    </section>
  );
}

function titleOf(curve: Curve, worker: string): string {
  const parts = ["stops of the world", curve.background && "marking", curve.assists && "assists", curve.sweeps && "sweeps"];
  return `${parts.filter(Boolean).join(", ")}${curve.by_worker ? `; each ${worker} by itself` : ""}`;
}

/** All curves are told at the same lengths. */
function dataOf(curves: readonly Curve[]): uPlot.AlignedData {
  const lengths = curves[0]?.points.map(({ window_ns }) => Math.max(window_ns, 1)) ?? [];
  return [lengths, ...curves.map((curve) => lengths.map((_, place) => curve.points[place]?.utilization ?? null))];
}

function options(colours: Colours, curves: readonly Curve[]): Omit<uPlot.Options, "width" | "height"> {
  const axis = { stroke: colours("--faint"), grid: { stroke: colours("--grid"), width: 1 }, font: "10px system-ui, sans-serif" };
  return {
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { distr: 3 }, y: { range: [0, 1] } },
    axes: [
      {
        ...axis,
        filter: (_, splits) => splits.map((value) => (Number.isInteger(Math.log10(value)) ? value : null)),
        values: (_, splits) => splits.map((value) => (value === null ? "" : duration(value))),
      },
      { ...axis, values: (_, splits) => splits.map(percent) },
    ],
    series: [
      {},
      ...curves.map((_, index) => ({ stroke: colours(COLOURS[index % COLOURS.length]!), width: 2, points: { show: false } })),
    ],
  };
}
