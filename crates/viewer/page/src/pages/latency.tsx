// User tasks and regions: how long they took, by name; for one name the spread, and the longest with their parts.
import { useMemo } from "preact/hooks";
import { useReport } from "../api/report";
import type { Instance, LatencyGroup, LatencyReport } from "../api/reports";
import { shownTime } from "../clock";
import { count, duration } from "../duration";
import { Name } from "../name";
import { DataTable, type Column } from "../parts/data_table";
import { FilterBox } from "../parts/filter_box";
import { Histogram, type Bin } from "../parts/histogram";
import { PageHead, useWindow } from "../parts/page_head";
import { TaskLink } from "../parts/task_link";
import { Told } from "../parts/told";
import { useStore } from "../store";
import { around, asParameters } from "../time_window";
import { linkTo, view } from "../view";

const MOST_NAMES = 2000;
const MOST_LONGEST = 40;

/** Who asks for some of them wants to see them. */
const MOST_FILTERED = 1000;

export function Latency() {
  const { name, kind, where } = useStore(view);
  const span = useWindow();
  const most = name === undefined ? MOST_NAMES : where === undefined ? MOST_LONGEST : MOST_FILTERED;
  const query = { name, where, from: span?.from, to: span?.to, most };
  const answer = useReport<LatencyReport>("latency", query);
  return (
    <main class="page">
      <PageHead
        title={
          name === undefined ? (
            "user tasks and regions"
          ) : (
            <>
              how long <Name of={name} /> took
            </>
          )
        }
      >
        {name !== undefined && <a href={linkTo({ name: undefined, kind: undefined, where: undefined })}>all names</a>}
        <FilterBox example='duration > 50ms && kind == "region"' />
      </PageHead>
      <Told answer={answer}>
        {(report) =>
          report.name === null ? (
            <Names report={report} />
          ) : (
            report.groups
              .filter((group) => kind === undefined || group.kind === kind)
              .map((group) => <Group key={group.kind} group={group} />)
          )
        }
      </Told>
    </main>
  );
}

function Names({ report }: { report: LatencyReport }) {
  const columns = useMemo(nameColumns, []);
  if (report.groups.length === 0) return <p class="note">The program has no user tasks and no regions.</p>;
  return (
    <>
      <DataTable caption="User tasks and regions by name" columns={columns} rows={report.groups} order="-sum_ns" />
      {report.stray_ends_total > 0 && <p class="note">{report.stray_ends_total} ends end nothing that has begun.</p>}
    </>
  );
}

function nameColumns(): Column<LatencyGroup>[] {
  const spread = (key: "sum_ns" | "p50_ns" | "p90_ns" | "p99_ns" | "max_ns", title: string): Column<LatencyGroup> => ({
    name: key,
    title,
    value: (row) => row.closed?.[key] ?? 0,
    cell: (row) => (row.closed === null ? "–" : duration(row.closed[key])),
    width: "90px",
  });
  const open = (row: LatencyGroup) => row.open_left.count + row.open_right.count + row.open_both.count;
  return [
    {
      name: "name",
      title: "name",
      value: (row) => row.name ?? "",
      cell: (row) =>
        row.name === null ? (
          <a href={linkTo({ page: undefined, by: "user_task", name: undefined, sort: undefined })}>
            <Name of={null} empty={row.kind === "user_task" ? "(began before the trace)" : "(not told)"} />
          </a>
        ) : (
          <a href={linkTo({ name: row.name, kind: row.kind, sort: undefined })}>
            <Name of={row.name} />
          </a>
        ),
      width: "auto",
      isText: true,
    },
    {
      name: "kind",
      title: "kind",
      value: (row) => row.kind,
      cell: (row) => row.kind.replace("_", " "),
      width: "90px",
      isText: true,
    },
    { name: "count", title: "how many", value: (row) => row.count, cell: (row) => count(row.count), width: "100px" },
    { name: "open", title: "open", value: open, cell: (row) => count(open(row)), width: "70px" },
    spread("sum_ns", "in all"),
    spread("p50_ns", "p50"),
    spread("p90_ns", "p90"),
    spread("p99_ns", "p99"),
    spread("max_ns", "max"),
  ];
}

function Group({ group }: { group: LatencyGroup }) {
  const columns = useMemo(worstColumns, []);
  const { closed, histogram = [], worst = [] } = group;
  return (
    <section class="latency-group" aria-label={group.kind.replace("_", " ")}>
      <h2>
        {group.kind.replace("_", " ")}s: {count(group.count)}
      </h2>
      {group.kind === "user_task" && group.name !== null && (
        <p class="actions">
          <a href={linkTo({ page: "profile", type: "cpu", user: group.name, sort: undefined })}>CPU inside</a>{" "}
          <a href={linkTo({ page: "profile", type: "offcpu", user: group.name, sort: undefined })}>where they waited</a>
        </p>
      )}
      {closed !== null && (
        <p>
          p50 {duration(closed.p50_ns)}, p90 {duration(closed.p90_ns)}, p99 {duration(closed.p99_ns)}, max{" "}
          {duration(closed.max_ns)}
        </p>
      )}
      <Histogram bins={histogram} link={(bin) => linkTo({ kind: group.kind, where: within(bin), sort: undefined })} />
      <h3>{worst.length < group.count ? "The longest" : "All of them"}</h3>
      <DataTable caption="The longest" columns={columns} rows={worst} />
    </section>
  );
}

/** A filter for what a bin counts: what has begun and ended, and took so long. */
function within({ from_ns, to_ns }: Bin): string {
  return `duration >= ${from_ns}ns && duration < ${to_ns}ns && !is_open_left && !is_open_right`;
}

function worstColumns(): Column<Instance>[] {
  return [
    {
      name: "ns",
      title: "took",
      value: (row) => row.ns,
      cell: (row) => (
        <a
          href={linkTo({
            page: undefined,
            sel: `${row.task}@${row.begin_ns}`,
            ...asParameters(around({ from: row.begin_ns, to: row.end_ns }, 0.2)),
          })}
        >
          {duration(row.ns)}
          {row.is_open_left || row.is_open_right ? " +" : ""}
        </a>
      ),
      width: "90px",
    },
    { name: "begin", title: "began", value: (row) => row.begin_ns, cell: (row) => shownTime(row.begin_ns), width: "120px" },
    {
      name: "user_task",
      title: "user task",
      cell: (row) => (row.user_task === null ? null : <TaskLink id={row.user_task} />),
      width: "100px",
      isText: true,
    },
    {
      name: "parent",
      title: "part of",
      cell: ({ parent }) =>
        parent === null ? null : (
          <>
            <TaskLink id={parent.user_task} /> <Name of={parent.name} empty="(began before the trace)" most={40} />
          </>
        ),
      width: "150px",
      isText: true,
    },
    { name: "task", title: "begun by", cell: (row) => <TaskLink id={row.task} />, width: "100px", isText: true },
    {
      name: "parts",
      title: "parts",
      cell: (row) => (
        <>
          {row.parts.map((part, place) => (
            <span key={place} class="part">
              <Name of={part.name} empty="(not told)" most={40} /> {duration(part.ns)}
            </span>
          ))}
          {row.parts_total > row.parts.length && <span class="faint">and {row.parts_total - row.parts.length} more</span>}
        </>
      ),
      width: "40%",
      isText: true,
    },
    {
      name: "logs",
      title: "logs",
      cell: (row) => (
        <>
          {row.logs.slice(0, 3).map((log, place) => (
            <span key={place} class="part">
              <Name of={log.key} empty="" most={30} /> <Name of={log.message} empty="" most={60} />
            </span>
          ))}
          {row.logs_total > 3 && <span class="faint">and {row.logs_total - 3} more</span>}
        </>
      ),
      width: "auto",
      isText: true,
    },
  ];
}
