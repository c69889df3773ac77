// What the garbage collector did, and what it left of the workers.
import { useMemo } from "preact/hooks";
import { useReport } from "../api/report";
import type { GcReport } from "../api/reports";
import { shownTime } from "../clock";
import { count, duration, size } from "../duration";
import { FunctionName, Name } from "../name";
import { DataTable, type Column } from "../parts/data_table";
import { PageHead, useWindow } from "../parts/page_head";
import { TaskLink } from "../parts/task_link";
import { Told } from "../parts/told";
import { around, asParameters } from "../time_window";
import { linkTo } from "../view";
import { HeapCurve } from "./gc_heap";
import { MutatorCurves } from "./gc_utilization";

type Cycle = GcReport["cycles"][number];
type Stop = GcReport["stops"][number];

export function Gc() {
  const span = useWindow();
  const answer = useReport<GcReport>("gc", { from: span?.from, to: span?.to, most: 2000 });
  return (
    <main class="page scrolls">
      <PageHead title="garbage collection" />
      <Told answer={answer}>{(report) => <Content report={report} />}</Told>
    </main>
  );
}

function Content({ report }: { report: GcReport }) {
  const cycles = useMemo(cycleColumns, []);
  const stops = useMemo(stopColumns, []);
  const swept = report.sweeps === null ? "" : `; swept ${size(report.swept_bytes)}, got back ${size(report.reclaimed_bytes)}`;
  if (report.total + report.stops_total === 0 && report.assists === null && report.sweeps === null) {
    return (
      <>
        <p>No garbage collector was at work.</p>
        {report.heap !== null && <HeapCurve heap={report.heap} />}
      </>
    );
  }
  return (
    <>
      <p>
        {count(report.total)} collections, {count(report.stops_total)} stops of the world
        {report.assists !== null && `, ${count(report.assists.count)} assists with ${duration(report.assists.sum_ns)}`}
        {swept}
      </p>
      <MutatorCurves curves={report.utilization} />
      {report.heap !== null && <HeapCurve heap={report.heap} />}
      <h2>collections</h2>
      <DataTable caption="Collections" columns={cycles} rows={report.cycles} />
      <h2>the longest stops of the world</h2>
      <DataTable caption="The longest stops of the world" columns={stops} rows={report.stops} order="-length" />
      {report.assist_functions.length > 0 && (
        <>
          <h2>who helped to mark</h2>
          <ul class="plain">
            {report.assist_functions.slice(0, 40).map((row) => (
              <li key={row.function}>
                {duration(row.sum_ns)}, {count(row.count)}× <FunctionName of={row.function} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function onTimeline(begin_ns: number, end_ns: number): string {
  return linkTo({
    page: undefined,
    ...asParameters(around({ from: begin_ns, to: end_ns }, 0.5)),
    range: `${Math.floor(begin_ns)}-${Math.ceil(end_ns)}`,
  });
}

function cycleColumns(): Column<Cycle>[] {
  const bytes = (name: "live_begin_bytes" | "live_end_bytes" | "goal_bytes", title: string): Column<Cycle> => ({
    name,
    title,
    value: (row) => row[name] ?? -1,
    cell: (row) => (row[name] === null ? "–" : size(row[name])),
    width: "110px",
  });
  return [
    {
      name: "begin",
      title: "began",
      value: (row) => row.begin_ns,
      cell: (row) => <a href={onTimeline(row.begin_ns, row.end_ns)}>{shownTime(row.begin_ns)}</a>,
      width: "120px",
    },
    {
      name: "length",
      title: "took",
      value: (row) => row.end_ns - row.begin_ns,
      cell: (row) => `${duration(row.end_ns - row.begin_ns)}${row.is_open_left || row.is_open_right ? " +" : ""}`,
      width: "100px",
    },
    {
      name: "stopped",
      title: "stopped",
      value: (row) => row.stopped_ns,
      cell: (row) => duration(row.stopped_ns),
      width: "100px",
    },
    {
      name: "assists",
      title: "assists",
      value: (row) => row.assist_ns,
      cell: (row) => `${duration(row.assist_ns)}, ${count(row.assists)}×`,
      width: "140px",
    },
    bytes("live_begin_bytes", "heap at begin"),
    bytes("live_end_bytes", "heap at end"),
    bytes("goal_bytes", "goal"),
  ];
}

function stopColumns(): Column<Stop>[] {
  return [
    {
      name: "begin",
      title: "began",
      value: (row) => row.begin_ns,
      cell: (row) => <a href={onTimeline(row.begin_ns, row.end_ns)}>{shownTime(row.begin_ns)}</a>,
      width: "120px",
    },
    {
      name: "length",
      title: "took",
      value: (row) => row.end_ns - row.begin_ns,
      cell: (row) => duration(row.end_ns - row.begin_ns),
      width: "100px",
    },
    {
      name: "reason",
      title: "why",
      value: (row) => row.reason,
      cell: (row) => <Name of={row.reason} empty="not told" />,
      width: "220px",
      isText: true,
    },
    { name: "task", title: "by", cell: (row) => <TaskLink id={row.task} />, width: "120px", isText: true },
    {
      name: "function",
      title: "which runs",
      value: (row) => row.function,
      cell: (row) => <FunctionName of={row.function} />,
      width: "auto",
      isText: true,
    },
  ];
}
