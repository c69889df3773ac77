//! `exectrace schema`: what the JSON of each command looks like, as JSON Schema.

use std::io::{self, Write as _};

use clap::builder::PossibleValuesParser;
use exectrace_json::{NamedSchema, SCHEMAS};
use serde_json::{Map, Value};

use crate::error::CommandError;
use crate::outcome::{self, Outcome};

/// What only the command line has; what the analyses tell has its schemas in `exectrace-json`.
const OWN: &[NamedSchema] = &[
    NamedSchema::of::<crate::check::Line<'static>>("check"),
    NamedSchema::of::<crate::events::Line<'static>>("events"),
];

/// Arguments of `exectrace schema`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES)]
pub(crate) struct Arguments {
    /// The command whose JSON is meant; without one the schemas of all, in an object by command.
    #[arg(value_name = "COMMAND", value_parser = PossibleValuesParser::new(all().map(NamedSchema::name)))]
    command: Option<String>,
}

/// All commands that print JSON.
fn all() -> impl Iterator<Item = &'static NamedSchema> {
    OWN.iter().chain(SCHEMAS)
}

/// Prints a schema, or all.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let mut schemas = all().map(|schema| (schema.name(), schema));
    let printed = match &arguments.command {
        None => {
            let schemas = schemas.map(|(name, it)| (name.to_owned(), it.schema().to_value()));
            Value::Object(Map::from_iter(schemas))
        }
        Some(asked_for) => schemas
            .find(|(name, _)| name == asked_for)
            .map(|(_, it)| it.schema().to_value())
            .unwrap_or_default(),
    };
    let mut output = io::stdout().lock();
    serde_json::to_writer_pretty(&mut output, &printed).map_err(io::Error::from)?;
    writeln!(output)?;
    Ok(Outcome::Whole)
}
