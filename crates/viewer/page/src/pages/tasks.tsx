// Tasks by what they run, and the tasks of one such group.
import { useMemo } from "preact/hooks";
import { useReport } from "../api/report";
import type { StateName, TaskGroup, TasksReport, TaskTimes } from "../api/reports";
import { trace, words } from "../api/trace";
import { shownTime } from "../clock";
import { count, duration } from "../duration";
import { FunctionName } from "../name";
import { DataTable, type Column } from "../parts/data_table";
import { FilterBox } from "../parts/filter_box";
import { PageHead, useWindow } from "../parts/page_head";
import { StateBar } from "../parts/state_bar";
import { TaskLink } from "../parts/task_link";
import { Told } from "../parts/told";
import { useStore } from "../store";
import { asParameters } from "../time_window";
import { linkTo, view } from "../view";

const STATES: readonly StateName[] = ["running", "runnable", "blocked", "syscall", "unknown"];

const TITLES: Record<StateName, string> = {
  running: "running",
  runnable: "in queue",
  blocked: "waiting",
  syscall: "syscalls",
  unknown: "unknown",
};

export function Tasks() {
  const { group, where } = useStore(view);
  const { tasks } = words(useStore(trace));
  const span = useWindow();
  const answer = useReport<TasksReport>("tasks", { group, where, from: span?.from, to: span?.to, most: 5000 });
  return (
    <main class="page">
      <PageHead
        title={
          group === undefined ? (
            tasks
          ) : (
            <>
              {tasks} that run <FunctionName of={group} />
            </>
          )
        }
      >
        {group !== undefined && <a href={linkTo({ group: undefined, sort: undefined })}>all groups</a>}
        {group !== undefined && <a href={linkTo({ page: "profile", type: "offcpu", sort: undefined })}>where they waited</a>}
        <FilterBox example='duration > 1ms && task.function contains "main"' />
      </PageHead>
      <Told answer={answer}>
        {(report) => (report.tasks === undefined ? <Groups report={report} /> : <Members report={report} />)}
      </Told>
    </main>
  );
}

function Groups({ report }: { report: TasksReport }) {
  const columns = useMemo(groupColumns, []);
  return (
    <>
      <DataTable caption="Groups" columns={columns} rows={report.groups ?? []} order="-life" />
      <Left report={report} shown={report.groups?.length ?? 0} />
    </>
  );
}

function groupColumns(): Column<TaskGroup>[] {
  const state = (name: StateName): Column<TaskGroup> => ({
    name,
    title: TITLES[name],
    value: (row) => row[name].sum_ns,
    cell: (row) => duration(row[name].sum_ns),
    width: "80px",
  });
  const life = (name: "p50_ns" | "p99_ns" | "max_ns", title: string): Column<TaskGroup> => ({
    name,
    title,
    value: (row) => row.life[name],
    cell: (row) => duration(row.life[name]),
    width: "80px",
  });
  return [
    {
      name: "function",
      title: "function",
      value: (row) => row.function,
      cell: (row) => (
        <a href={linkTo({ group: row.function, sort: undefined })}>
          <FunctionName of={row.function} />
        </a>
      ),
      width: "auto",
      isText: true,
    },
    { name: "tasks", title: "how many", value: (row) => row.tasks, cell: (row) => count(row.tasks), width: "100px" },
    {
      name: "states",
      title: "states",
      cell: (row) => <StateBar parts={STATES.map((it) => ({ state: it, ns: row[it].sum_ns }))} />,
      width: "160px",
    },
    { name: "life", title: "lived", value: (row) => row.life.sum_ns, cell: (row) => duration(row.life.sum_ns), width: "80px" },
    ...STATES.slice(0, 4).map(state),
    life("p50_ns", "p50"),
    life("p99_ns", "p99"),
    life("max_ns", "max"),
  ];
}

function Members({ report }: { report: TasksReport }) {
  const columns = useMemo(memberColumns, []);
  return (
    <>
      <DataTable caption="Tasks of the group" columns={columns} rows={report.tasks ?? []} order="-life" />
      <Left report={report} shown={report.tasks?.length ?? 0} />
    </>
  );
}

function memberColumns(): Column<TaskTimes>[] {
  const ns = (row: TaskTimes, name: StateName) => row[`${name}_ns` as const];
  return [
    { name: "id", title: "task", cell: (row) => <TaskLink id={row.id} />, width: "120px", isText: true },
    {
      name: "begin",
      title: "began",
      value: (row) => row.begin_ns,
      cell: (row) => (
        <a
          href={linkTo({
            page: undefined,
            sel: `${row.id}@${row.begin_ns}`,
            ...asParameters({ from: row.begin_ns, to: row.end_ns }),
          })}
        >
          {row.is_created ? "" : "before "}
          {shownTime(row.begin_ns)}
        </a>
      ),
      width: "140px",
    },
    {
      name: "life",
      title: "lived",
      value: (row) => row.end_ns - row.begin_ns,
      cell: (row) => `${duration(row.end_ns - row.begin_ns)}${row.has_ended ? "" : " +"}`,
      width: "90px",
    },
    {
      name: "states",
      title: "states",
      cell: (row) => <StateBar parts={STATES.map((it) => ({ state: it, ns: ns(row, it) }))} />,
      width: "auto",
    },
    ...STATES.slice(0, 4).map((name): Column<TaskTimes> => ({
      name,
      title: TITLES[name],
      value: (row) => ns(row, name),
      cell: (row) => duration(ns(row, name)),
      width: "90px",
    })),
  ];
}

function Left({ report, shown }: { report: TasksReport; shown: number }) {
  if (!report.truncated) return null;
  return <p class="note">{count(report.total - shown)} more: a filter narrows them.</p>;
}
