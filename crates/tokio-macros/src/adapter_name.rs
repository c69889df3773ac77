//! By which name a crate that is compiled knows `exectrace-tokio`.

/// The crate's name when nobody renames it, and the stem of its file.
const ADAPTER: &str = "exectrace_tokio";

/// The name by which the crate that is compiled knows `exectrace-tokio`, from the compiler's arguments. Where they do not tell,
/// as in an editor's expansion of macros, its own name.
pub(crate) fn find(arguments: impl Iterator<Item = String>) -> String {
    told_by(arguments).unwrap_or_else(|| ADAPTER.to_owned())
}

fn told_by(mut arguments: impl Iterator<Item = String>) -> Option<String> {
    while let Some(argument) = arguments.next() {
        let value = match argument.strip_prefix("--extern") {
            Some("") => arguments.next()?,
            Some(rest) => rest.strip_prefix('=')?.to_owned(),
            None => continue,
        };
        let Some((name, file)) = value.split_once('=') else {
            continue;
        };
        if is_adapter(file) {
            // Options such as `noprelude` stand before the name.
            let name = name.rsplit(':').next().unwrap_or(name);
            return Some(name.to_owned());
        }
    }
    None
}

/// Whether a library's file is that of `exectrace-tokio`: `…/libexectrace_tokio-0123456789abcdef.rlib`.
fn is_adapter(file: &str) -> bool {
    let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = file.split('.').next().unwrap_or(file);
    let stem = stem.strip_prefix("lib").unwrap_or(stem);
    stem.split('-').next() == Some(ADAPTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(arguments: &str, expect: Option<&str>) {
        let arguments = arguments.split(' ').map(str::to_owned);
        assert_eq!(told_by(arguments).as_deref(), expect);
    }

    #[test]
    fn the_name_is_that_of_the_adapter_s_file() {
        check(
            "rustc --extern exectrace_tokio=/t/libexectrace_tokio-1.rlib",
            Some("exectrace_tokio"),
        );
        check(
            "rustc --extern tokio=/t/libexectrace_tokio-1.rmeta",
            Some("tokio"),
        );
        check(
            "rustc --extern=tokio=libexectrace_tokio.rlib",
            Some("tokio"),
        );
        check(
            "rustc --extern noprelude:rt=C:\\t\\exectrace_tokio-1.dll",
            Some("rt"),
        );
        check(
            "rustc --extern proc_macro --extern tokio=/t/libtokio-1.rlib --extern trace=/t/libexectrace_tokio-2.rlib",
            Some("trace"),
        );
    }

    #[test]
    fn other_files_are_not_the_adapter() {
        check("rustc --extern tokio=/t/libtokio-1.rlib", None);
        check("rustc --extern m=/t/libexectrace_tokio_macros-1.so", None);
        check("rustc src/exectrace_tokio.rs --extern", None);
        check("server", None);
    }
}
