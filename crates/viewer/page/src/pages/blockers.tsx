// Which code made others wait.
import { useMemo } from "preact/hooks";
import { useReport } from "../api/report";
import type { BlockersReport, Frame } from "../api/reports";
import { count, duration } from "../duration";
import { FunctionName, Name, place } from "../name";
import { DataTable, type Column } from "../parts/data_table";
import { PageHead, useWindow } from "../parts/page_head";
import { Told } from "../parts/told";
import { useStore } from "../store";
import { around, asParameters } from "../time_window";
import { linkTo, view } from "../view";

type Row = BlockersReport["blockers"][number];

export function Blockers() {
  const { group, id } = useStore(view);
  const span = useWindow();
  const subject = id?.startsWith("user:") ? { user_task: id } : { task: id };
  const answer = useReport<BlockersReport>("blockers", { group, ...subject, from: span?.from, to: span?.to, most: 1000 });
  const columns = useMemo(blockerColumns, []);
  return (
    <main class="page">
      <PageHead title="who made others wait" />
      <Told answer={answer}>
        {(report) => (
          <>
            <p>
              {count(report.count)} waits were ended, {duration(report.ns)} in all; {count(report.open_count)} went on,{" "}
              {duration(report.open_ns)}.
            </p>
            <DataTable caption="Who made others wait" columns={columns} rows={report.blockers} order="-ns" />
            {report.truncated && <p class="note">{count(report.total - report.blockers.length)} with less time are left out.</p>}
          </>
        )}
      </Told>
    </main>
  );
}

const WAKERS: Record<Row["waker"], string> = { code: "", timer: "a timer", network: "the network", runtime: "the runtime" };

function blockerColumns(): Column<Row>[] {
  return [
    { name: "ns", title: "in all", value: (row) => row.ns, cell: (row) => duration(row.ns), width: "80px" },
    { name: "count", title: "waits", value: (row) => row.count, cell: (row) => count(row.count), width: "80px" },
    {
      name: "longest",
      title: "longest",
      value: (row) => row.longest.ns,
      cell: ({ longest }) => (
        <a
          href={linkTo({
            page: undefined,
            sel: `${longest.task}@${longest.begin_ns}`,
            ...asParameters(around({ from: longest.begin_ns, to: longest.begin_ns + longest.ns }, 0.3)),
          })}
        >
          {duration(longest.ns)}
        </a>
      ),
      width: "90px",
    },
    {
      name: "reason",
      title: "waited for",
      value: (row) => row.reason,
      cell: (row) => <Name of={row.reason} empty="not told" />,
      width: "150px",
      isText: true,
    },
    {
      name: "waker",
      title: "ended by",
      cell: (row) => (row.waker === "code" ? <Own stack={row.waker_stack} /> : WAKERS[row.waker]),
      width: "auto",
      isText: true,
    },
    { name: "stack", title: "where they waited", cell: (row) => <Own stack={row.stack} />, width: "auto", isText: true },
  ];
}

/** The innermost frame that is the program's own, as far as names tell; all of it when pointed at. */
function Own({ stack }: { stack: readonly Frame[] }) {
  const own =
    stack.find(({ function: name }) => !/^(runtime|sync|internal|syscall|time|os|net|std|core|alloc|tokio)\b/.test(name)) ??
    stack[0];
  if (own === undefined) return <Name of={null} empty="not told" />;
  return (
    <details class="own">
      <summary>
        <FunctionName of={own.function} /> <span class="place">{place(own.file, own.line)}</span>
      </summary>
      {stack.slice(0, 30).map((frame, index) => (
        <div key={index}>
          <FunctionName of={frame.function} /> <span class="place">{place(frame.file, frame.line)}</span>
        </div>
      ))}
    </details>
  );
}
