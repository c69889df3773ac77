//! What is drawn is right: what the server sends of real traces, held against what the reader tells, by a slow and plain routine.

use std::collections::BTreeMap;

use crate::client::Client;
use exectrace_analysis::{Analysis, Context, Interval, Pass, Window};
use exectrace_reader::{Event, Kind, Reader, State, TaskId};
use exectrace_testkit::{Corpus, Random};

/// Ten traces of both formats and both languages that have something to draw.
const TRACES: [&str; 10] = [
    "recorded/exectrace/futures.trace",
    "recorded/exectrace/threads.trace",
    "recorded/go1.19/blocked.trace",
    "recorded/go1.19/generations.trace",
    "recorded/go1.19/ordinary.trace",
    "recorded/go1.27/allocations.trace",
    "recorded/go1.27/blocked.trace",
    "recorded/go1.27/generations.trace",
    "recorded/go1.27/ordinary.trace",
    "recorded/go1.27/start_in_gc.trace",
];

/// Windows that are tried of each trace.
const WINDOWS: usize = 12;

/// Rows of each kind that are looked at.
const ROWS: usize = 40;

/// Begin, end and state of an interval, as answers number states.
pub(crate) type Plain = (u64, u64, u8);

/// All that rows are made of, as the reader tells it.
#[derive(Default)]
struct Raw {
    tasks: BTreeMap<u64, Vec<Plain>>,
    workers: BTreeMap<i64, Vec<Plain>>,
    /// Samples in order, by the rows that are to show them.
    samples: BTreeMap<String, Vec<Sample>>,
    samples_total: u64,
    end_ns: u64,
}

/// When a sample was taken, and where: functions and lines, innermost first.
type Sample = (u64, Vec<(String, u64)>);

impl Analysis for Raw {
    type Report = Self;

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        if event.kind != Kind::Sample {
            return;
        }
        self.samples_total += 1;
        let frames = context.tables.frames(event.stack).map(|frame| {
            let function = context.tables.text(frame.function);
            (function.into_owned(), frame.line)
        });
        let sample: Sample = (event.time.since_ns(context.begin) as u64, frames.collect());
        let rows = [
            Some(format!("worker:{}", event.worker.0)),
            Some(format!("thread:{}", event.thread.0)),
            // Task 0 is none.
            (event.task.0 != 0).then(|| format!("task:{}", event.task.0)),
        ];
        for row in rows.into_iter().flatten() {
            self.samples.entry(row).or_default().push(sample.clone());
        }
    }

    fn interval(&mut self, interval: &Interval, context: &Context<'_>) {
        let since = |edge: &exectrace_analysis::Edge| edge.time.since_ns(context.begin) as u64;
        let state = match interval.state {
            State::Running => 1,
            State::Runnable => 2,
            State::Waiting => 3,
            State::Syscall => 4,
            State::Undetermined => 5,
            _ => return,
        };
        let plain = (since(&interval.begin), since(&interval.end), state);
        self.tasks.entry(interval.task.0).or_default().push(plain);
        let begun_on = interval.begin.worker.0;
        let worker = if begun_on < 0 {
            interval.end.worker.0
        } else {
            begun_on
        };
        if state == 1 && worker >= 0 {
            self.workers.entry(worker).or_default().push(plain);
        }
    }

    fn report(mut self, context: &Context<'_>) -> Self {
        self.end_ns = context.end.since_ns(context.begin) as u64;
        // An id that was used twice means its last life.
        let mut lives = BTreeMap::<TaskId, usize>::new();
        context
            .lives
            .iter()
            .for_each(|(_, life)| *lives.entry(life.task).or_default() += 1);
        self.tasks.retain(|task, _| lives[&TaskId(*task)] == 1);
        self
    }
}

fn raw(file: &[u8]) -> Raw {
    let mut reader = Reader::tolerant(file).expect("is a trace");
    let mut pass = Pass::new(Window::WHOLE, Raw::default());
    while let Some(event) = reader.next() {
        pass.event(&event.expect("a tolerant reader has none"), reader.tables());
    }
    pass.report(reader.tables())
}

/// What an answer says of a row.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Drawn {
    /// With their numbers.
    intervals: Vec<(u32, Plain)>,
    /// Bucket, begins, longest, shares by state.
    mixes: Vec<(u32, u32, f32, [u8; 8])>,
}

impl Drawn {
    /// How many intervals begin in it.
    pub(crate) fn begun(&self) -> u32 {
        let mixes = self.mixes.iter().map(|(_, count, ..)| count);
        mixes.sum::<u32>() + self.intervals.len() as u32
    }

    /// Of a row of many: the buckets that have something, and how many intervals begin in each.
    pub(crate) fn counts(&self) -> Vec<(u32, u32)> {
        assert_eq!(self.intervals, [], "it tells of many at once");
        let mixes = self.mixes.iter();
        mixes.map(|&(bucket, count, ..)| (bucket, count)).collect()
    }
}

/// What an answer begins with, and its rows.
pub(crate) struct Answer {
    from_ns: u64,
    bucket_ns: u64,
    buckets: u32,
    pub(crate) rows: Vec<Drawn>,
}

/// Numbers one after another.
struct Bytes<'a>(&'a [u8], usize);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let taken = self.0[self.1..][..N].try_into().expect("so many");
        self.1 += N;
        taken
    }

    fn number(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn time(&mut self) -> u64 {
        f64::from_le_bytes(self.take()) as u64
    }

    fn array<T>(&mut self, count: u32, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let items = (0..count).map(|_| item(self)).collect();
        self.1 = self.1.next_multiple_of(8);
        items
    }
}

pub(crate) fn parsed(bytes: &[u8]) -> Answer {
    let mut bytes = Bytes(bytes, 0);
    assert_eq!(&bytes.take::<4>(), b"XTR1");
    let tracks = bytes.number();
    let (from_ns, bucket_ns) = (bytes.time(), bytes.time());
    let (buckets, _revision) = (bytes.number(), bytes.number());
    let rows = (0..tracks).map(|_| row(&mut bytes)).collect();
    assert_eq!(bytes.1, bytes.0.len());
    Answer {
        from_ns,
        bucket_ns,
        buckets,
        rows,
    }
}

fn row(bytes: &mut Bytes<'_>) -> Drawn {
    let (intervals, mixes) = (bytes.number(), bytes.number());
    let _full_ns = bytes.time();
    let begins = bytes.array(intervals, Bytes::time);
    let ends = bytes.array(intervals, Bytes::time);
    let numbers = bytes.array(intervals, Bytes::number);
    let _labels = bytes.array(intervals, Bytes::number);
    let states = bytes.array(intervals, |it| it.take::<1>()[0]);
    let buckets = bytes.array(mixes, Bytes::number);
    let counts = bytes.array(mixes, Bytes::number);
    let longest = bytes.array(mixes, |it| f32::from_le_bytes(it.take()));
    let _longest_states = bytes.array(mixes, |it| it.take::<1>()[0]);
    let shares = bytes.array(mixes, |it| it.take::<8>());
    let intervals = (0..intervals as usize)
        .map(|place| (numbers[place], (begins[place], ends[place], states[place])));
    let mixes = (0..mixes as usize)
        .map(|place| (buckets[place], counts[place], longest[place], shares[place]));
    Drawn {
        intervals: intervals.collect(),
        mixes: mixes.collect(),
    }
}

/// What a row should be, from its intervals alone.
pub(crate) fn plainly(intervals: &[Plain], answer: &Answer) -> Drawn {
    plainly_if(intervals, answer, |_| true)
}

/// What of a row should be left of the intervals whose numbers are meant.
pub(crate) fn plainly_if(
    intervals: &[Plain],
    answer: &Answer,
    is_meant: impl Fn(usize) -> bool,
) -> Drawn {
    let mut drawn = Drawn::default();
    let width = answer.bucket_ns;
    let end_ns = answer.from_ns + width * u64::from(answer.buckets);
    for (number, plain) in (0_u32..).zip(intervals) {
        let is_in = plain.0 < end_ns && (plain.1 > answer.from_ns || plain.0 >= answer.from_ns);
        if is_in && plain.1 - plain.0 >= width && is_meant(number as usize) {
            drawn.intervals.push((number, *plain));
        }
    }
    let meant = || (0..).zip(intervals).filter(|(number, _)| is_meant(*number));
    let short = || meant().filter(|(_, plain)| plain.1 - plain.0 < width);
    for bucket in 0..answer.buckets {
        let from_ns = answer.from_ns + u64::from(bucket) * width;
        let to_ns = from_ns + width;
        let (mut count, mut longest, mut ns) = (0, None, [0; 8]);
        for (_, (begin_ns, end_ns, state)) in short() {
            let begins = (from_ns..to_ns).contains(begin_ns);
            if begins || (*begin_ns < from_ns && *end_ns > from_ns) {
                count += u32::from(begins);
                longest = longest.max(Some(end_ns - begin_ns));
                ns[usize::from(*state)] += end_ns.min(&to_ns) - begin_ns.max(&from_ns);
            }
        }
        if let Some(longest) = longest {
            let shares = ns.map(|ns| (ns * 255).div_ceil(width).min(255) as u8);
            drawn.mixes.push((bucket, count, longest as f32, shares));
        }
    }
    drawn
}

/// The counts of a row of many, from the intervals of all.
pub(crate) fn plain_counts(intervals: &[Plain], answer: &Answer) -> Vec<(u32, u32)> {
    let buckets = (0..answer.buckets).filter_map(|bucket| {
        let from_ns = answer.from_ns + u64::from(bucket) * answer.bucket_ns;
        let to_ns = from_ns + answer.bucket_ns;
        let begins = |(begin_ns, ..): &&Plain| (from_ns..to_ns).contains(begin_ns);
        let count = intervals.iter().filter(begins).count() as u32;
        let reaches_in = |&(begin_ns, end_ns, _): &Plain| begin_ns < from_ns && end_ns > from_ns;
        (count > 0 || intervals.iter().any(reaches_in)).then_some((bucket, count))
    });
    buckets.collect()
}

#[test]
fn rows_are_what_the_reader_tells() {
    let corpus = Corpus::shipped();
    let mut random = Random::from_environment();
    let mut compared = 0;
    for file in TRACES {
        let bytes = corpus.trace(file).bytes();
        let raw = raw(&bytes);
        let client = Client::of(bytes);
        client.wait();
        assert_eq!(
            client.get("api/trace").json()["end_ns"],
            raw.end_ns,
            "{file}"
        );
        let tasks = raw.tasks.iter().map(|(id, it)| (format!("task:{id}"), it));
        let workers = raw
            .workers
            .iter()
            .map(|(id, it)| (format!("worker:{id}"), it));
        let rows: Vec<(String, &Vec<Plain>)> = workers.take(ROWS).chain(tasks.take(ROWS)).collect();
        let ids: Vec<&str> = rows.iter().map(|(id, _)| id.as_str()).collect();
        for window in 0..WINDOWS {
            let (from, to) = if window == 0 {
                (0, raw.end_ns + 1)
            } else {
                random_window(&mut random, raw.end_ns)
            };
            let width = 1 + random.below(700);
            let target = format!(
                "api/runs?tracks={}&from={from}&to={to}&width={width}",
                ids.join(",")
            );
            let answer = client.get(&target);
            assert_eq!(answer.status, 200, "{file}: {target}");
            let answer = parsed(&answer.body);
            assert_eq!(answer.rows.len(), rows.len());
            for ((id, intervals), row) in rows.iter().zip(&answer.rows) {
                assert_eq!(
                    *row,
                    plainly(intervals, &answer),
                    "{file}: {id} in {target}"
                );
                compared += row.intervals.len() + row.mixes.len();
            }
        }
    }
    assert!(compared > 4_000, "{compared} were compared");
}

/// Of all orders of magnitude.
pub(crate) fn random_window(random: &mut Random, end_ns: u64) -> (u64, u64) {
    let from = random.below(end_ns);
    let order = random.below(20);
    let ns = 1 + random.below((end_ns >> order).max(1));
    (from, from + ns)
}

#[test]
fn samples_are_all_there() {
    let corpus = Corpus::shipped();
    let mut seen = 0;
    for file in TRACES {
        let bytes = corpus.trace(file).bytes();
        let raw = raw(&bytes);
        let client = Client::of(bytes);
        client.wait();
        let told = &client.get("api/trace").json()["samples"];
        assert_eq!(*told, raw.samples_total, "{file}");
        for (row, samples) in &raw.samples {
            let end_ns = raw.end_ns + 1;
            let target = format!("api/marks?tracks={row}&from=0&to={end_ns}&width=1000");
            let answer = client.get(&target).json();
            let marks = answer["marks"].as_array().expect("a list");
            let counts = marks.iter().filter_map(|mark| mark["count"].as_u64());
            assert_eq!(
                counts.sum::<u64>(),
                samples.len() as u64,
                "{file}: {target}"
            );
            for mark in marks {
                let stack = mark["stack"].as_array().expect("a list").iter();
                let frames = stack.map(|frame| {
                    let function = frame["function"].as_str().expect("a text").to_owned();
                    (function, frame["line"].as_u64().expect("a number"))
                });
                let at_ns = mark["at_ns"].as_u64().expect("a time");
                let sample = (at_ns, frames.collect());
                assert!(samples.contains(&sample), "{file}: {target}: {sample:?}");
                assert_ne!(sample.1, [], "{file}: {target}");
            }
            // Each is on the rows of its worker and thread, too.
            seen += samples.len() * usize::from(row.starts_with("task:"));
        }
    }
    assert!(seen > 8, "{seen} samples");
}
