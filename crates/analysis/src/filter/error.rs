//! What is wrong with a filter.

use std::fmt;

use super::{Field, RecordKinds};

/// What is wrong with a filter, and in which column of it: the place of a character, from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterError {
    /// A character that means nothing.
    Character {
        /// Where.
        column: usize,
        /// Which.
        character: char,
    },
    /// A text whose end is missing.
    OpenText {
        /// Where it begins.
        column: usize,
    },
    /// A `\` in a text before something that it gives no meaning.
    Escape {
        /// Where.
        column: usize,
    },
    /// A number that is too large, or has too many decimals.
    Number {
        /// Where.
        column: usize,
    },
    /// A unit of time that there is not.
    Unit {
        /// Where.
        column: usize,
    },
    /// Something else stands where a part of the filter must be.
    Missing {
        /// Where.
        column: usize,
        /// What must be there.
        expected: Expected,
    },
    /// No record of these kinds has such a field.
    Field {
        /// Where.
        column: usize,
        /// Of what kinds the records are.
        kinds: RecordKinds,
    },
    /// Some records have the field, but none that have all fields before it.
    Apart {
        /// Where.
        column: usize,
        /// Which records have those.
        kinds: RecordKinds,
    },
    /// The values of the field are of another type.
    Type {
        /// Where the value is.
        column: usize,
        /// Which field.
        field: Field,
    },
    /// The values of the field cannot be compared like that.
    Operator {
        /// Where the operator is.
        column: usize,
        /// Which field.
        field: Field,
    },
    /// More parentheses and `!` in each other than can be followed.
    Depth {
        /// Where the first one too many is.
        column: usize,
    },
}

/// A part of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expected {
    /// A field.
    Field,
    /// A comparison of this field, which is no flag.
    Operator(Field),
    /// A value of this field.
    Value(Field),
    /// A `)`.
    Parenthesis,
    /// `&&`, `||` or the end.
    End,
}

impl FilterError {
    /// Where: the place of a character, from 1 on.
    #[must_use]
    pub const fn column(self) -> usize {
        match self {
            Self::Character { column, .. }
            | Self::OpenText { column }
            | Self::Escape { column }
            | Self::Number { column }
            | Self::Unit { column }
            | Self::Missing { column, .. }
            | Self::Field { column, .. }
            | Self::Apart { column, .. }
            | Self::Type { column, .. }
            | Self::Operator { column, .. }
            | Self::Depth { column } => column,
        }
    }
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: ", self.column())?;
        match self {
            Self::Character { character, .. } => {
                write!(f, "{character:?} has no meaning here")
            }
            Self::OpenText { .. } => f.write_str(r#"the text has no end: a " is missing"#),
            Self::Escape { .. } => f.write_str(r#"in texts there are \" \\ \n \r \t and \xNN"#),
            Self::Number { .. } => f.write_str("the number is too large or too exact"),
            Self::Unit { .. } => f.write_str("units of time are ns, us, µs, ms, s and m"),
            Self::Missing { expected, .. } => write!(f, "here must be {expected}"),
            Self::Field { kinds, .. } => {
                f.write_str("there is no such field")?;
                write_fields(f, *kinds)
            }
            Self::Apart { kinds, .. } => {
                f.write_str("what has the fields before this one does not have it")?;
                write_fields(f, *kinds)
            }
            Self::Type { field, .. } => {
                let (name, example) = (field.name(), field.value_type().example());
                write!(f, "{name} is compared with {example}")
            }
            Self::Operator { field, .. } => {
                let operators = operators(*field);
                write!(f, "{} is compared by {operators}", field.name())
            }
            Self::Depth { .. } => f.write_str("too many ( and ! in each other"),
        }
    }
}

/// Says what there is.
fn write_fields(f: &mut fmt::Formatter<'_>, kinds: RecordKinds) -> fmt::Result {
    for kind in kinds.iter() {
        let names: Vec<&str> = kind.fields().map(Field::name).collect();
        write!(f, "; {} have {}", kind.name(), names.join(", "))?;
    }
    Ok(())
}

/// What a field can be compared by.
fn operators(field: Field) -> &'static str {
    use super::FieldType as T;
    match field.value_type() {
        T::Text => "==, != and contains",
        T::Flag => "== and !=",
        _ => "==, !=, <, <=, > and >=",
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field => f.write_str("a field, ! or ("),
            Self::Operator(field) => {
                write!(
                    f,
                    "what {} is compared by: {}",
                    field.name(),
                    operators(*field)
                )
            }
            Self::Value(field) => f.write_str(field.value_type().example()),
            Self::Parenthesis => f.write_str("&&, || or a )"),
            Self::End => f.write_str("&&, || or the end"),
        }
    }
}

impl std::error::Error for FilterError {}
