// What was logged: one that was chosen, with who wrote it where, and those of a stretch of time.
import { useAnswer } from "../api/answer";
import type { Frame } from "../api/reports";
import { trace, words } from "../api/trace";
import { shownTime } from "../clock";
import { count } from "../duration";
import { FunctionName, Name } from "../name";
import { Frames } from "../parts/frames";
import { TaskLink } from "../parts/task_link";
import { Told } from "../parts/told";
import { useStore } from "../store";
import { linkTo, view } from "../view";

interface LogTold {
  /** A track that it is on. */
  track: string;
  at_ns: number;
  key: string;
  text: string;
  task: string | null;
  name: string;
  user_task: string | null;
  user_task_name: string;
  stack: Frame[];
}

interface LogsTold {
  logs: LogTold[];
  total: number;
}

/** Longer texts are cut: a panel is no page. */
const MOST_CHARS = 4000;

export function LogDetail({ log }: { log: string }) {
  const [, track, time] = /^([a-z_]+:\d+)@(\d+)$/.exec(log) ?? [];
  const at = Number(time);
  const answer = useAnswer<LogsTold>(track === undefined ? null : "logs", { track, from: at, to: at + 1 });
  if (track === undefined) return <p class="note error">“{log.slice(0, 60)}” is no log.</p>;
  return (
    <>
      <p class="headline">
        <strong>Logged</strong> at {shownTime(at, 1)} on {track} <a href={linkTo({ log: undefined })}>forget it</a>
      </p>
      <Told answer={answer}>{({ logs }) => <LogTexts logs={logs} />}</Told>
    </>
  );
}

function LogTexts({ logs }: { logs: readonly LogTold[] }) {
  if (logs.length === 0) return <p class="note">There is none.</p>;
  return (
    <>
      {logs.map((told, place) => (
        <LogText key={place} told={told} />
      ))}
    </>
  );
}

/** So many are listed of a stretch of time. */
const MOST_LISTED = 12;

/** What was logged in a stretch of time, on a track or at all; nothing where nothing was. */
export function LogList({ track, from, to }: { track?: string; from: number; to: number }) {
  useStore(view);
  const isTold = (useStore(trace)?.logs ?? 0) > 0;
  const answer = useAnswer<LogsTold>(isTold ? "logs" : null, { track, from: Math.floor(from), to: Math.ceil(to), most: MOST_LISTED });
  if (answer.error !== null) return <p class="note error">{answer.error}</p>;
  if (answer.told === null || answer.told.total === 0) return null;
  const { logs, total } = answer.told;
  return (
    <section class="logs" aria-label="What was logged meanwhile">
      <h3>Logged meanwhile</h3>
      <ul>
        {logs.map((log, place) => (
          <li key={place}>
            <a href={linkTo({ log: `${log.track}@${log.at_ns}`, sample: undefined })}>{shownTime(log.at_ns)}</a>{" "}
            <Name of={log.key === "" ? log.text : `${log.key}: ${log.text}`} empty="(an empty message)" most={120} />
          </li>
        ))}
      </ul>
      {total > logs.length && <p class="note">and {count(total - logs.length)} more</p>}
    </section>
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
