//! Events, counted as the table counts them.

use std::collections::{BTreeMap, BTreeSet};

use crate::line::Line;

/// Numbers of events, and of what they are about.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    events: u64,
    by_kind: BTreeMap<String, u64>,
    seen: BTreeSet<i64>,
    created: BTreeSet<i64>,
    workers: BTreeSet<i64>,
    threads: BTreeSet<i64>,
    workers_max: i64,
    first_sync: Option<i64>,
    first: Option<i64>,
    last: i64,
    regions_begun: u64,
    regions_ended: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, line: &Line<'_>) {
        self.events += 1;
        self.first.get_or_insert(line.time);
        self.last = line.time;
        // Format v1 says 0 for no goroutine, v2 -1; a worker of the reader's own making is a question mark.
        let owner = |key, least| line.number(key).filter(|&number| number >= least);
        self.seen.extend(owner("g", 1));
        self.workers.extend(owner("p", 0));
        self.threads
            .extend(owner("m", 0).filter(|_| line.kind != "ProcStart"));
        let kind = match line.kind {
            "StateTransition" => self.transition(line),
            "Metric" => {
                if line.name("name") == "/sched/gomaxprocs:threads" {
                    self.workers_max = self.workers_max.max(line.number("value").unwrap_or(0));
                }
                format!("Metric:{}", line.name("name"))
            }
            "RangeBegin" | "RangeActive" | "RangeEnd" => {
                format!("{}:{}", line.kind, line.name("name"))
            }
            kind => {
                self.plain(kind, line);
                kind.to_owned()
            }
        };
        *self.by_kind.entry(kind).or_default() += 1;
    }

    fn transition(&mut self, line: &Line<'_>) -> String {
        let (from, to) = (line.name("from"), line.name("to"));
        if let Some(worker) = line.number("of_p") {
            self.workers.insert(worker);
            return format!("P:{from}>{to}");
        }
        if let Some(goroutine) = line.number("of_g") {
            self.seen.insert(goroutine);
            if from == "NotExist" {
                self.created.insert(goroutine);
            }
        }
        format!("G:{from}>{to}")
    }

    fn plain(&mut self, kind: &str, line: &Line<'_>) {
        match (kind, line.number("mode")) {
            ("GoCreate", _) => {
                self.seen.extend(line.number("task"));
                self.created.extend(line.number("task"));
            }
            ("Gomaxprocs", _) => {
                self.workers_max = self.workers_max.max(line.number("value").unwrap_or(0));
            }
            ("Sync", _) => {
                self.first_sync.get_or_insert(line.time);
            }
            ("RegionBegin", _) | ("UserRegion", Some(0)) => self.regions_begun += 1,
            ("RegionEnd", _) | ("UserRegion", Some(1)) => self.regions_ended += 1,
            _ => {}
        }
    }

    /// The values of the table's columns about events; `is_v2` tells whether there are syncs and threads.
    pub(crate) fn columns(&self, is_v2: bool) -> Vec<(&'static str, String)> {
        let of_kind = |names: [&str; 2]| {
            let counts = names.iter().filter_map(|&name| self.by_kind.get(name));
            counts.sum::<u64>()
        };
        let start = self.first_sync.or(self.first).unwrap_or(0);
        let or_none = |number: u64| {
            if is_v2 {
                number.to_string()
            } else {
                "-".to_owned()
            }
        };
        vec![
            ("events", self.events.to_string()),
            ("event_counts", counts(&self.by_kind)),
            ("g_seen", self.seen.len().to_string()),
            ("g_created", self.created.len().to_string()),
            ("procs", self.workers.len().to_string()),
            ("gomaxprocs_max", self.workers_max.to_string()),
            ("start_ns", start.to_string()),
            ("end_ns", self.last.to_string()),
            (
                "tasks_begun",
                of_kind(["TaskBegin", "UserTaskCreate"]).to_string(),
            ),
            (
                "tasks_ended",
                of_kind(["TaskEnd", "UserTaskEnd"]).to_string(),
            ),
            ("regions_begun", self.regions_begun.to_string()),
            ("regions_ended", self.regions_ended.to_string()),
            ("logs", of_kind(["Log", "UserLog"]).to_string()),
            (
                "cpu_samples",
                of_kind(["StackSample", "CPUSample"]).to_string(),
            ),
            ("threads", or_none(self.threads.len() as u64)),
            ("syncs", or_none(of_kind(["Sync", ""]))),
        ]
    }
}

/// Numbers by name, as a column has them.
pub(crate) fn counts(by_name: &BTreeMap<String, u64>) -> String {
    let entries: Vec<String> = by_name
        .iter()
        .map(|(name, count)| format!("{name}={count}"))
        .collect();
    if entries.is_empty() {
        "-".to_owned()
    } else {
        entries.join(",")
    }
}
