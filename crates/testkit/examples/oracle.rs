//! Prints the events of a trace as Go's own reader gives them.
//!
//! ```console
//! $ cargo run -p exectrace-testkit --example oracle -- 1.27 FILE     # format v2
//! $ cargo run -p exectrace-testkit --example oracle -- 1.19 FILE     # format v1 up to version 1.19
//! $ cargo run -p exectrace-testkit --example oracle -- records FILE  # format v1 from version 1.11 on, by Go 1.27
//! ```

use std::error::Error;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use exectrace_testkit::Oracle;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [reader, file] = &arguments[..] else {
        return Err("usage: oracle 1.19|1.27|records FILE".into());
    };
    let file = Path::new(file);
    let oracle = match reader.as_str() {
        "1.19" => Oracle::v1_19(),
        _ => Oracle::v1_27(),
    };
    let oracle = oracle.ok_or("the toolchain is missing")?;
    let mut lines = match reader.as_str() {
        "records" => oracle.records(file)?,
        _ => oracle.events(file)?,
    };
    let mut out = io::stdout().lock();
    while let Some(line) = lines.next_line()? {
        match out.write_all(&[line, b"\n"].concat()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => break,
            written => written?,
        }
    }
    Ok(())
}
