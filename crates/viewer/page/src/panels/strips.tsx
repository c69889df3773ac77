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
  /** Another curve over the same height, as a line. */
  beside?: { name: string; title: string; variable: string };
}

const tasks = (value: number) => (value < 10 ? value.toFixed(1).replace(/\.0$/, "") : count(value));

const STRIPS: readonly Strip[] = [
  { name: "running", title: (workers) => `busy ${workers}`, variable: "--running", shown: tasks },
  { name: "runnable", title: () => "in the queue", variable: "--runnable", shown: tasks },
  { name: "gc", title: () => "GC at work", variable: "--gc", shown: (value) => `${Math.round(value * 100)} %` },
  { name: "syscall", title: () => "in system calls", variable: "--syscall", shown: tasks },
  { name: "waiting", title: () => "waiting", variable: "--waiting", shown: tasks },
  {
    name: "heap",
    title: () => "heap",
    variable: "--open",
    shown: size,
    isOptional: true,
    beside: { name: "goal", title: "goal", variable: "--bad" },
  },
];

const NAMES = STRIPS.flatMap(({ name, beside }) => [name, ...(beside === undefined ? [] : [beside.name])]).join(",");

const HEIGHT_PX = 34;

/** So many buckets over what is seen; each side has half as many more. */
const BUCKETS = 500;

export function Strips() {
  const { from, to } = useStore(restingSpan);
  const margin = (to - from) / 2;
  const answer = useAnswer<Curves>("curves", {
    names: NAMES,
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
  const others = (strip.beside && curves?.curves[strip.beside.name]) ?? null;
  const data = useMemo<uPlot.AlignedData>(() => {
    const all = values ?? [];
    const times = all.map((_, place) => (curves?.from_ns ?? 0) + place * (curves?.bucket_ns ?? 1));
    return others === null ? [times, all] : [times, all, others];
  }, [curves, values, others]);
  const title = strip.title(workers);
  const most = values === null ? "not told" : `at most ${strip.shown(greatest(values))}`;
  const said = others === null ? most : `${most}; ${strip.beside?.title} ${strip.shown(greatest(others))}`;
  return (
    <div class="strip">
      <div class="title">
        {title} <span class="faint">{said}</span>
      </div>
      <Plot
        label={`${title} over time, ${said}`}
        height={HEIGHT_PX}
        data={data}
        kind={others === null ? strip.name : `${strip.name} ${strip.beside?.name}`}
        followsTime
        options={(colours) => options(colours, strip, others !== null)}
      />
    </div>
  );
}

function greatest(values: readonly (number | null)[]): number {
  return values.reduce<number>((max, value) => Math.max(max, value ?? 0), 0);
}

function options(colours: Colours, strip: Strip, isBeside: boolean): Omit<uPlot.Options, "width" | "height"> {
  const colour = colours(strip.variable);
  const line = { stroke: colours(strip.beside?.variable ?? strip.variable), width: 1, points: { show: false } };
  return {
    legend: { show: false },
    cursor: { show: false },
    padding: [2, 0, 0, 0],
    axes: [{ show: false }, { show: false }],
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max : 1] } },
    series: [{}, { stroke: colour, fill: `${colour}66`, width: 1, points: { show: false } }, ...(isBeside ? [line] : [])],
  };
}
