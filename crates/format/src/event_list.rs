//! The list of events in docs/format.md, made from the tables.

use std::fmt::{self, Write};

use crate::role::Role;
use crate::spec::{EventSpec, Shape};
use crate::version::Version;
use crate::{go_v1, go_v2};

/// The tables of both formats as Markdown, as docs/format.md holds them.
///
/// ```
/// let list = exectrace_format::event_list_markdown();
/// assert!(list.contains("| 14 | GoStart | task, seq (1.7) | task: Runnable → Running |"));
/// ```
#[must_use]
pub fn event_list_markdown() -> String {
    let v1: Vec<_> = go_v1::EventType::ALL
        .iter()
        .map(|event_type| event_type.spec())
        .collect();
    let v2: Vec<_> = go_v2::EventType::ALL
        .iter()
        .map(|event_type| event_type.spec())
        .collect();
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_table(&mut text, "Format v1", Version::Go1_5, &v1);
    text.push('\n');
    let _ = write_table(&mut text, "Format v2", Version::Go1_22, &v2);
    text
}

fn write_table(out: &mut String, title: &str, first: Version, specs: &[&EventSpec]) -> fmt::Result {
    writeln!(out, "### {title}\n")?;
    writeln!(
        out,
        "| # | name | arguments | role | since | what happens |"
    )?;
    writeln!(out, "| ---: | --- | --- | --- | --- | --- |")?;
    for spec in specs {
        let doc: Vec<_> = spec
            .doc
            .iter()
            .map(|line| line.trim())
            .filter(|line| !line.is_empty())
            .collect();
        let doc = doc.join(" ");
        let (name, args, role) = (name(spec), args(spec), role(spec));
        let since = if spec.since == first {
            String::new()
        } else {
            spec.since.to_string()
        };
        writeln!(
            out,
            "| {} | {name} | {args} | {role} | {since} | {doc} |",
            spec.number
        )?;
    }
    Ok(())
}

fn name(spec: &EventSpec) -> String {
    match spec.renamed {
        None => spec.name.to_owned(),
        Some((name, since)) => format!("{} ({since}: {name})", spec.name),
    }
}

fn args(spec: &EventSpec) -> String {
    let mut args: Vec<_> = spec
        .args
        .iter()
        .map(|arg| {
            let name = arg.name;
            if arg.since == spec.since {
                name.to_owned()
            } else {
                format!("{name} ({})", arg.since)
            }
        })
        .collect();
    match spec.shape {
        Shape::Log => args.push("message".to_owned()),
        Shape::Raw => args.push("…".to_owned()),
        Shape::Timed | Shape::Untimed => {}
    }
    args.join(", ")
}

fn role(spec: &EventSpec) -> String {
    let role = match spec.role {
        Role::Structure => "–".to_owned(),
        Role::Transition(subject, from, to) => {
            let subject = format!("{subject:?}").to_lowercase();
            format!("{subject}: {from:?} → {to:?}")
        }
        role => format!("{role:?}"),
    };
    match (spec.reason, spec.shape, spec.role) {
        (Some(reason), ..) => format!("{role}: `{reason}`"),
        (None, Shape::Untimed, role_is) if role_is != Role::Structure => format!("{role}, no time"),
        _ => role,
    }
}
