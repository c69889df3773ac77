//! What a command line asks for.

use clap::{Parser, Subcommand};

use crate::{bench, bigtrace};

/// The workspace's own checks.
#[derive(Debug, Parser)]
#[command(
    name = "xtask",
    bin_name = "cargo xtask",
    arg_required_else_help = true
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) task: Task,
}

/// A task of ours.
#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// All that a change must pass, or only the named steps.
    Ci {
        /// The steps that run.
        #[arg(value_name = "STEP", conflicts_with = "list")]
        steps: Vec<String>,
        /// Only print the steps.
        #[arg(long)]
        list: bool,
    },
    /// The house rules that no compiler checks.
    Tidy,
    /// The benches beside their budgets, or only those of the named packages.
    Bench(bench::Arguments),
    /// Record large traces with Go, to measure the reader with.
    Bigtrace(bigtrace::Arguments),
    /// Record the shipped traces anew, with Go and with our recorder, and ask Go's readers about them.
    Corpus {
        /// Only ask Go's readers.
        #[arg(long)]
        table: bool,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use clap::error::ErrorKind;

    #[test]
    fn unknown_words_are_refused() {
        for (line, kind) in [
            ("cii", ErrorKind::InvalidSubcommand),
            ("tidy now", ErrorKind::UnknownArgument),
            ("--ci", ErrorKind::UnknownArgument),
            ("ci --list fmt", ErrorKind::ArgumentConflict),
            ("corpus table", ErrorKind::UnknownArgument),
            ("bigtrace --size 7GB", ErrorKind::InvalidValue),
            ("", ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand),
        ] {
            let words = ["xtask"].into_iter().chain(line.split_whitespace());
            let error = Arguments::try_parse_from(words).expect_err(line);
            assert_eq!(error.kind(), kind, "{line}");
        }
    }

    #[test]
    fn the_arguments_agree_with_each_other() {
        Arguments::command().debug_assert();
    }
}
