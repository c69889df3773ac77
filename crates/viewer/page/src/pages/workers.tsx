// How workers and threads were used.
import { useMemo } from "preact/hooks";
import { useReport } from "../api/report";
import type { WorkersReport } from "../api/reports";
import { trace, words } from "../api/trace";
import { count, duration, percent } from "../duration";
import { Name } from "../name";
import { DataTable, type Column } from "../parts/data_table";
import { HeatStrip } from "../parts/heat_strip";
import { PageHead, useWindow } from "../parts/page_head";
import { Told } from "../parts/told";
import { useStore } from "../store";
import { linkTo } from "../view";

type WorkerRow = WorkersReport["workers"][number];
type ThreadRow = WorkersReport["threads"][number];

export function Workers() {
  const { workers } = words(useStore(trace));
  const span = useWindow();
  const answer = useReport<WorkersReport>("workers", { from: span?.from, to: span?.to, most: 1000 });
  return (
    <main class="page">
      <PageHead title={`${workers} and threads`} />
      <Told answer={answer}>{(report) => <Content report={report} workers={workers} />}</Told>
    </main>
  );
}

function Content({ report, workers }: { report: WorkersReport; workers: string }) {
  const all_ns = Math.max(report.end_ns - report.begin_ns, 1);
  const columns = useMemo(() => workerColumns(all_ns), [all_ns]);
  const threads = useMemo(threadColumns, []);
  return (
    <>
      <DataTable caption={workers} columns={columns} rows={report.workers} />
      <h2>threads</h2>
      <DataTable caption="threads" columns={threads} rows={report.threads} order="-running_ns" />
      {report.truncated && <p class="note">Some are left out.</p>}
    </>
  );
}

function workerColumns(all_ns: number): Column<WorkerRow>[] {
  const number = (name: "starts" | "steals" | "parks", title: string): Column<WorkerRow> => ({
    name,
    title,
    value: (row) => row[name],
    cell: (row) => count(row[name]),
    width: "90px",
  });
  return [
    {
      name: "id",
      title: "worker",
      cell: (row) => (
        <>
          <a href={linkTo({ page: undefined, by: undefined })}>{row.id}</a> <Name of={row.name} empty="" />
        </>
      ),
      width: "200px",
      isText: true,
    },
    {
      name: "busy_ns",
      title: "busy",
      value: (row) => row.busy_ns,
      cell: (row) => `${duration(row.busy_ns)}, ${percent(row.busy_ns / all_ns)}`,
      width: "140px",
    },
    {
      name: "on_thread_ns",
      title: "on a thread",
      value: (row) => row.on_thread_ns,
      cell: (row) => duration(row.on_thread_ns),
      width: "120px",
    },
    number("starts", "starts"),
    number("steals", "steals"),
    number("parks", "parks"),
    {
      name: "busy",
      title: "how busy over time",
      cell: (row) => <HeatStrip label={`${row.id} over time`} shares={row.busy} />,
      width: "auto",
    },
  ];
}

function threadColumns(): Column<ThreadRow>[] {
  const time = (name: "running_ns" | "syscall_ns", title: string): Column<ThreadRow> => ({
    name,
    title,
    value: (row) => row[name],
    cell: (row) => duration(row[name]),
    width: "140px",
  });
  return [
    {
      name: "id",
      title: "thread",
      cell: (row) => (
        <>
          <a href={linkTo({ page: undefined, by: "thread" })}>{row.id}</a> <Name of={row.name} empty="" />
        </>
      ),
      width: "auto",
      isText: true,
    },
    time("running_ns", "ran tasks"),
    time("syscall_ns", "in system calls"),
    { name: "starts", title: "starts", value: (row) => row.starts, cell: (row) => count(row.starts), width: "100px" },
    { name: "syscalls", title: "system calls", value: (row) => row.syscalls, cell: (row) => count(row.syscalls), width: "120px" },
  ];
}
