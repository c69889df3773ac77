// One task, or one user task: what it did, and why it took so long.
import { useMemo } from "preact/hooks";
import { useReport } from "../api/report";
import type { LifeInterval, StateName, TaskLife, TasksReport, WhyReport } from "../api/reports";
import { trace, words } from "../api/trace";
import { shownTime } from "../clock";
import { duration } from "../duration";
import { FunctionName, Name, place } from "../name";
import { WhyPath } from "../panels/why_summary";
import { AnnotationTree } from "../parts/annotation_tree";
import { DataTable, type Column } from "../parts/data_table";
import { Frames } from "../parts/frames";
import { PageHead } from "../parts/page_head";
import { STATE_TITLES, StateBar } from "../parts/state_bar";
import { TaskLink } from "../parts/task_link";
import { Told } from "../parts/told";
import { useStore } from "../store";
import { asParameters } from "../time_window";
import { linkTo, view } from "../view";

const STATES: readonly StateName[] = ["running", "runnable", "blocked", "syscall", "unknown"];

export function Task() {
  const { id = "", at } = useStore(view);
  const { task } = words(useStore(trace));
  const isUser = id.startsWith("user:");
  const why = useReport<WhyReport>(id === "" ? null : "why", { id, at, most: 30 });
  const answer = useReport<TasksReport>(isUser || id === "" ? null : "tasks", { task: id, most: 5000 });
  if (id === "") {
    return (
      <main class="page">
        <PageHead title={`no ${task} is chosen`} />
        <p class="note">
          Choose one on the <a href={linkTo({ page: "tasks" })}>page of all</a>, or search for it.
        </p>
      </main>
    );
  }
  return (
    <main class="page">
      <PageHead title={`${isUser ? "user task" : task} ${id.slice(id.indexOf(":") + 1)}`} />
      <div class="columns">
        <section aria-label="Why it took so long">
          <Told answer={why}>
            {(report) => (
              <>
                <p>
                  <Name of={report.name} empty={report.is_open_left ? "(began before the trace)" : undefined} />{" "}
                  <a
                    href={linkTo({
                      page: undefined,
                      ...(isUser ? { by: "user_task", sel: undefined } : { sel: `${id}@${report.begin_ns}` }),
                      ...asParameters({ from: report.begin_ns, to: report.end_ns }),
                    })}
                  >
                    on the timeline
                  </a>{" "}
                  <a href={linkTo({ page: "profile", type: "cpu", id })}>CPU</a>{" "}
                  <a href={linkTo({ page: "profile", type: "offcpu", id })}>where it waited</a>
                </p>
                <WhyPath report={report} />
              </>
            )}
          </Told>
          {!isUser && <AnnotationTree id={id} />}
        </section>
        {isUser && <AnnotationTree id={id} />}
        {!isUser && (
          <section class="lives" aria-label="What it did">
            <Told answer={answer}>
              {(report) => report.lives?.map((life, index) => <Life key={index} id={id} life={life} />)}
            </Told>
          </section>
        )}
      </div>
    </main>
  );
}

function Life({ id, life }: { id: string; life: TaskLife }) {
  const columns = useMemo(() => intervalColumns(id), [id]);
  const sum = (state: StateName) =>
    life.intervals.filter((it) => it.state === state).reduce((total, it) => total + it.end_ns - it.begin_ns, 0);
  return (
    <>
      <p>
        <FunctionName of={life.function} /> lived {duration(life.end_ns - life.begin_ns)} from {shownTime(life.begin_ns)} on
        {life.creator !== null && (
          <>
            , created by <TaskLink id={life.creator} />
          </>
        )}
      </p>
      <StateBar withWords parts={STATES.map((state) => ({ state, ns: sum(state) }))} />
      <Frames title="Created at" stack={life.creator_stack} />
      <DataTable caption="All that it did" columns={columns} rows={life.intervals} />
    </>
  );
}

function intervalColumns(id: string): Column<LifeInterval>[] {
  return [
    {
      name: "begin",
      title: "since",
      value: (row) => row.begin_ns,
      cell: (row) => <a href={linkTo({ page: undefined, sel: `${id}@${row.begin_ns}` })}>{shownTime(row.begin_ns)}</a>,
      width: "110px",
    },
    {
      name: "length",
      title: "for",
      value: (row) => row.end_ns - row.begin_ns,
      cell: (row) => duration(row.end_ns - row.begin_ns),
      width: "80px",
    },
    {
      name: "state",
      title: "state",
      value: (row) => row.state,
      cell: (row) => (
        <>
          <i class={`swatch ${row.state}`} aria-hidden="true" /> {STATE_TITLES[row.state]}
          {row.reason !== "" && (
            <>
              : <Name of={row.reason} most={40} />
            </>
          )}
        </>
      ),
      width: "220px",
      isText: true,
    },
    { name: "worker", title: "on", cell: (row) => row.worker ?? "", width: "80px", isText: true },
    {
      name: "where",
      title: "where",
      cell: (row) =>
        row.stack[0] === undefined ? null : (
          <>
            <FunctionName of={row.stack[0].function} /> <span class="place">{place(row.stack[0].file, row.stack[0].line)}</span>
          </>
        ),
      width: "auto",
      isText: true,
    },
    {
      name: "woken",
      title: "woken by",
      cell: (row) => (row.woken_by === null ? null : <TaskLink id={row.woken_by} />),
      width: "90px",
      isText: true,
    },
  ];
}
