use exectrace_reader::TaskId;
use proptest::prelude::*;

use super::*;
use crate::{Id, Severity};

/// A task of which all is known, or nothing.
struct Task {
    is_known: bool,
}

const KNOWN: Task = Task { is_known: true };

impl Record for Task {
    const KIND: RecordKind = RecordKind::Task;

    fn value(&self, field: Field) -> Option<Value<'_>> {
        let value = match field {
            Field::Task => Value::Id(Id::Task(TaskId(7))),
            Field::TaskFunction => Value::Text(b"main.\"serve\"\n\xff"),
            Field::Duration => Value::Ns(90_000_000_000),
            Field::Running => Value::Ns(1_500),
            Field::Runnable => Value::Ns(0),
            Field::IsCreated => Value::Flag(true),
            Field::HasEnded => Value::Flag(false),
            _ => return None,
        };
        Some(value).filter(|_| self.is_known)
    }
}

#[track_caller]
fn check(filter: &str, expect: bool) {
    match Filter::parse(filter, RecordKind::Task) {
        Ok(parsed) => assert_eq!(parsed.lets_through(&KNOWN), expect, "{filter}"),
        Err(error) => panic!("{filter}: {error}"),
    }
}

#[test]
fn values_are_compared_by_their_types() {
    check("task == task:7", true);
    check("task == 7", true);
    check("task != task:8", true);
    check("task > 6 && task < 8 && task >= task:7 && task <= 7", true);
    check(r#"task.function contains "serve""#, true);
    check(r#"task.function contains """#, true);
    check(r#"task.function contains "Serve""#, false);
    check(r#"task.function == "main.\"serve\"\n\xff""#, true);
    check(r#"task.function != "main.\"serve\"\n\xfe""#, true);
    check("duration == 90s", true);
    check("duration == 1m30s", true);
    check("duration == 1.5m", true);
    check("duration > 50ms && duration < 2m", true);
    check(
        "running == 1.5us && running == 1.5µs && running == 1.5μs",
        true,
    );
    check("running == 1500ns && running == 1500.0ns", true);
    check("runnable == 0 && runnable <= 0", true);
    check("is_created && !has_ended", true);
    check("is_created == true && has_ended != true", true);
    check("is_created == false", false);
}

#[test]
fn and_binds_more_tightly_than_or_and_not_most() {
    check("is_created || has_ended && has_ended", true);
    check("(is_created || has_ended) && has_ended", false);
    check("!has_ended && is_created", true);
    check("!(has_ended || is_created)", false);
    check("!!is_created", true);
    check("\n is_created||has_ended\t", true);
    check(&vec!["is_created"; 10_000].join(" && "), true);
}

#[test]
fn what_a_record_does_not_have_equals_nothing() {
    let check = |filter: &str, expect| {
        let filter = Filter::parse(filter, RecordKind::Task).expect("makes sense");
        assert_eq!(filter.lets_through(&Task { is_known: false }), expect);
    };
    check("task == 7", false);
    check("task != 7", true);
    check("!(task == 7)", true);
    check("duration < 1s || duration >= 1s", false);
    check("is_created", false);
    assert!(Filter::default().lets_through(&Task { is_known: false }));
}

#[track_caller]
fn check_error(filter: &str, expect: &str) {
    let error = Filter::parse(filter, RecordKind::Task).expect_err(filter);
    assert_eq!(error.to_string(), expect);
}

#[test]
fn errors_say_where_and_what_would_make_sense() {
    check_error("", "column 1: here must be a field, ! or (");
    check_error(
        "task",
        "column 5: here must be what task is compared by: ==, !=, <, <=, > and >=",
    );
    check_error("task ==", "column 8: here must be a task, such as task:7");
    check_error(
        "task == user:7",
        "column 9: task is compared with a task, such as task:7",
    );
    check_error("task == task:", "column 13: ':' has no meaning here");
    check_error("task == thread:7", "column 15: ':' has no meaning here");
    check_error(
        "task == 99999999999999999999",
        "column 9: the number is too large or too exact",
    );
    check_error(
        "task == task:99999999999999999999",
        "column 14: the number is too large or too exact",
    );
    check_error(
        "task < true",
        "column 8: task is compared with a task, such as task:7",
    );
    check_error(
        "is_created < true",
        "column 12: is_created is compared by == and !=",
    );
    check_error(
        r#"duration contains "5""#,
        "column 10: duration is compared by ==, !=, <, <=, > and >=",
    );
    check_error(
        "duration > 50",
        "column 12: duration is compared with a duration, such as 50ms",
    );
    check_error(
        "duration > 1.5",
        "column 15: units of time are ns, us, µs, ms, s and m",
    );
    check_error(
        "duration > 1h",
        "column 13: units of time are ns, us, µs, ms, s and m",
    );
    check_error(
        "duration > 1m30",
        "column 16: units of time are ns, us, µs, ms, s and m",
    );
    check_error(
        "duration > 0.5ns",
        "column 12: the number is too large or too exact",
    );
    check_error(
        "duration > 9223372037s",
        "column 12: the number is too large or too exact",
    );
    check_error("duration > -1s", "column 12: '-' has no meaning here");
    check_error(
        r#"task.function == "a"#,
        r#"column 18: the text has no end: a " is missing"#,
    );
    check_error(
        r#"task.function == "é\q""#,
        r#"column 20: in texts there are \" \\ \n \r \t and \xNN"#,
    );
    check_error(
        r#"task.function == "\x+1""#,
        r#"column 19: in texts there are \" \\ \n \r \t and \xNN"#,
    );
    check_error("(is_created", "column 12: here must be &&, || or a )");
    check_error("is_created)", "column 11: here must be &&, || or the end");
    check_error(
        "is_created & has_ended",
        "column 12: '&' has no meaning here",
    );
    check_error("is_created &&", "column 14: here must be a field, ! or (");
    let fields = "task, task.function, duration, begin, end, running, runnable, blocked, syscall, unknown, is_created, has_ended";
    let expect = format!("column 4: there is no such field; tasks have {fields}");
    check_error("!( fun == 1)", &expect);
}

/// A finding of which all is known.
struct Known;

impl Record for Known {
    const KIND: RecordKind = RecordKind::Finding;

    fn value(&self, field: Field) -> Option<Value<'_>> {
        Some(match field {
            Field::Severity => Value::Severity(Severity::Medium),
            Field::Share => Value::Share(0.125),
            Field::Count => Value::Number(7),
            _ => return None,
        })
    }
}

#[test]
fn shares_numbers_and_severities_have_an_order() {
    for (filter, expect) in [
        ("share == 12.5% && share >= 12.50% && share < 13%", true),
        ("share > 0 && share > 0% && share < 100%", true),
        ("share > 12.6%", false),
        ("count == 7 && count > 6 && count <= 7", true),
        (r#"severity == "medium" && severity != "high""#, true),
        (
            r#"severity >= "medium" && severity > "low" && severity < "high""#,
            true,
        ),
    ] {
        let filter = Filter::parse(filter, RecordKind::Finding).expect("makes sense");
        assert_eq!(filter.lets_through(&Known), expect, "{filter:?}");
    }
    for (filter, expect) in [
        (
            "share > 1",
            "column 9: share is compared with a share, such as 12.5%",
        ),
        (
            "share > 1s",
            "column 9: share is compared with a share, such as 12.5%",
        ),
        (
            r#"severity > "worst""#,
            r#"column 12: severity is compared with "low", "medium" or "high""#,
        ),
        (
            "count > 5%",
            "column 9: count is compared with a number, such as 7",
        ),
        (
            "lost > 1s5%",
            "column 11: units of time are ns, us, µs, ms, s and m",
        ),
    ] {
        let error = Filter::parse(filter, RecordKind::Finding).expect_err(filter);
        assert_eq!(error.to_string(), expect);
    }
}

#[test]
fn nesting_has_a_bound() {
    let nested = |depth: usize| {
        let filter = format!("{}is_created{}", "(".repeat(depth), ")".repeat(depth));
        Filter::parse(&filter, RecordKind::Task)
    };
    assert!(nested(64).is_ok());
    assert_eq!(nested(65), Err(FilterError::Depth { column: 65 }));
    assert!(Filter::parse(&"!".repeat(1 << 20), RecordKind::Task).is_err());
}

#[test]
fn fields_have_one_name_and_one_row() {
    for kind in RecordKind::ALL {
        let names: Vec<&str> = kind.fields().map(Field::name).collect();
        for (index, name) in names.iter().enumerate() {
            assert!(!names[..index].contains(name), "{name}");
            assert_eq!(Field::named(name).map(Field::name), Some(*name));
        }
    }
}

/// Several kinds, and what they are asked.
#[track_caller]
fn check_shared(filter: &str, expect: Result<&[RecordKind], &str>) {
    let kinds = [
        RecordKind::Task,
        RecordKind::Annotation,
        RecordKind::Finding,
    ];
    let parsed = SharedFilter::parse(filter, kinds.into_iter().collect());
    match (parsed, expect) {
        (Ok(parsed), Ok(expect)) => {
            let asked: Vec<RecordKind> = parsed.kinds().iter().collect();
            assert_eq!(asked, expect, "{filter}");
            for kind in RecordKind::ALL {
                assert_eq!(
                    parsed.of(kind).is_none(),
                    !expect.contains(&kind),
                    "{filter}"
                );
            }
        }
        (Err(error), Err(expect)) => assert!(error.to_string().starts_with(expect), "{error}"),
        (parsed, _) => panic!("{filter}: {parsed:?}"),
    }
}

#[test]
fn a_shared_filter_asks_what_has_all_of_its_fields() {
    use RecordKind as K;
    check_shared("duration > 1s", Ok(&[K::Task, K::Annotation]));
    check_shared(r#"function == "f""#, Ok(&[K::Annotation, K::Finding]));
    check_shared(r#"function == "f" && !(begin < 1s)"#, Ok(&[K::Annotation]));
    check_shared(r#"task.function == "f" || has_ended"#, Ok(&[K::Task]));
    // Workers have it, and are not asked for.
    check_shared(
        "steals > 1",
        Err("column 1: there is no such field; tasks have task, "),
    );
    check_shared(
        r#"class == "long_poll" && duration > 1s"#,
        Err("column 25: what has the fields before this one does not have it; findings have "),
    );
    check_shared("duration > ", Err("column 12: here must be a duration"));
    assert!(SharedFilter::default().of(K::Task).is_none());
}

#[test]
fn ids_are_of_one_trace() {
    let id = |filter: &str| {
        let kinds = [
            RecordKind::Task,
            RecordKind::Stretch,
            RecordKind::Annotation,
        ];
        let parsed = SharedFilter::parse(filter, kinds.into_iter().collect());
        parsed.expect("is a filter").id()
    };
    assert_eq!(id("duration > 1s && task == 7"), Some(Field::Task));
    assert_eq!(id("!(user_task == user:7)"), Some(Field::UserTask));
    assert_eq!(
        id(r#"state == "blocked" && thread < 7"#),
        Some(Field::Thread)
    );
    assert_eq!(id(r#"user_task.name == "task:7" && begin < 7s"#), None);
}

/// Parts of filters, whole and broken.
fn part() -> impl Strategy<Value = String> {
    let parts = [
        "task",
        "task.function",
        "duration",
        "is_created",
        "contains",
        "true",
        "==",
        "!=",
        "<",
        ">=",
        "&&",
        "||",
        "!",
        "(",
        ")",
        "task:7",
        "user:",
        "\"text\"",
        "\"\\x",
        "\"",
        "50ms",
        "1.5",
        "99999999999999999999",
        "µs",
        ".",
        ":",
        "é",
        " ",
    ];
    prop_oneof![
        4 => proptest::sample::select(parts.map(str::to_owned).to_vec()),
        1 => "\\PC{0,3}",
    ]
}

/// Whether a text is a filter or not, its error lies in it.
fn try_out(text: &str) {
    match Filter::parse(text, RecordKind::Task) {
        Ok(filter) => {
            let _ = filter.lets_through(&KNOWN);
        }
        Err(error) => {
            assert!(
                (1..=text.chars().count() + 1).contains(&error.column()),
                "{text}: {error}"
            );
        }
    }
}

proptest! {
    #[test]
    fn no_text_breaks_the_parser(text in any::<String>()) {
        try_out(&text);
    }

    #[test]
    fn no_parts_break_the_parser(parts in prop::collection::vec(part(), 0..12)) {
        try_out(&parts.concat());
        try_out(&parts.join(" "));
    }
}
