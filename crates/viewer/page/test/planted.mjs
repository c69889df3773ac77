// A trace of a service whose truth is known, since it is written here: 1.4 s on four workers.
//
// - Twenty requests of 2 ms, and one, user task 13, of 212 ms: its goroutine 113 waits 200 ms for a mutex.
// - Goroutine 50 held that mutex while it slept, in `main.(*Store).compact`, and woke 113.
// - Worker 2 runs goroutine 77, `main.spin`, from 1.0 s to 1.3 s.
// - Inside requests most CPU samples are in `main.encode`; outside, more are in `main.spin`.
// - One collection, from 0.9 s to 0.95 s, stops the world for 10 ms.
//
// Apart from it: traces of many requests, to compare one with another.
import { V1Trace } from "./v1_trace.mjs";

const MS = 1_000_000;

/** Fewer tell nothing that might not be chance. */
const STEADY_REQUESTS = 200;

const HANDLE = "main.handle server.go:30";
const LOCK = ["sync.(*Mutex).Lock mutex.go:90", "main.(*Store).get store.go:41", HANDLE];
const SLEEP = ["time.Sleep sleep.go:195", "main.(*Store).compact store.go:77"];
const UNLOCK = ["sync.(*Mutex).Unlock mutex.go:223", "main.(*Store).compact store.go:78"];
const ENCODE = ["main.encode encode.go:12", HANDLE];
const PARSE = ["main.parse parse.go:9", HANDLE];
const SPIN = ["main.spin spin.go:9"];

export function plantedTrace() {
  const trace = new V1Trace();
  trace.event(0, 1000, "Gomaxprocs", 4, 0);
  for (let worker = 0; worker < 4; worker++) trace.event(worker, 2000 + worker, "ProcStart", worker + 1);
  trace.create(0, 3000, 1, "main.main main.go:10", ["main.main main.go:10"]).start(0, 4000, 1);
  keepers(trace);
  for (let number = 1; number <= 12; number++) request(trace, number, 20 * MS * number);
  slowRequest(trace);
  for (let number = 14; number <= 21; number++) request(trace, number, (720 + 20 * (number - 14)) * MS);
  collection(trace);
  spin(trace);
  trace.event(0, 1399 * MS, "GoSched", trace.stack(["main.main main.go:20"]));
  return trace.bytes();
}

/** Requests of 2 ms one after another, each with a delay at its end. */
export function steadyTrace(delay_ns) {
  const trace = new V1Trace();
  trace.event(0, 1000, "Gomaxprocs", 4, 0).event(0, 2000, "ProcStart", 1).event(1, 2001, "ProcStart", 2);
  trace.create(0, 3000, 1, "main.main main.go:10", ["main.main main.go:10"]).start(0, 4000, 1);
  for (let number = 1; number <= STEADY_REQUESTS; number++) request(trace, number, 10 * MS * number, delay_ns);
  trace.event(0, 10 * MS * (STEADY_REQUESTS + 1), "GoSched", trace.stack(["main.main main.go:20"]));
  return trace.bytes();
}

/** The store's goroutine, which sleeps with the lock. */
function keepers(trace) {
  trace.create(0, 490 * MS - 1000, 50, "main.(*Store).compact store.go:70", ["main.main main.go:12"]);
  trace.start(3, 490 * MS, 50).event(3, 495 * MS, "GoSleep", trace.stack(SLEEP));
}

/** A request of 2 ms on worker 1, with samples, and with a delay at its end. */
function request(trace, number, at, delay_ns = 0) {
  const task = 100 + number;
  trace.create(0, at, task, HANDLE, ["main.serve server.go:10"]).start(1, at + 1000, task);
  trace.event(1, at + 2000, "UserTaskCreate", number, 0, trace.string("request"), trace.stack([HANDLE]));
  trace.event(1, at + 3000, "UserRegion", number, 0, trace.string("work"), trace.stack([HANDLE]));
  const stack = trace.stack(number % 4 === 0 ? PARSE : ENCODE);
  trace.event(1, at + MS, "CPUSample", at + MS - 10, 1, task, stack);
  trace.event(1, at + 1_500_000, "UserLog", number, trace.string("status"), trace.stack([HANDLE]), "200");
  trace.event(1, at + 1_900_000, "UserRegion", number, 1, trace.string("work"), trace.stack([HANDLE]));
  trace.event(1, at + 2_002_000 + delay_ns, "UserTaskEnd", number, trace.stack([HANDLE]));
  trace.event(1, at + 2_003_000 + delay_ns, "GoEnd");
}

function slowRequest(trace) {
  const at = 500 * MS;
  trace.create(0, at, 113, HANDLE, ["main.serve server.go:10"]).start(1, at + 1000, 113);
  trace.event(1, at + 2000, "UserTaskCreate", 13, 0, trace.string("request"), trace.stack([HANDLE]));
  trace.event(1, at + MS, "GoBlockSync", trace.stack(LOCK));
  trace.unblock(3, 700 * MS, 50, []).start(3, 700 * MS + 1000, 50);
  trace.unblock(3, 701 * MS, 113, UNLOCK).event(3, 702 * MS, "GoSleep", trace.stack(SLEEP));
  trace.start(1, 701 * MS + 1000, 113);
  trace.event(1, at + 212 * MS + 2000, "UserTaskEnd", 13, trace.stack([HANDLE]));
  trace.event(1, at + 212 * MS + 3000, "GoEnd");
}

function collection(trace) {
  trace.event(0, 899 * MS, "HeapGoal", 8 << 20).event(0, 899 * MS + 1000, "HeapAlloc", 8 << 20);
  trace.event(0, 900 * MS, "GCSTWStart", 1).event(0, 900 * MS + 1000, "GCStart", 0, trace.stack(["runtime.gcStart mgc.go:600"]));
  trace.event(0, 905 * MS, "GCSTWDone").event(0, 945 * MS, "GCSTWStart", 0);
  trace.event(0, 950 * MS - 1000, "GCDone").event(0, 950 * MS, "GCSTWDone");
  trace.event(0, 951 * MS, "HeapAlloc", 3 << 20);
}

function spin(trace) {
  trace.create(0, 1000 * MS - 1000, 77, "main.spin spin.go:1", ["main.main main.go:13"]).start(2, 1000 * MS, 77);
  for (let at = 1005; at < 1300; at += 10) trace.event(2, at * MS, "CPUSample", at * MS - 10, 2, 77, trace.stack(SPIN));
  trace.event(2, 1300 * MS, "GoBlockRecv", trace.stack(["main.spin spin.go:20"]));
}
