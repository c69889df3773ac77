// A stretch of time that was measured: what tasks did in it.
import { useReport } from "../api/report";
import type { StateName, TasksReport } from "../api/reports";
import { shownTime } from "../clock";
import { duration } from "../duration";
import { FunctionName } from "../name";
import { StateBar } from "../parts/state_bar";
import { Told } from "../parts/told";
import { asParameters, parseRange } from "../time_window";
import { linkTo } from "../view";
import { LogList } from "./log_detail";

const STATES: readonly StateName[] = ["running", "runnable", "blocked", "syscall", "unknown"];

export function RangeDetail({ range }: { range: string }) {
  const span = parseRange(range);
  const answer = useReport<TasksReport>(span === null ? null : "tasks", { from: span?.from, to: span?.to, most: 12 });
  if (span === null) return <p class="note error">“{range.slice(0, 60)}” is no stretch of time.</p>;
  return (
    <>
      <p class="headline">
        <strong>{duration(span.to - span.from)}</strong> from {shownTime(span.from)} to {shownTime(span.to)}
      </p>
      <p class="actions">
        <a href={linkTo({ range: undefined, ...asParameters(span) })}>zoom in</a>{" "}
        <a href={linkTo({ page: "profile", type: "cpu", range: undefined, ...asParameters(span) })}>CPU profile</a>{" "}
        <a href={linkTo({ page: "profile", type: "offcpu", range: undefined, ...asParameters(span) })}>where tasks waited</a>{" "}
        <a href={linkTo({ range: undefined })}>forget it</a>
      </p>
      <Told answer={answer}>{(report) => <Groups report={report} />}</Told>
      <LogList from={span.from} to={span.to} />
    </>
  );
}

function Groups({ report }: { report: TasksReport }) {
  const groups = report.groups ?? [];
  const sum = (state: StateName) => groups.reduce((total, group) => total + group[state].sum_ns, 0);
  return (
    <>
      <StateBar withWords parts={STATES.map((state) => ({ state, ns: sum(state) }))} />
      <ul class="groups">
        {groups.map((group) => (
          <li key={group.function}>
            <FunctionName of={group.function} /> <span class="faint">{group.tasks}×</span>
            <StateBar parts={STATES.map((state) => ({ state, ns: group[state].sum_ns }))} />
          </li>
        ))}
      </ul>
      {report.truncated && <p class="note">and {report.total - groups.length} other functions</p>}
    </>
  );
}
