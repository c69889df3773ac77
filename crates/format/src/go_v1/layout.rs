//! Where the numbers of a record stand, by type and version: the table, turned round for decoding.

use super::EventType;
use crate::limits::V1_ARGS_MAX;
use crate::spec::Shape;
use crate::version::Version;

/// The place of the time in a decoded record's numbers; the arguments have the places below.
pub(super) const DELTA: usize = V1_ARGS_MAX;

/// The place of version 1.5's sequence number.
pub(super) const SEQUENCE: usize = V1_ARGS_MAX + 1;

/// Room for all places, a power of two so that they can be masked.
pub(super) const PLACES: usize = 8;

/// The numbers of one type in one version.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// The type, if the version has it.
    pub(super) event_type: Option<EventType>,
    /// What stands beside the numbers.
    pub(super) shape: Shape,
    /// How many numbers the record has.
    pub(super) count: u8,
    /// Where the numbers go, in their order on the wire.
    pub(super) places: [u8; PLACES],
}

/// The layouts of all types in one version, by number.
pub(super) type Layouts = [Layout; 64];

/// What the first byte of a record says if it is an event as nearly all are: its time and then its arguments, none of them missing
/// between others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    /// The type, if it is one of those and the count bits are right.
    pub(super) event_type: Option<EventType>,
    /// How many numbers the record has, the time included.
    pub(super) count: u8,
}

/// The forms of all first bytes in one version.
pub(super) type Forms = [Form; 256];

/// The tables of a version.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tables {
    pub(super) layouts: &'static Layouts,
    pub(super) forms: &'static Forms,
}

/// The layouts of a version.
pub(super) fn layouts(version: Version) -> &'static Layouts {
    tables(version).layouts
}

/// The tables of a version.
pub(super) fn tables(version: Version) -> Tables {
    macro_rules! by_version {
        ($($version:ident),+) => {
            match version {
                $(Version::$version => {
                    static LAYOUTS: Layouts = compile(Version::$version);
                    static FORMS: Forms = forms(&LAYOUTS);
                    Tables { layouts: &LAYOUTS, forms: &FORMS }
                })+
                _ => {
                    static LAYOUTS: Layouts = [EMPTY; 64];
                    static FORMS: Forms = forms(&LAYOUTS);
                    Tables { layouts: &LAYOUTS, forms: &FORMS }
                }
            }
        };
    }
    by_version!(Go1_5, Go1_7, Go1_8, Go1_9, Go1_10, Go1_11, Go1_19, Go1_21)
}

const EMPTY: Layout = Layout {
    event_type: None,
    shape: Shape::Untimed,
    count: 0,
    places: [0; PLACES],
};

const fn compile(version: Version) -> Layouts {
    let mut layouts = [EMPTY; 64];
    let mut i = 0;
    while i < EventType::ALL.len() {
        let event_type = EventType::ALL[i];
        if version.at_least(event_type.spec().since) {
            layouts[event_type as usize] = layout(event_type, version);
        }
        i += 1;
    }
    layouts
}

const fn forms(layouts: &Layouts) -> Forms {
    let mut forms = [Form {
        event_type: None,
        count: 0,
    }; 256];
    let mut byte = 0;
    while byte < forms.len() {
        let layout = &layouts[byte & 0x3f];
        let is_plain = matches!(layout.shape, Shape::Timed) && layout.is_in_order();
        // A length may stand before any numbers.
        let is_counted = byte >> 6 == 3 || (byte >> 6) + 1 == layout.count as usize;
        if layout.count > 0 && is_plain && is_counted {
            forms[byte] = Form {
                event_type: layout.event_type,
                count: layout.count,
            };
        }
        byte += 1;
    }
    forms
}

const fn layout(event_type: EventType, version: Version) -> Layout {
    let spec = event_type.spec();
    let timed = spec.is_timed();
    let sequenced = matches!(version, Version::Go1_5);
    let mut layout = Layout {
        event_type: Some(event_type),
        shape: spec.shape,
        ..EMPTY
    };
    if sequenced && timed {
        layout = layout.then(SEQUENCE);
    }
    if timed {
        layout = layout.then(DELTA);
    }
    let mut arg = 0;
    while arg < spec.args.len() {
        if version.at_least(spec.args[arg].since) {
            layout = layout.then(arg);
        }
        if sequenced && !timed && arg == 0 {
            layout = layout.then(SEQUENCE);
        }
        arg += 1;
    }
    layout
}

impl Layout {
    /// Whether the numbers are the time and the arguments from the first.
    const fn is_in_order(&self) -> bool {
        let mut i = 0;
        while i < self.count as usize {
            let place = if i == 0 { DELTA } else { i - 1 };
            if self.places[i] as usize != place {
                return false;
            }
            i += 1;
        }
        true
    }

    /// Adds the number that comes next on the wire.
    const fn then(mut self, place: usize) -> Self {
        self.places[self.count as usize] = place as u8;
        self.count += 1;
        self
    }

    /// The places of the numbers that the record has.
    pub(super) fn places(&self) -> &[u8] {
        &self.places[..usize::from(self.count).min(PLACES)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(event_type: EventType, version: Version, expect: &[usize]) {
        let places: Vec<_> = layouts(version)[event_type as usize]
            .places()
            .iter()
            .copied()
            .map(usize::from)
            .collect();
        assert_eq!(places, expect);
    }

    #[test]
    fn version_1_5_has_one_number_more() {
        check(EventType::Batch, Version::Go1_5, &[0, SEQUENCE, 1]);
        check(EventType::Frequency, Version::Go1_5, &[0, SEQUENCE]);
        check(EventType::TimerGoroutine, Version::Go1_5, &[0, SEQUENCE]);
        check(EventType::GoEnd, Version::Go1_5, &[SEQUENCE, DELTA]);
        check(
            EventType::GoSysExit,
            Version::Go1_5,
            &[SEQUENCE, DELTA, 0, 1, 2],
        );
        check(EventType::Batch, Version::Go1_7, &[0, 1]);
        check(EventType::GoEnd, Version::Go1_7, &[DELTA]);
    }

    #[test]
    fn a_missing_argument_leaves_its_place_free() {
        check(
            EventType::GoUnblock,
            Version::Go1_5,
            &[SEQUENCE, DELTA, 0, 2],
        );
        check(EventType::GoUnblock, Version::Go1_7, &[DELTA, 0, 1, 2]);
    }

    #[test]
    fn a_version_has_only_the_types_of_its_time() {
        let types = |version| {
            layouts(version)
                .iter()
                .filter(|l| l.event_type.is_some())
                .count()
        };
        assert_eq!(types(Version::Go1_5), 36);
        assert_eq!(types(Version::Go1_7), 40);
        assert_eq!(types(Version::Go1_11), 48);
        assert_eq!(types(Version::Go1_21), 49);
        assert_eq!(types(Version::Go1_22), 0);
    }
}
