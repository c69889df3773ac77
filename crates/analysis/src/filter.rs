//! A small language that says which records are meant: `task.function == "main.handle" && duration > 50ms`.
//!
//! ```text
//! filter     = all *("||" all)
//! all        = one *("&&" one)
//! one        = "!" one / "(" filter ")" / flag / comparison
//! comparison = field ("==" / "!=" / "<" / "<=" / ">" / ">=" / "contains") value
//! value      = text / duration / number / share / id / "true" / "false"
//! text       = `"` any bytes, quoted as texts are printed: \" \\ \n \r \t \xNN `"`
//! duration   = 1*(number unit)   units: ns us µs ms s m
//! share      = number "%"
//! id         = ("task" / "user" / "worker") ":" digits
//! ```
//!
//! What can be asked of which records is a row a field in `filter/field.rs`. What a record does not have equals nothing, and is
//! neither less nor more than anything.

mod comparison;
mod constant;
mod error;
mod field;
mod field_type;
mod lexer;
mod parser;
mod record;
mod record_kind;
mod record_kinds;
mod shared_filter;

pub use error::{Expected, FilterError};
pub use field::Field;
pub use field_type::FieldType;
pub use record::{Record, Value};
pub use record_kind::RecordKind;
pub use record_kinds::RecordKinds;
pub use shared_filter::SharedFilter;

use comparison::Comparison;

/// Which records are meant. The default means all.
///
/// # Examples
///
/// ```
/// use exectrace_analysis::{Field, Filter, Record, RecordKind, Value};
///
/// struct Task;
///
/// impl Record for Task {
///     const KIND: RecordKind = RecordKind::Task;
///
///     fn value(&self, field: Field) -> Option<Value<'_>> {
///         match field {
///             Field::TaskFunction => Some(Value::Text(b"main.handle")),
///             Field::Duration => Some(Value::Ns(60_000_000)),
///             _ => None,
///         }
///     }
/// }
///
/// let slow = Filter::parse(r#"task.function contains "handle" && duration > 50ms"#, RecordKind::Task)?;
/// assert!(slow.lets_through(&Task));
/// let error = Filter::parse("duratoin > 50ms", RecordKind::Task).unwrap_err();
/// assert!(error.to_string().starts_with("column 1: there is no such field; "));
/// # Ok::<(), exectrace_analysis::FilterError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// `None` lets all through.
    root: Option<Node>,
}

/// What is asked of a record.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    Comparison(Comparison),
}

impl Filter {
    /// Reads a filter for records of a kind.
    ///
    /// # Errors
    ///
    /// Where the text makes no sense, and what would.
    pub fn parse(text: &str, kind: RecordKind) -> Result<Self, FilterError> {
        let (root, _) = parser::parse(text, kind.into())?;
        Ok(Self { root: Some(root) })
    }

    /// Whether it means all records.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.root.is_none()
    }

    /// Whether it asks about a field.
    #[must_use]
    pub fn asks_about(&self, field: Field) -> bool {
        let root = self.root.as_ref();
        root.is_some_and(|root| root.find(&|it| it == field).is_some())
    }

    /// Whether it means a record.
    #[must_use]
    pub fn lets_through(&self, record: &impl Record) -> bool {
        self.root.as_ref().is_none_or(|root| root.holds_for(record))
    }
}

impl Node {
    /// Filters are nested no deeper than their parser allows.
    fn holds_for(&self, record: &impl Record) -> bool {
        match self {
            Self::All(nodes) => nodes.iter().all(|node| node.holds_for(record)),
            Self::Any(nodes) => nodes.iter().any(|node| node.holds_for(record)),
            Self::Not(node) => !node.holds_for(record),
            Self::Comparison(comparison) => comparison.holds_for(record),
        }
    }

    /// The first field of which this holds.
    fn find(&self, is_it: &impl Fn(Field) -> bool) -> Option<Field> {
        match self {
            Self::All(nodes) | Self::Any(nodes) => nodes.iter().find_map(|node| node.find(is_it)),
            Self::Not(node) => node.find(is_it),
            Self::Comparison(comparison) => Some(comparison.field).filter(|&field| is_it(field)),
        }
    }
}

#[cfg(test)]
mod tests;
