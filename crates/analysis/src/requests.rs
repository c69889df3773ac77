//! What a program did for its users: how long each took, over time.
//!
//! That are user tasks; of a program that has none the tasks themselves, by the function that they run.

mod record;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use exectrace_reader::{Event, TaskId, Timestamp, UserTaskId};

use self::record::RequestRecord;
use crate::annotations::Annotations;
use crate::functions::Functions;
use crate::{Analysis, Context, Distribution, Filter};

/// How many points there are over time.
pub const REQUEST_BUCKETS: usize = 60;

/// How many of the worst are told.
const WORST_MAX: usize = 10;

/// Measures what a program did for its users.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    annotations: Annotations,
    filter: Filter,
}

/// How long requests took.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RequestsReport {
    /// Requests by name, those that took longest in all first. Only those whose begin and end are in the window count.
    pub groups: Vec<RequestGroup>,
    /// The ten that took longest.
    pub worst: Vec<Request>,
}

/// Requests of one name.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RequestGroup {
    /// The name of the user tasks, or the function of the tasks; empty if that is not told.
    pub name: String,
    /// How long they took, in nanoseconds.
    pub spread: Distribution,
    /// The longest that began in each of [`REQUEST_BUCKETS`] equal parts of the window; 0 where none did.
    pub max_ns: Vec<i64>,
}

/// One request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// What it is.
    pub id: RequestId,
    /// The name of its group.
    pub name: String,
    /// When it began.
    pub begin: Timestamp,
    /// How long it took, in nanoseconds.
    pub ns: i64,
}

/// What a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestId {
    /// A user task.
    UserTask(UserTaskId),
    /// A task.
    Task(TaskId),
}

impl Requests {
    /// The same of some requests alone: a filter for [`RecordKind::Request`](crate::RecordKind::Request).
    #[must_use]
    pub fn filtered(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }
}

impl Analysis for Requests {
    type Report = RequestsReport;

    fn event(&mut self, event: &Event, context: &Context<'_>) {
        self.annotations.event(event, context);
    }

    fn outside(&mut self, event: &Event, context: &Context<'_>) {
        self.annotations.outside(event, context);
    }

    fn report(self, context: &Context<'_>) -> RequestsReport {
        let mut requests = user_tasks(self.annotations, context);
        if requests.is_empty() {
            requests = tasks(context);
        }
        requests.retain(|request| {
            let begin = context.begin;
            self.filter.lets_through(&RequestRecord { request, begin })
        });
        let groups = groups(&requests, context);
        requests.sort_by_key(|request| (Reverse(request.ns), request.begin));
        requests.truncate(WORST_MAX);
        RequestsReport {
            groups,
            worst: requests,
        }
    }
}

/// User tasks that began and ended in the window.
fn user_tasks(annotations: Annotations, context: &Context<'_>) -> Vec<Request> {
    let annotations = annotations.report(context);
    let user_tasks = annotations.user_tasks.iter();
    let closed = user_tasks.filter_map(|user_task| {
        let (begin, end) = (user_task.begin?.time, user_task.end?.time);
        let is_in = context.window.contains(begin) && context.window.contains(end);
        is_in.then(|| Request {
            id: RequestId::UserTask(user_task.id),
            name: context.tables.text(user_task.name).into_owned(),
            begin,
            ns: end.since_ns(begin),
        })
    });
    closed.collect()
}

/// Tasks that were created and ended in the window.
fn tasks(context: &Context<'_>) -> Vec<Request> {
    let mut functions = Functions::default();
    let lives = context.lives.iter();
    let closed = lives.filter_map(|(_, life)| {
        let end = life.end().filter(|_| life.is_created())?;
        let is_in = context.window.contains(life.begin) && context.window.contains(end);
        is_in.then(|| Request {
            id: RequestId::Task(life.task),
            name: functions.of(life, context.tables),
            begin: life.begin,
            ns: end.since_ns(life.begin),
        })
    });
    closed.collect()
}

fn groups(requests: &[Request], context: &Context<'_>) -> Vec<RequestGroup> {
    let mut by_name: BTreeMap<&str, Vec<&Request>> = BTreeMap::new();
    for request in requests {
        by_name.entry(&request.name).or_default().push(request);
    }
    let groups = by_name.into_iter();
    let mut groups: Vec<RequestGroup> = groups
        .filter_map(|(name, requests)| group(name, &requests, context))
        .collect();
    groups.sort_by_key(|group| Reverse(group.spread.sum));
    groups
}

fn group(name: &str, requests: &[&Request], context: &Context<'_>) -> Option<RequestGroup> {
    let (from, to) = context.span()?;
    let part_ns = (to.since_ns(from) / REQUEST_BUCKETS as i64).saturating_add(1);
    let mut max_ns = vec![0; REQUEST_BUCKETS];
    for request in requests {
        let part = (request.begin.since_ns(from) / part_ns) as usize;
        let max_ns = &mut max_ns[part.min(REQUEST_BUCKETS - 1)];
        *max_ns = request.ns.max(*max_ns);
    }
    Some(RequestGroup {
        name: name.to_owned(),
        spread: Distribution::of(requests.iter().map(|request| request.ns).collect())?,
        max_ns,
    })
}
