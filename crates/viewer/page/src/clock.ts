// Times as the reader wants them: since the first event, or of day.
import { trace } from "./api/trace";
import { moment, timeOfDay } from "./duration";
import { view } from "./view";

/** What the wall clock showed at the first event, if times of day are wanted and told. */
export function wallClock(): number | null {
  return view.value.clock === "wall" ? (trace.value?.wall_clock_ns ?? null) : null;
}

/** A time with as many decimals as a step of `step_ns` needs. */
export function shownTime(ns: number, step_ns?: number): string {
  const wall = wallClock();
  return wall === null ? moment(ns, step_ns) : timeOfDay(wall + ns, step_ns);
}
