//! The list of events in docs/format.md is that of the tables.

use std::path::Path;
use std::{env, fs};

const BEGIN: &str =
    "<!-- The tables below are generated: EXECTRACE_BLESS=1 cargo test -p exectrace-format -->\n";
const END: &str = "<!-- End of the generated tables. -->\n";

#[test]
fn the_page_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/format.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page
        .split_once(BEGIN)
        .expect("the page has lost the line before the tables");
    let (_, after) = rest
        .split_once(END)
        .expect("the page has lost the line after the tables");
    let fresh = format!(
        "{before}{BEGIN}\n{}\n{END}{after}",
        exectrace_format::event_list_markdown()
    );
    if env::var_os("EXECTRACE_BLESS").is_some() {
        fs::write(&path, fresh).unwrap();
        return;
    }
    assert!(
        page == fresh,
        "docs/format.md is stale: run this test with EXECTRACE_BLESS=1"
    );
}
