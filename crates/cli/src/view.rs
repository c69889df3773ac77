//! `exectrace view`: a trace in a browser.

mod export;
mod memory;

use std::env;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;

use exectrace_json::Moment;
use exectrace_viewer::{Options, Server};

use crate::error::CommandError;
use crate::input::InputArguments;
use crate::outcome::{self, Outcome};

/// Arguments of `exectrace view`.
#[derive(clap::Args)]
#[command(after_help = outcome::EXIT_CODES)]
pub(crate) struct Arguments {
    /// The trace; - is standard input. Files that are parts of one trace are put together; of two traces the second is shown,
    /// compared with the first, as `diff` does.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Write a page that needs no server to this file, - for standard output, and end. It has all that the pages say, and the timeline
    /// as detailed as 20 MB hold.
    #[arg(long, value_name = "OUTPUT", conflicts_with_all = ["listen", "no_open"])]
    export: Option<PathBuf>,
    /// Of an exported page: the stretch that is shown in full detail before the rest is, from this time on.
    #[arg(long, value_name = "TIME", requires = "export")]
    from: Option<Moment>,
    /// Where that stretch ends.
    #[arg(long, value_name = "TIME", requires = "export")]
    to: Option<Moment>,
    /// Where to listen: an address with a port, 0 for any that is free.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Print the address alone, and open no browser.
    #[arg(long)]
    no_open: bool,
    #[command(flatten)]
    input: InputArguments,
}

/// Serves the page until the process is interrupted.
pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, CommandError> {
    memory::give_back();
    let inputs = arguments.input.open_all(&arguments.files)?;
    let opened = inputs.outcome;
    let subject = inputs.into_subject().ok_or(CommandError::OneTrace)?;
    if let Some(path) = &arguments.export {
        let outcome = export::write(subject, arguments, path)?.max(opened);
        return Ok(outcome.allow_partial(arguments.input.allow_partial));
    }
    let mut options = Options::default();
    options.listen = arguments.listen;
    let server = Server::bind(subject, &options).map_err(|error| CommandError::Listen {
        address: arguments.listen,
        error,
    })?;
    tell(&server, arguments)?;
    server.run().map_err(CommandError::Serve)?;
    Ok(Outcome::Whole)
}

/// Prints where the page is, and opens it.
fn tell(server: &Server, arguments: &Arguments) -> io::Result<()> {
    let (url, address) = (server.url(), server.address());
    let mut output = io::stdout().lock();
    writeln!(output, "{url}")?;
    output.flush()?;
    if !address.ip().is_loopback() {
        eprintln!(
            "exectrace: others can reach this address; whoever has it can see the trace, and what is sent is not encrypted"
        );
    }
    if let Some(host) = ssh_host() {
        let port = address.port();
        eprintln!(
            "exectrace: on your own machine: ssh -L {port}:{address} {host}, then open the address above; end with Ctrl-C"
        );
    } else if !arguments.no_open {
        match open::that_detached(&url) {
            Ok(()) => eprintln!("exectrace: opened in the browser; end with Ctrl-C"),
            Err(error) => eprintln!(
                "exectrace: no browser could be opened ({error}): open the address above; end with Ctrl-C"
            ),
        }
    }
    Ok(())
}

/// What this machine is called where somebody came from by ssh: the address that they connected to.
fn ssh_host() -> Option<String> {
    let connection = env::var("SSH_CONNECTION").ok()?;
    let host = connection.split(' ').nth(2)?.to_owned();
    let user = env::var("USER").ok().filter(|user| !user.is_empty());
    Some(match user {
        Some(user) => format!("{user}@{host}"),
        None => host,
    })
}
