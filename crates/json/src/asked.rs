//! What is asked of a report: options as texts, and what they mean.

use exectrace_analysis::{Filter, Id, ProfileType, RecordKind, Selection, SharedFilter, Window};

use crate::{Axis, Moment, NoClock, NoMoment, ReportError, values};

/// What is asked of a report.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked<'a> {
    pub(crate) selection: Selection,
    pub(crate) at: Option<Moment>,
    pub(crate) name: Option<&'a str>,
    pub(crate) is_ended: bool,
    from: Option<Moment>,
    to: Option<Moment>,
    most: Option<usize>,
    filter: Option<&'a str>,
    profile_type: Option<ProfileType>,
    id: Option<Id>,
}

/// An option: its name, and how its text is read.
#[derive(Debug)]
pub(crate) struct ReportOption {
    pub(crate) name: &'static str,
    read: for<'a> fn(&mut Asked<'a>, &'a str) -> Result<(), String>,
}

/// A row an option.
macro_rules! options {
    ($($option:ident = $name:literal, $read:expr;)+) => {
        $(pub(crate) const $option: ReportOption = ReportOption { name: $name, read: $read };)+
    };
}

options! {
    FROM = "from", |asked, text| moment(text).map(|it| asked.from = Some(it));
    TO = "to", |asked, text| moment(text).map(|it| asked.to = Some(it));
    AT = "at", |asked, text| moment(text).map(|it| asked.at = Some(it));
    MOST = "most", |asked, text| {
        let most = values::most(text).map_err(|error| error.to_string())?;
        asked.most = Some(most);
        Ok(())
    };
    GROUP = "group", |asked, text| {
        asked.selection.group = Some(text.to_owned());
        Ok(())
    };
    TASK = "task", |asked, text| values::task(text).map(|it| asked.selection.task = Some(it));
    USER_TASK = "user_task", |asked, text| {
        asked.selection.user_task = Some(values::user_task(text)?);
        Ok(())
    };
    WHERE = "where", |asked, text| {
        asked.filter = Some(text);
        Ok(())
    };
    TYPE = "type", |asked, text| values::profile_type(text).map(|it| asked.profile_type = Some(it));
    ENDED = "ended", |asked, text| {
        asked.is_ended = text.parse().map_err(|_| String::from("must be true or false"))?;
        Ok(())
    };
    ID = "id", |asked, text| values::subject(text).map(|it| asked.id = Some(it));
    NAME = "name", |asked, text| {
        asked.name = Some(text);
        Ok(())
    };
}

/// A moment; a number without a unit is of nanoseconds since the first event, as all reports tell them.
fn moment(text: &str) -> Result<Moment, String> {
    let has_unit = text.contains(':') || !text.ends_with(|char: char| char.is_ascii_digit());
    let moment = if has_unit {
        text.parse()
    } else if text.bytes().all(|byte| byte.is_ascii_digit()) {
        Ok(Moment::Since(text.parse().unwrap_or(i64::MAX)))
    } else {
        Err(NoMoment)
    };
    moment.map_err(|error| error.to_string())
}

impl ReportOption {
    /// Takes the option's text.
    pub(crate) fn read<'a>(&self, asked: &mut Asked<'a>, text: &'a str) -> Result<(), ReportError> {
        (self.read)(asked, text).map_err(|reason| ReportError::value(self.name, text, reason))
    }
}

impl Asked<'_> {
    /// How many of something there are at most.
    pub(crate) fn most(&self, unless_told: usize) -> usize {
        self.most.unwrap_or(unless_told)
    }

    /// Whether both ask for the same of the trace.
    pub(crate) fn is_of_window(&self, other: &Self) -> bool {
        (self.from, self.to) == (other.from, other.to)
    }

    /// What of the trace is looked at.
    pub(crate) fn window(&self, axis: Axis<'_>) -> Result<Window, NoClock> {
        let time = |moment: Option<Moment>| moment.map(|moment| axis.time(moment)).transpose();
        Ok(Window::of(time(self.from)?, time(self.to)?))
    }

    /// Which records are meant; all where nothing is said.
    pub(crate) fn filter(&self, kind: RecordKind) -> Result<Filter, ReportError> {
        let parse = |text| {
            values::filter(text, kind)
                .map_err(|reason| ReportError::value(WHERE.name, text, reason))
        };
        Ok(self.filter.map(parse).transpose()?.unwrap_or_default())
    }

    /// What is meant of two traces that are compared; all where nothing is said.
    pub(crate) fn filter_of_two(&self) -> Result<SharedFilter, ReportError> {
        let parse = |text| {
            values::filter_of_two(text, values::compared_kinds())
                .map_err(|reason| ReportError::value(WHERE.name, text, reason))
        };
        Ok(self.filter.map(parse).transpose()?.unwrap_or_default())
    }

    /// Which stretches of what tasks did are meant.
    pub(crate) fn selection(&self) -> Result<Selection, ReportError> {
        let mut selection = self.selection.clone();
        selection.filter = self.filter(RecordKind::Stretch)?;
        Ok(selection)
    }

    /// The type of profile, without which there is none.
    pub(crate) fn profile_type(&self) -> Result<ProfileType, ReportError> {
        let option = TYPE.name;
        self.profile_type.ok_or(ReportError::Lacks { option })
    }

    /// Whom a report is about that is about one.
    pub(crate) fn id(&self) -> Result<Id, ReportError> {
        self.id.ok_or(ReportError::Lacks { option: ID.name })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_alone_are_nanoseconds() {
        assert_eq!(moment("7"), Ok(Moment::Since(7)));
        assert_eq!(moment("7s"), Ok(Moment::Since(7_000_000_000)));
        assert_eq!(moment("99999999999999999999"), Ok(Moment::Since(i64::MAX)));
        assert_eq!(moment("00:00:00"), Ok(Moment::TimeOfDay(0)));
        for text in ["", "-7", "+7", " 7", "1 5", "1.5", "soon"] {
            assert!(moment(text).is_err(), "{text}");
        }
    }
}
