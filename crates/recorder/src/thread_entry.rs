//! The name of a thread's task, or a blocking closure's: that of the closure which the thread runs.
//!
//! The library that spawns threads cannot name the code of a closure, only a function of its own that is generic over it. In a
//! linker symbol its arguments may be missing; debug information has them.

/// Where such functions stand. The closure is the first of their generic arguments.
const ENTRIES: [&str; 2] = [
    "exectrace_std::thread::entry::",
    "exectrace_tokio::blocking::entry::",
];

/// Whether the function is the entry of a thread or of a blocking closure.
pub(crate) fn is_entry(function: &str) -> bool {
    ENTRIES.iter().any(|entries| function.starts_with(entries))
}

/// The name of an entry with its generic arguments, which `unqualified`, its name in debug information, has.
pub(crate) fn with_arguments(mut function: String, unqualified: &str) -> String {
    if !function.contains('<')
        && let Some(at) = unqualified.find('<')
    {
        function.push_str(&unqualified[at..]);
    }
    function
}

/// The closure that the entry of a thread runs. `None` for any other function, or if nobody knows.
pub(crate) fn closure_of(function: &str) -> Option<&str> {
    let mut rest = ENTRIES
        .iter()
        .filter_map(|entries| function.strip_prefix(entries));
    let (_, arguments) = rest.next()?.split_once('<')?;
    let mut depth = 0usize;
    let mut last = b' ';
    for (at, byte) in arguments.bytes().enumerate() {
        match byte {
            b',' | b'>' if depth == 0 && last != b'-' => return Some(&arguments[..at]),
            b'<' | b'(' | b'[' => depth += 1,
            b'>' if last == b'-' => {}
            b'>' | b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        last = byte;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(function: &str, expect: Option<&str>) {
        assert_eq!(closure_of(function), expect);
    }

    #[test]
    fn an_entry_has_the_name_of_its_closure() {
        check(
            "exectrace_std::thread::entry::run<app::main::{{closure}}, ()>",
            Some("app::main::{{closure}}"),
        );
        check(
            "exectrace_std::thread::entry::run::<app::f::{{closure}}<(u8, u16), [u8; 2]>, ()>",
            Some("app::f::{{closure}}<(u8, u16), [u8; 2]>"),
        );
        check(
            "exectrace_std::thread::entry::run<fn(u8, u8) -> u8, u8>",
            Some("fn(u8, u8) -> u8"),
        );
        check(
            "exectrace_tokio::blocking::entry::run<app::f, u8>",
            Some("app::f"),
        );
    }

    #[test]
    fn what_is_no_entry_or_has_no_arguments_has_none() {
        check("app::entry::run<app::f, ()>", None);
        check("exectrace_std::thread::entry::run", None);
        check("exectrace_std::thread::entry::run<app::f", None);
    }

    #[test]
    fn arguments_come_from_where_they_are_known() {
        let function = "exectrace_std::thread::entry::run";
        let whole = with_arguments(function.to_owned(), "run<app::f, ()>");
        assert_eq!(whole, "exectrace_std::thread::entry::run<app::f, ()>");
        assert_eq!(with_arguments(whole.clone(), "run<app::g, ()>"), whole);
        assert_eq!(with_arguments(function.to_owned(), "run"), function);
    }
}
