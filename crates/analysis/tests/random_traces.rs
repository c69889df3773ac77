//! Times of tasks in traces of programs that act at random, against what each did.

use std::collections::BTreeMap;

use exectrace_analysis::{Pass, TaskTimes, TaskTimesReport, Window};
use exectrace_reader::{Reader, Timestamp};
use exectrace_testkit::Random;

const PROGRAMS: usize = 60;
const STEPS: usize = 400;
const WORKERS: usize = 3;

/// Why tasks wait, and the event that says so.
const WAITS: [(&str, &str); 4] = [
    ("GoBlockRecv", "chan receive"),
    ("GoBlockSync", "sync"),
    ("GoBlockNet", "network"),
    ("GoSleep", "sleep"),
];

/// What a task is doing.
#[derive(Clone, Copy, PartialEq)]
enum Doing {
    Runnable,
    Running,
    Blocked(usize),
    Gone,
}

/// How long a task did what, by `running`, `runnable` and reasons.
type Times = BTreeMap<&'static str, i64>;

struct Task {
    doing: Doing,
    since: u64,
    /// Starts and wakes so far.
    sequence: u64,
    times: Times,
}

/// A program, and the trace of it.
struct Program {
    random: Random,
    now: u64,
    tasks: Vec<Task>,
    /// What each worker runs.
    running: [Option<usize>; WORKERS],
    /// What each wrote, and when it last did.
    written: [(String, u64); WORKERS],
}

impl Program {
    fn new(random: Random) -> Self {
        let mut program = Self {
            random,
            now: 0,
            tasks: Vec::new(),
            running: [None; WORKERS],
            written: std::array::from_fn(|_| (String::new(), 0)),
        };
        for worker in 0..WORKERS {
            program.write(worker, format_args!("ProcStart thread={}", 70 + worker));
        }
        program.create(0);
        program
    }

    /// Appends an event, some time after the last one.
    fn write(&mut self, worker: usize, event: std::fmt::Arguments<'_>) {
        self.now += 1 + self.random.below(50);
        let (text, before) = &mut self.written[worker];
        let event = event.to_string();
        let (name, fields) = event.split_once(' ').unwrap_or((&event, ""));
        *text += &format!("{name} dt={} {fields}\n", self.now - *before);
        *before = self.now;
    }

    fn create(&mut self, worker: usize) {
        let id = self.tasks.len() + 1;
        self.write(
            worker,
            format_args!("GoCreate task={id} start_stack=0 stack=0"),
        );
        self.tasks.push(Task {
            doing: Doing::Runnable,
            since: self.now,
            sequence: 0,
            times: Times::new(),
        });
    }

    /// From now on a task does something else.
    fn become_(&mut self, task: usize, doing: Doing) {
        let now = self.now;
        let task = &mut self.tasks[task];
        let what = match task.doing {
            Doing::Runnable => "runnable",
            Doing::Running => "running",
            Doing::Blocked(reason) => WAITS[reason].1,
            Doing::Gone => return,
        };
        *task.times.entry(what).or_default() += (now - task.since) as i64;
        (task.doing, task.since) = (doing, now);
    }

    /// One of the tasks that do something, if there is any.
    fn one(&mut self, is_meant: impl Fn(Doing) -> bool) -> Option<usize> {
        let tasks = self.tasks.iter().enumerate();
        let meant: Vec<usize> = tasks
            .filter(|(_, task)| is_meant(task.doing))
            .map(|(number, _)| number)
            .collect();
        let number = self.random.below(meant.len().max(1) as u64) as usize;
        meant.get(number).copied()
    }

    fn sequence(&mut self, task: usize) -> u64 {
        self.tasks[task].sequence += 1;
        self.tasks[task].sequence
    }

    fn step(&mut self) {
        let worker = self.random.below(WORKERS as u64) as usize;
        let Some(own) = self.running[worker] else {
            self.idle(worker);
            return;
        };
        match self.random.below(12) {
            0..=1 if self.tasks.len() < 40 => self.create(worker),
            2..=5 => self.wake(worker),
            6..=7 => {
                self.write(worker, format_args!("GoSched stack=0"));
                self.leave(worker, own, Doing::Runnable);
            }
            8 if own > 0 => {
                self.write(worker, format_args!("GoEnd"));
                self.leave(worker, own, Doing::Gone);
            }
            _ => {
                let reason = self.random.below(WAITS.len() as u64) as usize;
                self.write(worker, format_args!("{} stack=0", WAITS[reason].0));
                self.leave(worker, own, Doing::Blocked(reason));
            }
        }
    }

    /// A worker without a task takes one, or lets one go on as a runtime does for timers and the network.
    fn idle(&mut self, worker: usize) {
        match self.one(|doing| doing == Doing::Runnable) {
            Some(task) => {
                let sequence = self.sequence(task);
                self.write(
                    worker,
                    format_args!("GoStart task={} seq={sequence}", task + 1),
                );
                self.become_(task, Doing::Running);
                self.running[worker] = Some(task);
            }
            None => self.wake(worker),
        }
    }

    fn wake(&mut self, worker: usize) {
        if let Some(task) = self.one(|doing| matches!(doing, Doing::Blocked(_))) {
            let sequence = self.sequence(task);
            self.write(
                worker,
                format_args!("GoUnblock task={} seq={sequence} stack=0", task + 1),
            );
            self.become_(task, Doing::Runnable);
        }
    }

    fn leave(&mut self, worker: usize, task: usize, doing: Doing) {
        self.become_(task, doing);
        self.running[worker] = None;
    }

    /// The trace, and what each task did until its last event.
    fn finish(mut self) -> (Vec<u8>, Vec<Times>) {
        // The last event ends what goes on.
        for task in 0..self.tasks.len() {
            let doing = self.tasks[task].doing;
            self.become_(task, doing);
        }
        let mut text = String::from("go 1.19 trace\n");
        for (worker, (events, _)) in self.written.iter().enumerate() {
            text += &format!("Batch worker={worker} ticks=0\n{events}");
        }
        text += "Frequency ticks_per_second=1000000000\n";
        let bytes = exectrace_format::text::parse(&text).expect("is a trace");
        (bytes, self.tasks.into_iter().map(|it| it.times).collect())
    }
}

fn reports<const N: usize>(file: &[u8], windows: [Window; N]) -> [TaskTimesReport; N] {
    let mut reader = Reader::new(file).expect("has a header");
    let mut passes = windows.map(|window| Pass::new(window, TaskTimes::default()));
    while let Some(event) = reader.next() {
        let event = event.expect("the trace is good");
        for pass in &mut passes {
            pass.event(&event, reader.tables());
        }
    }
    passes.map(|pass| pass.report(reader.tables()))
}

/// What each task did, without what took no time.
fn found(report: &TaskTimesReport) -> BTreeMap<u64, BTreeMap<String, i64>> {
    let tasks = report.tasks.iter().map(|task| {
        let mut times: BTreeMap<String, i64> = task
            .times
            .blocked
            .iter()
            .map(|blocked| (blocked.reason.clone(), blocked.ns))
            .collect();
        times.insert("running".to_owned(), task.times.running_ns);
        times.insert("runnable".to_owned(), task.times.runnable_ns);
        times.retain(|_, ns| *ns > 0);
        (task.id.0, times)
    });
    tasks.collect()
}

#[test]
fn tasks_have_the_times_of_what_they_did_and_windows_add_up() {
    let mut random = Random::from_environment();
    for _ in 0..PROGRAMS {
        let mut program = Program::new(random.split());
        for _ in 0..STEPS {
            program.step();
        }
        let end = program.now;
        let (file, truth) = program.finish();
        let truth = truth.into_iter().enumerate().map(|(number, mut times)| {
            times.retain(|_, ns| *ns > 0);
            let times = times.into_iter();
            let times: BTreeMap<String, i64> =
                times.map(|(what, ns)| (what.to_owned(), ns)).collect();
            (number as u64 + 1, times)
        });
        let truth: BTreeMap<u64, BTreeMap<String, i64>> = truth.collect();
        let cut = Timestamp(1 + random.below(end) as i64);
        let [whole, first, second] = reports(
            &file,
            [Window::WHOLE, Window::until(cut), Window::since(cut)],
        );
        assert!(truth.len() > 5, "{truth:?}");
        assert_eq!(found(&whole), truth);
        for task in &whole.tasks {
            assert_eq!(task.times.life_ns(), task.end.since_ns(task.begin));
        }
        let mut parts = found(&first);
        for (task, times) in found(&second) {
            let part = parts.entry(task).or_default();
            for (what, ns) in times {
                *part.entry(what).or_default() += ns;
            }
        }
        assert_eq!(parts, found(&whole));
    }
}
