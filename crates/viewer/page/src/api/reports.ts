// What reports look like: the keys that the page reads, of those that `exectrace NAME --json` prints.

export interface Frame {
  function: string;
  file: string;
  line: number;
}

export interface Spread {
  count: number;
  sum_ns: number;
  min_ns: number;
  mean_ns: number;
  p50_ns: number;
  p90_ns: number;
  p99_ns: number;
  max_ns: number;
}

export interface Evidence {
  task: string;
  from_ns: number;
  to_ns: number;
  stack: Frame[];
}

export interface Finding {
  class: string;
  severity: "low" | "medium" | "high";
  lost_ns: number;
  share: number;
  count: number;
  place: Frame | null;
  cause: Frame | null;
  evidence: Evidence[];
  advice: string;
}

export interface FindingsReport {
  span_ns: number;
  findings: Finding[];
  truncated: boolean;
  total: number;
}

export interface Request {
  id: string;
  name: string;
  begin_ns: number;
  ns: number;
}

export interface SummaryReport {
  is_whole: boolean;
  trust: string;
  span_ns: number;
  short_of: string;
  load: { workers: number; busy: number; queued: number };
  requests: { name: string; spread: Spread; max_ns: number[] }[];
  longest: Request[];
}

export type StateName = "running" | "runnable" | "blocked" | "syscall" | "unknown";

export interface TaskGroup {
  function: string;
  tasks: number;
  life: Spread;
  running: Spread;
  runnable: Spread;
  blocked: Spread;
  syscall: Spread;
  unknown: Spread;
  blocked_by_reason_ns: Record<string, number>;
}

export interface TaskTimes {
  id: string;
  function: string;
  begin_ns: number;
  end_ns: number;
  is_created: boolean;
  has_ended: boolean;
  running_ns: number;
  runnable_ns: number;
  blocked_ns: number;
  syscall_ns: number;
  unknown_ns: number;
  blocked_by_reason_ns: Record<string, number>;
}

export interface LifeInterval {
  state: StateName;
  reason: string;
  begin_ns: number;
  end_ns: number;
  is_open_left: boolean;
  is_open_right: boolean;
  worker: string | null;
  thread: string | null;
  stack: Frame[];
  woken_by: string | null;
  waker_stack: Frame[];
}

export interface TaskLife {
  function: string;
  begin_ns: number;
  end_ns: number;
  creator: string | null;
  creator_stack: Frame[];
  intervals: LifeInterval[];
}

export interface TasksReport {
  groups?: TaskGroup[];
  tasks?: TaskTimes[];
  id?: string;
  lives?: TaskLife[];
  tasks_total: number;
  total: number;
  truncated: boolean;
}

export type AnnotationKind = "user_task" | "region";

export interface Instance {
  kind: AnnotationKind;
  name: string | null;
  user_task: string | null;
  task: string;
  begin_ns: number;
  end_ns: number;
  ns: number;
  is_open_left: boolean;
  is_open_right: boolean;
  function: string;
  parent: { user_task: string; name: string | null } | null;
  parts: Omit<Instance, "parts" | "parts_total" | "logs" | "logs_total" | "parent" | "function">[];
  parts_total: number;
  logs: { time_ns: number; task: string; key: string; message: string }[];
  logs_total: number;
}

export interface LatencyGroup {
  kind: AnnotationKind;
  name: string | null;
  count: number;
  closed: Spread | null;
  open_left: { count: number; at_least_ns: number };
  open_right: { count: number; at_least_ns: number };
  open_both: { count: number; at_least_ns: number };
  histogram?: { from_ns: number; to_ns: number; count: number }[];
  worst?: Instance[];
}

export interface LatencyReport {
  name: string | null;
  groups: LatencyGroup[];
  stray_ends_total: number;
  total: number;
  truncated: boolean;
}

export interface ProfileReport {
  type: string;
  count: number;
  ns: number;
  functions: {
    function: string;
    flat_count: number;
    flat_ns: number;
    cumulative_count: number;
    cumulative_ns: number;
  }[];
  stacks: { count: number; ns: number; waits_for?: string | null; stack: Frame[] }[];
  total: number;
  stacks_total: number;
  truncated: boolean;
}

export interface BlockersReport {
  count: number;
  ns: number;
  open_count: number;
  open_ns: number;
  total: number;
  truncated: boolean;
  blockers: {
    waker: "code" | "timer" | "network" | "runtime";
    reason: string;
    count: number;
    ns: number;
    longest: { task: string; begin_ns: number; ns: number };
    waker_stack: Frame[];
    stack: Frame[];
  }[];
}

export interface WorkersReport {
  begin_ns: number;
  end_ns: number;
  bucket_ns: number;
  in_syscalls: number[];
  workers: {
    id: string;
    name: string | null;
    busy_ns: number;
    on_thread_ns: number;
    parks: number;
    starts: number;
    steals: number;
    busy: number[];
  }[];
  threads: { id: string; name: string | null; running_ns: number; syscall_ns: number; starts: number; syscalls: number }[];
  threads_total: number;
  total: number;
  truncated: boolean;
}

export interface GcReport {
  cycles: {
    begin_ns: number;
    end_ns: number;
    is_open_left: boolean;
    is_open_right: boolean;
    stopped_ns: number;
    assists: number;
    assist_ns: number;
    live_begin_bytes: number | null;
    live_end_bytes: number | null;
    goal_bytes: number | null;
  }[];
  total: number;
  stop_reasons: { reason: string; stops: Spread }[];
  stops: {
    begin_ns: number;
    end_ns: number;
    reason: string;
    task: string;
    function: string;
  }[];
  stops_total: number;
  assists: Spread | null;
  assist_functions: { function: string; count: number; sum_ns: number }[];
  sweeps: Spread | null;
  swept_bytes: number;
  reclaimed_bytes: number;
  heap: {
    begin_ns: number;
    point_ns: number;
    points: { live_bytes_min: number | null; live_bytes_max: number | null; goal_bytes: number | null }[];
  } | null;
  utilization: {
    stops: boolean;
    background: boolean;
    assists: boolean;
    sweeps: boolean;
    by_worker: boolean;
    points: {
      window_ns: number;
      utilization: number;
      worst: { begin_ns: number; window_ns: number; utilization: number; worker: string | null }[];
    }[];
  }[];
}

export interface WhyReport {
  id: string;
  name: string;
  begin_ns: number;
  end_ns: number;
  duration_ns: number;
  is_open_left: boolean;
  gc_ns: number;
  stopped_ns: number;
  path: { is_own: boolean; function: string; state: StateName; reason: string; ns: number; count: number }[];
  total: number;
  truncated: boolean;
  chain: {
    task: string;
    function: string;
    state: StateName;
    reason: string;
    begin_ns: number;
    end_ns: number;
    stack: Frame[];
    woken_by: string | null;
    waker_stack: Frame[];
  }[];
  chain_end: string | null;
}
