//! The unchanged program, recorded: in its manifest the name `tokio` stands for exectrace-tokio. All that is added is here.
//!
//! ```sh
//! cargo run --release -p unchanged-traced -- program.trace
//! go tool trace program.trace
//! ```

/// The program's own source, and a door to its `main`.
mod program {
    include!("../../program.rs");

    pub(super) fn run() {
        main();
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "program.trace".into());
    let session = exectrace::start(std::fs::File::create(&path)?)?;
    program::run();
    eprintln!("{path}: {}", session.stop());
    Ok(())
}
