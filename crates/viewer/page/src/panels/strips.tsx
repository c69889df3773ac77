// How busy the program was, over the same time as the timeline below: a curve each.
import type uPlot from "uplot";
import { useMemo } from "preact/hooks";
import { useAnswer } from "../api/answer";
import { trace, words } from "../api/trace";
import { count, size } from "../duration";
import { Plot, type Colours } from "../parts/plot";
import { useStore } from "../store";
import { restingSpan } from "../time_window";

export interface Curves {
  from_ns: number;
  bucket_ns: number;
  curves: Record<string, (number | null)[] | null>;
}

interface Strip {
  /** The server's name of the curve. */
  name: string;
  title: (workers: string) => string;
  variable: string;
  shown: (value: number) => string;
  /** Whether it is left out where the trace does not tell it. */
  isOptional?: boolean;
}

const tasks = (value: number) => (value < 10 ? value.toFixed(1).replace(/\.0$/, "") : count(value));

const STRIPS: readonly Strip[] = [
  { name: "running", title: (workers) => `busy ${workers}`, variable: "--running", shown: tasks },
  { name: "runnable", title: () => "in the queue", variable: "--runnable", shown: tasks },
  { name: "gc", title: () => "GC at work", variable: "--gc", shown: (value) => `${Math.round(value * 100)} %` },
  { name: "syscall", title: () => "in system calls", variable: "--syscall", shown: tasks },
  { name: "heap", title: () => "heap", variable: "--open", shown: size, isOptional: true },
];

const HEIGHT_PX = 34;

/** So many buckets over what is seen; each side has half as many more. */
const BUCKETS = 500;

export function Strips() {
  const { from, to } = useStore(restingSpan);
  const margin = (to - from) / 2;
  const answer = useAnswer<Curves>("curves", {
    names: STRIPS.map(({ name }) => name).join(","),
    from: Math.max(Math.floor(from - margin), 0),
    to: Math.ceil(to + margin),
    width: BUCKETS * 2,
  });
  if (answer.error !== null) return <p class="note error">{answer.error}</p>;
  const told = answer.told;
  const shown = STRIPS.filter(({ name, isOptional }) => !isOptional || told?.curves[name]);
  return (
    <section class="strips" aria-label="How busy the program was">
      {shown.map((strip) => (
        <StripRow key={strip.name} strip={strip} curves={told} />
      ))}
    </section>
  );
}

function StripRow({ strip, curves }: { strip: Strip; curves: Curves | null }) {
  const { workers } = words(useStore(trace));
  const values = curves?.curves[strip.name] ?? null;
  const data = useMemo<uPlot.AlignedData>(() => {
    const all = values ?? [];
    return [all.map((_, place) => (curves?.from_ns ?? 0) + place * (curves?.bucket_ns ?? 1)), all];
  }, [curves, values]);
  const most = values?.reduce<number>((max, value) => Math.max(max, value ?? 0), 0) ?? 0;
  const title = strip.title(workers);
  const said = values === null ? "not told" : `at most ${strip.shown(most)}`;
  return (
    <div class="strip">
      <div class="title">
        {title} <span class="faint">{said}</span>
      </div>
      <Plot
        label={`${title} over time, ${said}`}
        height={HEIGHT_PX}
        data={data}
        kind={strip.name}
        followsTime
        options={(colours) => options(colours, strip)}
      />
    </div>
  );
}

function options(colours: Colours, strip: Strip): Omit<uPlot.Options, "width" | "height"> {
  const colour = colours(strip.variable);
  return {
    legend: { show: false },
    cursor: { show: false },
    padding: [2, 0, 0, 0],
    axes: [{ show: false }, { show: false }],
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max : 1] } },
    series: [{}, { stroke: colour, fill: `${colour}66`, width: 1, points: { show: false } }],
  };
}
