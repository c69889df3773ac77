//! What the objects look like, as JSON Schema.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use crate::{
    BlockersLine, DiffLine, FindingsLine, GcLine, InfoLine, LatencyLine, ProfileLine, SummaryLine,
    TasksLine, WhyLine, WorkersLine,
};

/// The schemas of all reports: a row each.
pub const SCHEMAS: &[NamedSchema] = &[
    NamedSchema::of::<BlockersLine<'static>>("blockers"),
    NamedSchema::of::<DiffLine<'static>>("diff"),
    NamedSchema::of::<FindingsLine<'static>>("findings"),
    NamedSchema::of::<GcLine<'static>>("gc"),
    NamedSchema::of::<InfoLine<'static>>("info"),
    NamedSchema::of::<LatencyLine<'static>>("latency"),
    NamedSchema::of::<ProfileLine<'static>>("profile"),
    NamedSchema::of::<SummaryLine<'static>>("summary"),
    NamedSchema::of::<TasksLine<'static>>("tasks"),
    NamedSchema::of::<WhyLine<'static>>("why"),
    NamedSchema::of::<WorkersLine<'static>>("workers"),
];

/// The schema of what a command prints as JSON.
///
/// # Examples
///
/// ```
/// let mut schemas = exectrace_json::SCHEMAS.iter();
/// let workers = schemas.find(|schema| schema.name() == "workers").unwrap();
/// assert_eq!(workers.schema().get("title").unwrap(), "a line of exectrace workers --json");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NamedSchema {
    name: &'static str,
    root: fn() -> Schema,
}

impl NamedSchema {
    /// That of a type, as it is printed by a command.
    #[must_use]
    pub const fn of<T: JsonSchema>(command: &'static str) -> Self {
        Self {
            name: command,
            root: root::<T>,
        }
    }

    /// The command's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The schema, with a sentence for each key.
    #[must_use]
    pub fn schema(&self) -> Schema {
        let mut schema = (self.root)();
        let title = format!("a line of exectrace {} --json", self.name);
        schema.insert(String::from("title"), title.into());
        schema
    }
}

/// The schema of a type as it is printed.
fn root<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>()
}
