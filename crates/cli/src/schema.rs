//! `exectrace schema`: what the JSON of each command looks like, as JSON Schema.

use std::io::{self, Write as _};

use clap::builder::PossibleValuesParser;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

use crate::error::CommandError;
use crate::outcome::{self, Outcome};

/// A command that prints JSON, and the schema of a line of it.
type Row = (&'static str, fn() -> Schema);

/// All commands that print JSON.
const ROWS: &[Row] = &[
    ("check", of::<crate::check::Line<'static>>),
    ("blockers", of::<crate::blockers::Line<'static>>),
    ("events", of::<crate::events::Line<'static>>),
    ("findings", of::<crate::findings::Line<'static>>),
    ("gc", of::<crate::gc::Line<'static>>),
    ("info", of::<crate::info::Line<'static>>),
    ("latency", of::<crate::latency::Line<'static>>),
    ("profile", of::<crate::profile::Line<'static>>),
    ("summary", of::<crate::summary::Line<'static>>),
    ("tasks", of::<crate::tasks::Line<'static>>),
    ("why", of::<crate::why::Line<'static>>),
    ("workers", of::<crate::workers::Line<'static>>),
];

/// Arguments of `exectrace schema`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES)]
pub(crate) struct Arguments {
    /// The command whose JSON is meant; without one the schemas of all, in an object by command.
    #[arg(value_name = "COMMAND", value_parser = PossibleValuesParser::new(ROWS.iter().map(|(command, _)| command)))]
    command: Option<String>,
}

/// Prints a schema, or all.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let rows = ROWS.iter();
    let mut schemas = rows.map(|(command, schema)| (*command, schema_of(command, *schema)));
    let printed = match &arguments.command {
        None => Value::Object(Map::from_iter(
            schemas.map(|(command, schema)| (command.to_owned(), schema)),
        )),
        Some(asked_for) => schemas
            .find_map(|(command, schema)| (command == asked_for).then_some(schema))
            .unwrap_or_default(),
    };
    let mut output = io::stdout().lock();
    serde_json::to_writer_pretty(&mut output, &printed).map_err(io::Error::from)?;
    writeln!(output)?;
    Ok(Outcome::Whole)
}

fn schema_of(command: &str, schema: fn() -> Schema) -> Value {
    let mut schema = schema();
    let title = format!("a line of exectrace {command} --json");
    schema.insert(String::from("title"), title.into());
    schema.to_value()
}

/// The schema of a type as it is printed.
fn of<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>()
}
