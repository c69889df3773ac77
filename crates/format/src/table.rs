//! The macro that turns a table of events into types.
//!
//! A row reads
//!
//! ```text
//! /// What happens. (Becomes the entry in docs/format.md.)
//! 21 => GoUnblock { task: TaskId, seq: Seq since Go1_7, stack: StackId }
//!     as Transition(Task, Waiting, Runnable), since Go1_5;
//! ```
//!
//! and may end in further clauses: `shape Untimed`, `reason "chan send"`,
//! `renamed STWStart since Go1_21`. From the rows come
//!
//! ```text
//! #[repr(u8)] pub enum EventType { GoUnblock = 21, .. }     number, name and back
//! EventType::spec() -> &'static EventSpec                   the row as a value
//! pub struct GoUnblock { pub task: TaskId, .. }             one to an event, but for shape Raw
//! impl Event for GoUnblock { .. }                           how it is written
//! ```
//!
//! The table's module brings the trait `Event`, the function `encode_args` and the constant
//! `ARGS_MAX`, which are what differs between the formats.

/// Expands a table; see the module's documentation.
macro_rules! event_table {
    ($(
        $(#[doc = $doc:literal])+
        $number:literal => $name:ident {
            $($arg:ident : $kind:ident $(since $arg_since:ident)?),* $(,)?
        } as $role:ident $(($($role_arg:ident),+))?
        , since $since:ident
        $(, shape $shape:ident)?
        $(, reason $reason:literal)?
        $(, renamed $renamed:ident since $renamed_since:ident)?
        ;
    )+) => {
        /// The type of a record: its number on the wire.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        #[non_exhaustive]
        pub enum EventType {
            $($(#[doc = $doc])+ $name = $number,)+
        }

        impl EventType {
            /// Every type, in the order of the numbers.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The type with this number.
            #[inline]
            #[must_use]
            pub const fn from_number(number: u8) -> Option<Self> {
                match number {
                    $($number => Some(Self::$name),)+
                    _ => None,
                }
            }

            /// The type with this name, of whatever version.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($name) => Some(Self::$name),)+
                    $($(stringify!($renamed) => Some(Self::$name),)?)+
                    _ => None,
                }
            }

            /// The row of the table.
            #[inline]
            #[must_use]
            pub const fn spec(self) -> &'static $crate::spec::EventSpec {
                match self {
                    $(Self::$name => event_table!(@spec
                        [$($doc),+] $number $name [$($arg $kind [$($arg_since)?])*]
                        [$role $(($($role_arg),+))?] $since [$($shape)?] [$($reason)?]
                        [$($renamed $renamed_since)?]
                    ),)+
                }
            }
        }

        /// Writes the event of a type with these arguments through its struct; `None` for shape Raw.
        #[cfg(test)]
        fn encode_as_struct(event_type: EventType, args: &[u64; ARGS_MAX], delta: u64) -> Option<Vec<u8>> {
            match event_type {
                $(EventType::$name => event_table!(@encode [$($shape)?] $name args delta),)+
            }
        }

        $(event_table!(@event [$($shape)?] [$($doc),+] $name [$($arg $kind)*]);)+
    };

    // A row as a constant.
    (@spec
        [$($doc:literal),+] $number:literal $name:ident [$($arg:ident $kind:ident $since_arg:tt)*]
        [$role:ident $(($($role_arg:ident),+))?] $since:ident $shape:tt [$($reason:literal)?]
        $renamed:tt
    ) => {{
        const SPEC: &$crate::spec::EventSpec = &$crate::spec::EventSpec {
            number: $number,
            name: stringify!($name),
            renamed: event_table!(@renamed $renamed),
            args: &[$($crate::spec::ArgSpec {
                name: stringify!($arg),
                kind: <$kind as $crate::spec::Argument>::KIND,
                since: event_table!(@since $since_arg $since),
            }),*],
            shape: event_table!(@shape $shape),
            role: {
                #[expect(unused_imports, reason = "not every role names all of them")]
                use $crate::role::{Metric::*, Range::*, State::*, Subject::*};
                $crate::role::Role::$role $(($($role_arg),+))?
            },
            reason: event_table!(@reason [$($reason)?]),
            since: $crate::version::Version::$since,
            doc: &[$($doc),+],
        };
        SPEC
    }};

    (@since [] $row:ident) => { $crate::version::Version::$row };
    (@since [$arg:ident] $row:ident) => { $crate::version::Version::$arg };

    (@shape []) => { $crate::spec::Shape::Timed };
    (@shape [$shape:ident]) => { $crate::spec::Shape::$shape };

    (@reason []) => { None };
    (@reason [$reason:literal]) => { Some($reason) };

    (@renamed []) => { None };
    (@renamed [$name:ident $since:ident]) => {
        Some((stringify!($name), $crate::version::Version::$since))
    };

    (@encode [Raw] $name:ident $args:ident $delta:ident) => { None };
    (@encode $shape:tt $name:ident $args:ident $delta:ident) => {{
        let mut out = Vec::new();
        $name::from_args($args).append($delta, &mut out);
        Some(out)
    }};

    // The struct of a row and how it is written. Raw rows have a writer of their own.
    (@event [Raw] $($rest:tt)*) => {};
    (@event $shape:tt [$($doc:literal),+] $name:ident [$($arg:ident $kind:ident)*]) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name {
            $(
                #[doc = concat!("The argument `", stringify!($arg), "`, a [`", stringify!($kind), "`].")]
                pub $arg: $kind,
            )*
        }

        impl Event for $name {
            const TYPE: EventType = EventType::$name;

            // A recorder's hot path: as a call it costs more than what it does.
            #[inline(always)]
            fn encode(&self, delta: u64, out: &mut [u8; $crate::limits::EVENT_BYTES_MAX]) -> usize {
                const TIMED: bool = !matches!(event_table!(@shape $shape), $crate::spec::Shape::Untimed);
                encode_args::<TIMED, _>(EventType::$name, delta, [$($crate::spec::Argument::raw(self.$arg)),*], out)
            }

            #[inline]
            fn from_args(args: &[u64; ARGS_MAX]) -> Self {
                let [$($arg,)* ..] = *args;
                Self { $($arg: $crate::spec::Argument::from_raw($arg)),* }
            }
        }
    };
}

pub(crate) use event_table;
