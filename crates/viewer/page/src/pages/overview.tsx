// The first screen: what cost most, when it was slow, how busy the program was, and what ran when.
import { trace, words } from "../api/trace";
import { Detail } from "../panels/detail";
import { Findings } from "../panels/findings";
import { LatencyScatter } from "../panels/latency_scatter";
import { Strips } from "../panels/strips";
import { FilterBox } from "../parts/filter_box";
import { useStore } from "../store";
import { jump, restingSpan, wholeSpan } from "../time_window";
import { duration } from "../duration";
import { Timeline } from "../timeline/timeline";
import { TRACK_KINDS } from "../timeline/rows";
import { linkTo, view } from "../view";
import { FollowWhy } from "../why";

export function Overview() {
  return (
    <main class="overview">
      <aside>
        <Findings />
        <Detail />
      </aside>
      <div class="time">
        <LatencyScatter />
        <Strips />
        <TrackKinds />
        <Timeline />
        <FollowWhy />
      </div>
    </main>
  );
}

function TrackKinds() {
  const { by = "worker" } = useStore(view);
  const told = useStore(trace);
  const { worker } = words(told);
  const titles: Record<(typeof TRACK_KINDS)[number], string> = {
    worker,
    thread: "thread",
    group: "function",
    user_task: "user task",
    region: "region",
  };
  return (
    <div class="kinds">
      <nav aria-label="Tracks">
        <span>tracks by</span>
        {TRACK_KINDS.map((kind) => (
          <a key={kind} href={linkTo({ by: kind === "worker" ? undefined : kind, open: undefined })} aria-current={by === kind}>
            {titles[kind]}
          </a>
        ))}
      </nav>
      <FilterBox example={by === "user_task" || by === "region" ? 'name == "request" && duration > 50ms' : 'state == "blocked" && duration > 5ms'} />
      <WindowShown />
    </div>
  );
}

function WindowShown() {
  const span = useStore(restingSpan);
  const whole = useStore(wholeSpan);
  const isWhole = span.from <= whole.from && span.to >= whole.to;
  return (
    <span class="window">
      {duration(span.to - span.from)} shown
      {!isWhole && (
        <button type="button" onClick={() => jump(wholeSpan.value)} title="0">
          whole trace
        </button>
      )}
    </span>
  );
}
