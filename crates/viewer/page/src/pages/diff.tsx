// What changed from another trace to this one.
import { useMemo } from "preact/hooks";
import { useReport } from "../api/report";
import type { DiffReport, Difference } from "../api/diff_report";
import { count, duration, percent } from "../duration";
import { Name } from "../name";
import { DataTable, type Column } from "../parts/data_table";
import { FilterBox } from "../parts/filter_box";
import { PageHead, useWindow } from "../parts/page_head";
import { Told } from "../parts/told";
import { useStore } from "../store";
import { view } from "../view";

export function Diff() {
  const { where } = useStore(view);
  const span = useWindow();
  const answer = useReport<DiffReport>("diff", { where, from: span?.from, to: span?.to, most: 500 });
  return (
    <main class="page">
      <PageHead title="what changed">
        <FilterBox example='name == "request" && duration > 5ms' />
      </PageHead>
      <Told answer={answer}>{(report) => <Content report={report} />}</Told>
    </main>
  );
}

function Content({ report }: { report: DiffReport }) {
  const columns = useMemo(differenceColumns, []);
  return (
    <>
      <p>
        from <Name of={report.old} /> ({duration(report.old_span_ns)}) to <Name of={report.new} /> ({duration(report.new_span_ns)}
        ): {count(report.compared)} values compared; {count(report.changed)} changed by more than chance and{" "}
        {percent(report.threshold.relative)}, came or went
      </p>
      <DataTable caption="What changed" columns={columns} rows={report.differences} />
      {report.truncated && <p class="note">{count(report.total - report.differences.length)} more are left out.</p>}
      <Classes title="Findings that are new" findings={report.new_findings} />
      <Classes title="Findings that are gone" findings={report.gone_findings} />
    </>
  );
}

function Classes({ title, findings }: { title: string; findings: DiffReport["new_findings"] }) {
  if (findings.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <ul class="plain">
        {findings.map((finding, place) => (
          <li key={place}>
            {duration(finding.lost_ns)}: {finding.class.replaceAll("_", " ")}{" "}
            {finding.place !== null && (
              <>
                in <Name of={finding.place.function} />
              </>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function differenceColumns(): Column<Difference>[] {
  const value = (row: Difference, side: "old" | "new") => {
    const told = row[side];
    return told === null
      ? "–"
      : row.unit === "ns"
        ? duration(told)
        : row.unit === "share"
          ? percent(told)
          : `${told.toPrecision(3)}/s`;
  };
  return [
    {
      name: "verdict",
      title: "is",
      value: (row) => row.verdict,
      cell: (row) => <Verdict row={row} />,
      width: "90px",
      isText: true,
    },
    {
      name: "name",
      title: "what",
      value: (row) => row.name ?? "",
      cell: (row) => (
        <>
          <span class="faint">{row.of.replace("_", " ")}</span> <Name of={row.name ?? row.stack?.join(" ← ") ?? ""} />
        </>
      ),
      width: "auto",
      isText: true,
    },
    {
      name: "measure",
      title: "measure",
      value: (row) => row.measure,
      cell: (row) => `${row.measure.replaceAll("_", " ")}${row.reason ? `: ${row.reason}` : ""}`,
      width: "200px",
      isText: true,
    },
    { name: "old", title: "before", value: (row) => row.old ?? -1, cell: (row) => value(row, "old"), width: "90px" },
    { name: "new", title: "now", value: (row) => row.new ?? -1, cell: (row) => value(row, "new"), width: "90px" },
    {
      name: "ratio",
      title: "times",
      value: ratio,
      cell: (row) => (ratio(row) > 0 ? `${ratio(row).toPrecision(3)}×` : "–"),
      width: "80px",
    },
    {
      name: "p",
      title: "by chance",
      value: (row) => row.p ?? 2,
      cell: (row) => (row.p === null ? "–" : row.p.toPrecision(2)),
      width: "90px",
    },
  ];
}

function Verdict({ row }: { row: Difference }) {
  return <strong class={row.is_worse ? "worse" : undefined}>{row.verdict.replace("_", " ")}</strong>;
}

function ratio({ old, new: now }: Difference): number {
  return old !== null && now !== null && old > 0 ? now / old : 0;
}
