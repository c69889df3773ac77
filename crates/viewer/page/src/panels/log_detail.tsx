// A log that was chosen: what it says, and who wrote it where.
import { useAnswer } from "../api/answer";
import type { Frame } from "../api/reports";
import { trace, words } from "../api/trace";
import { shownTime } from "../clock";
import { FunctionName, Name } from "../name";
import { Frames } from "../parts/frames";
import { TaskLink } from "../parts/task_link";
import { Told } from "../parts/told";
import { linkTo } from "../view";

interface LogTold {
  at_ns: number;
  key: string;
  text: string;
  task: string | null;
  name: string;
  user_task: string | null;
  user_task_name: string;
  stack: Frame[];
}

/** Longer texts are cut: a panel is no page. */
const MOST_CHARS = 4000;

export function LogDetail({ log }: { log: string }) {
  const [, track, time] = /^([a-z_]+:\d+)@(\d+)$/.exec(log) ?? [];
  const answer = useAnswer<{ logs: LogTold[] }>(track === undefined ? null : "log", { track, at: Number(time) });
  if (track === undefined) return <p class="note error">“{log.slice(0, 60)}” is no log.</p>;
  return (
    <>
      <p class="headline">
        <strong>Logged</strong> at {shownTime(Number(time), 1)} on {track} <a href={linkTo({ log: undefined })}>forget it</a>
      </p>
      <Told answer={answer}>{({ logs }) => logs.map((told, place) => <LogText key={place} told={told} />)}</Told>
    </>
  );
}

function LogText({ told }: { told: LogTold }) {
  return (
    <>
      <p>
        <Name of={told.text} empty="(an empty message)" most={MOST_CHARS} />
      </p>
      <dl>
        {told.key !== "" && (
          <>
            <dt>category</dt>
            <dd>
              <Name of={told.key} />
            </dd>
          </>
        )}
        {told.task !== null && (
          <>
            <dt>{words(trace.value).task}</dt>
            <dd>
              <TaskLink id={told.task} /> <FunctionName of={told.name} />
            </dd>
          </>
        )}
        {told.user_task !== null && (
          <>
            <dt>user task</dt>
            <dd>
              <TaskLink id={told.user_task} /> <Name of={told.user_task_name} empty="" />
            </dd>
          </>
        )}
      </dl>
      <Frames title="Stack" stack={told.stack} />
    </>
  );
}
