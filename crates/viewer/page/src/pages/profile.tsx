// Where time was spent, by stack: a flame graph and a table of functions.
import { useMemo, useState } from "preact/hooks";
import { useReport } from "../api/report";
import type { ProfileReport } from "../api/reports";
import { FlameGraph } from "../flame/flame_graph";
import { count, duration, percent } from "../duration";
import { FunctionName, Name } from "../name";
import { DataTable, type Column } from "../parts/data_table";
import { FilterBox } from "../parts/filter_box";
import { PageHead, useWindow } from "../parts/page_head";
import { Told } from "../parts/told";
import { useStore } from "../store";
import { amend, go, linkTo, view } from "../view";

/** As the command line has them. */
const TYPES: readonly { name: string; title: string; about: string }[] = [
  { name: "cpu", title: "CPU", about: "CPU samples, and the time that they stand for" },
  { name: "offcpu", title: "off CPU", about: "all time in which tasks were runnable, waited or sat in system calls" },
  { name: "sched", title: "scheduler", about: "tasks that could run and waited for a worker, by who let them run" },
  { name: "sync", title: "synchronization", about: "tasks that waited for channels, locks and conditions" },
  { name: "net", title: "network", about: "tasks that waited for the network" },
  { name: "syscall", title: "system calls", about: "time in system calls" },
];

/** Stacks that the flame graph has at most; the rest of a profile is told. */
const MOST = 5000;

type FunctionRow = ProfileReport["functions"][number];

export function Profile() {
  const { type = "cpu", group, id, user, where, q = "" } = useStore(view);
  const span = useWindow();
  const [isInverted, setInverted] = useState(false);
  const subject = id?.startsWith("task:") ? { task: id } : { user_task: user ?? id };
  const answer = useReport<ProfileReport>("profile", { type, group, where, ...subject, from: span?.from, to: span?.to, most: MOST });
  const about = TYPES.find(({ name }) => name === type)?.about ?? "";
  return (
    <main class="page">
      <PageHead title="profile">
        <nav class="kinds" aria-label="What is counted">
          {TYPES.map(({ name, title, about }) => (
            <a key={name} href={linkTo({ type: name })} aria-current={name === type} title={about}>
              {title}
            </a>
          ))}
        </nav>
        <Subject of={user ?? id ?? group} />
        <FilterBox example="thread == 7" />
      </PageHead>
      <Told answer={answer}>
        {(report) =>
          report.ns === 0 && report.count === 0 ? (
            <p class="note">There is none of this: {about}.</p>
          ) : (
            <>
              <div class="controls">
                <span>
                  {about}: {duration(report.ns)} in all, {count(report.count)}×
                </span>
                <label>
                  <input type="checkbox" checked={isInverted} onChange={(event) => setInverted(event.currentTarget.checked)} />{" "}
                  from the innermost on
                </label>
                <label>
                  mark{" "}
                  <input
                    type="search"
                    value={q}
                    placeholder="part of a name"
                    onInput={(event) => amend({ q: event.currentTarget.value })}
                  />
                </label>
                {q !== "" && <Matched report={report} part={q} />}
              </div>
              <FlameGraph label={about} stacks={report.stacks} isInverted={isInverted} search={q} />
              {report.truncated && report.stacks_total > report.stacks.length && (
                <p class="note">{count(report.stacks_total - report.stacks.length)} stacks with less time are left out.</p>
              )}
              <Functions report={report} />
            </>
          )
        }
      </Told>
    </main>
  );
}

/** Whose time it is, where it is not that of all. */
function Subject({ of }: { of: string | undefined }) {
  if (of === undefined) return null;
  return (
    <span>
      only <Name of={of} />{" "}
      <button type="button" onClick={() => go({ group: undefined, id: undefined, user: undefined })}>
        all
      </button>
    </span>
  );
}

/** How much of the time has a frame of such a name. */
function Matched({ report, part }: { report: ProfileReport; part: string }) {
  const needle = part.toLowerCase();
  const ns = report.stacks
    .filter(({ stack }) => stack.some((frame) => frame.function.toLowerCase().includes(needle)))
    .reduce((sum, stack) => sum + stack.ns, 0);
  return (
    <span role="status">
      in {percent(ns / Math.max(report.ns, 1))} of the time, {duration(ns)}
    </span>
  );
}

function Functions({ report }: { report: ProfileReport }) {
  const columns = useMemo<Column<FunctionRow>[]>(() => {
    const time = (name: "flat_ns" | "cumulative_ns", title: string): Column<FunctionRow> => ({
      name,
      title,
      value: (row) => row[name],
      cell: (row) => (
        <>
          {duration(row[name])} <span class="faint">{percent(row[name] / Math.max(report.ns, 1))}</span>
        </>
      ),
      width: "140px",
    });
    return [
      time("flat_ns", "alone"),
      time("cumulative_ns", "with callees"),
      {
        name: "cumulative_count",
        title: "times",
        value: (row) => row.cumulative_count,
        cell: (row) => count(row.cumulative_count),
        width: "90px",
      },
      {
        name: "function",
        title: "function",
        value: (row) => row.function,
        cell: (row) => <FunctionName of={row.function} />,
        width: "auto",
        isText: true,
      },
    ];
  }, [report]);
  return <DataTable caption="Functions" columns={columns} rows={report.functions} order="-flat_ns" />;
}
