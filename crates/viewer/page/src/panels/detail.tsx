// What is selected: an interval with its stacks and who woke it, or a stretch of time.
import type { Waker } from "../selection";
import { deselect, selected, zoomToSelection, type Interval } from "../selection";
import { words, trace } from "../api/trace";
import { shownTime } from "../clock";
import { duration } from "../duration";
import { FunctionName, Name } from "../name";
import { Frames } from "../parts/frames";
import { TaskLink } from "../parts/task_link";
import { useStore } from "../store";
import { stateOf, stateTitle } from "../timeline/state";
import { asParameters } from "../time_window";
import { linkTo, view, type Change } from "../view";
import { RangeDetail } from "./range_detail";
import { LogDetail, LogList } from "./log_detail";
import { SampleDetail } from "./sample_detail";
import { WhySummary } from "./why_summary";

export function Detail() {
  const { interval, error, asked } = useStore(selected);
  const { range, sample, log } = useStore(view);
  return (
    <section class="detail" aria-label="Selection" aria-live="polite">
      <h2>
        Selection
        {asked !== null && (
          <span class="steps">
            <button type="button" onClick={zoomToSelection} title="z">
              zoom to it
            </button>
            <button type="button" onClick={deselect} aria-label="Select nothing" title="Esc">
              ✕
            </button>
          </span>
        )}
      </h2>
      {error !== null && <p class="note error">{error}</p>}
      {sample !== undefined && <SampleDetail sample={sample} />}
      {log !== undefined && <LogDetail log={log} />}
      {interval !== null && <IntervalDetail interval={interval} />}
      {interval === null && error === null && range === undefined && sample === undefined && log === undefined && <Hint />}
      {range !== undefined && <RangeDetail range={range} />}
    </section>
  );
}

function Hint() {
  return (
    <p class="note">
      Click an interval, or press → for the first one. Drag with Shift to measure a stretch of time. Press ? for all keys.
    </p>
  );
}

function IntervalDetail({ interval }: { interval: Interval }) {
  const { worker } = words(useStore(trace));
  const length = interval.to_ns - interval.from_ns;
  const isOpen = interval.open_left || interval.open_right;
  const state = stateOf(interval.state);
  return (
    <>
      <p class="headline">
        <i class={`swatch ${interval.state}`} aria-hidden="true" /> <strong>{duration(length)}</strong>
        {isOpen && " at least"} {stateTitle(state)}
        {interval.reason !== "" && (
          <>
            : <Name of={interval.reason} />
          </>
        )}
      </p>
      <dl>
        {interval.task !== null && (
          <>
            <dt>{words(trace.value).task}</dt>
            <dd>
              <TaskLink id={interval.task} /> <FunctionName of={interval.name} />
            </dd>
          </>
        )}
        <dt>from</dt>
        <dd>
          {shownTime(interval.from_ns, 1)}
          {interval.open_left && " or earlier"}
        </dd>
        <dt>to</dt>
        <dd>
          {shownTime(interval.to_ns, 1)}
          {interval.open_right && " or later"}
        </dd>
        {interval.worker !== null && (
          <>
            <dt>on {worker}</dt>
            <dd>{interval.worker}</dd>
          </>
        )}
        {interval.user_task !== null && (
          <>
            <dt>user task</dt>
            <dd>
              <TaskLink id={interval.user_task} />
            </dd>
          </>
        )}
        {interval.waker && <WokenBy waker={interval.waker} />}
      </dl>
      {interval.task !== null && <WhySummary task={interval.task} at={interval.from_ns} />}
      <Profiles interval={interval} />
      <LogList track={logTrackOf(interval)} from={interval.from_ns} to={interval.to_ns + 1} />
      <Frames title="Stack where it began" stack={interval.begin_stack} />
      <Frames title="Stack where it ended" stack={interval.end_stack} />
      {interval.waker && <Frames title="Stack of who woke it" stack={interval.waker.stack} />}
    </>
  );
}

/** Rows of regions have no logs of their own. */
function logTrackOf({ track, task }: Interval): string {
  return track.startsWith("regions:") && task !== null ? task : track;
}

/** Flame graphs of the selected stretch of time: of the task, or of all that ran on the thread or worker. */
function Profiles({ interval }: { interval: Interval }) {
  useStore(view);
  const { track, task } = interval;
  const [, kind, number] = /^(thread|worker):(\d+)$/.exec(track) ?? [];
  if (task === null && kind === undefined) return null;
  const span = asParameters({ from: interval.from_ns, to: Math.max(interval.to_ns, interval.from_ns + 1) });
  const of = (type: string): Change => ({ page: "profile", type, id: task ?? undefined, group: undefined, user: undefined, ...span });
  return (
    <p class="actions">
      {task !== null && (
        <>
          <a href={linkTo(of("cpu"))}>CPU meanwhile</a> <a href={linkTo(of("offcpu"))}>where it waited</a>{" "}
        </>
      )}
      {kind !== undefined && (
        <a href={linkTo({ page: "profile", type: "cpu", id: undefined, group: undefined, where: `${kind} == ${number}` })}>
          CPU profile of {track}
        </a>
      )}
    </p>
  );
}

function WokenBy({ waker }: { waker: Waker }) {
  useStore(view);
  if (waker.task === null) {
    return (
      <>
        <dt>woken</dt>
        <dd>
          at {shownTime(waker.at_ns, 1)} by <Name of={waker.name} empty="nobody that is told" />
        </dd>
      </>
    );
  }
  const sel = waker.index === null ? `${waker.task}@${Math.floor(waker.at_ns)}` : `${waker.task}/${waker.index}`;
  return (
    <>
      <dt>woken by</dt>
      <dd>
        <a href={linkTo({ sel })}>{waker.task}</a> <FunctionName of={waker.name} />
      </dd>
    </>
  );
}
