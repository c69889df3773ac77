//! Function names as people write them.
//!
//! Symbols come in two manglings, and debug information names what is inlined in a third way. All end in one form:
//!
//! | from | becomes |
//! | --- | --- |
//! | a symbol, with its hash | `app::net::Server::accept` |
//! | an implementation in another module, `app::<impl Shape for Round>::area` | `<Round as Shape>::area` |
//! | a closure: `{{closure}}`, `{closure#3}`, `{closure_env#3}`, `{async_block#0}` | `{{closure}}` |
//! | a chain of closures and async blocks | one `{{closure}}` |
//! | the body of an async function, `handler::{async_fn#0}` | `handler` |
//!
//! A symbol's name does not tell an async function's body from a closure. Debug information does ([`Body`]).

use std::fmt::Write as _;

/// The longest name kept: Go's limit for a string of a trace. Of a longer one the end is kept, as Go does.
pub(crate) const NAME_LEN_MAX: usize = 1024;

/// A longer name loses its innermost generic arguments: what is left tells the function, and people can read it.
const READABLE_LEN: usize = 256;
/// How deep generic arguments are kept at first.
const DEPTH_MAX: usize = 4;
/// The allocator that everybody has.
const USUAL_ALLOCATOR: &str = "alloc::alloc::Global";

const CLOSURE: &str = "{{closure}}";
const ASYNC_BODY: &str = "{async fn}";

/// What debug information says a function is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    /// The code of an `async fn`: the closure at the end of its name is not in the source.
    AsyncFunction,
    /// A function, a closure, an async block, or nobody knows.
    Other,
}

impl Body {
    /// Reads it off the unqualified name that rustc gives a function in debug information.
    pub(crate) fn of(unqualified: &[u8]) -> Self {
        if unqualified.starts_with(b"{async_fn#") {
            Self::AsyncFunction
        } else {
            Self::Other
        }
    }
}

/// The readable name of a linker symbol. What is not Rust's is kept as it is.
pub(crate) fn symbol_name(symbol: &[u8], body: Body) -> String {
    let symbol = String::from_utf8_lossy(symbol);
    let Ok(mangled) = rustc_demangle::try_demangle(&symbol) else {
        return bounded(symbol.into_owned());
    };
    let mut name = String::new();
    // Writing into a string fails only if the demangler does: a symbol whose text would be endless.
    if write!(name, "{mangled:#}").is_err() {
        return bounded(symbol.into_owned());
    }
    let mut name = fold(&qualify(name));
    if body == Body::AsyncFunction
        && let Some(function) = name.strip_suffix(CLOSURE)
    {
        name.truncate(function.trim_end_matches("::").len());
    }
    bounded(shorten(name))
}

/// The readable name of a function that debug information names without its path, in the module `module`.
pub(crate) fn unqualified_name(name: &[u8], module: Option<&str>) -> String {
    let name = fold(&String::from_utf8_lossy(name));
    let name = name
        .replace(&format!(", {USUAL_ALLOCATOR}>"), ">")
        .replace(&format!("<{USUAL_ALLOCATOR}>"), "");
    match module {
        Some(module) => bounded(shorten(format!("{module}::{name}"))),
        None => bounded(shorten(name)),
    }
}

/// The last [`NAME_LEN_MAX`] bytes of `text`, or a few less where a character would be cut.
pub(crate) fn bounded(mut text: String) -> String {
    let surplus = text.len().saturating_sub(NAME_LEN_MAX);
    let start = (surplus..=text.len()).find(|at| text.is_char_boundary(*at));
    text.drain(..start.unwrap_or(0));
    text
}

/// `path::<impl Trait for Type>::rest` says where the implementation stands; `<Type as Trait>::rest` is how it is called.
fn qualify(name: String) -> String {
    const OPEN: &str = "<impl ";
    let Some(at) = name.find(OPEN) else {
        return name;
    };
    let is_path = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':');
    if !name.as_bytes()[..at].iter().all(|byte| is_path(*byte)) {
        return name;
    }
    let inside = &name[at + OPEN.len()..];
    let Some(end) = closing_bracket(inside) else {
        return name;
    };
    let (implementation, rest) = (&inside[..end], &inside[end + 1..]);
    match split_outside(implementation, " for ") {
        Some((target, subject)) => format!("<{subject} as {target}>{rest}"),
        None => format!("<{implementation}>{rest}"),
    }
}

/// Where the bracket closes that was open before `text` began.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' | b'(' | b'[' => depth += 1,
            b'>' if at > 0 && text.as_bytes()[at - 1] == b'-' => {}
            b'>' | b')' | b']' if depth == 0 => return (byte == b'>').then_some(at),
            b'>' | b')' | b']' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Splits at the only `separator` that stands outside of brackets.
fn split_outside<'t>(text: &'t str, separator: &str) -> Option<(&'t str, &'t str)> {
    let outside = |at: &usize| {
        let before = text[..*at].replace("->", "");
        let count = |bracket: [char; 3]| before.matches(bracket).count();
        count(['<', '(', '[']) == count(['>', ')', ']'])
    };
    let mut places = text
        .match_indices(separator)
        .map(|(at, _)| at)
        .filter(outside);
    let at = places.next()?;
    match places.next() {
        None => Some((&text[..at], &text[at + separator.len()..])),
        Some(_) => None,
    }
}

/// Writes every closure in one form, a chain of them as one, and no body of an async function.
fn fold(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find('{') {
        let (before, braced) = rest.split_at(at);
        folded.push_str(before);
        let (part, len) = braced_part(braced);
        rest = &braced[len..];
        match part {
            Part::Closure => {
                let is_chain = folded
                    .strip_suffix("::")
                    .is_some_and(|outer| outer.ends_with(CLOSURE));
                if is_chain {
                    folded.truncate(folded.len() - 2);
                } else {
                    folded.push_str(CLOSURE);
                }
            }
            Part::AsyncBody => match folded.strip_suffix("::").map(str::len) {
                Some(len) => folded.truncate(len),
                None => folded.push_str(ASYNC_BODY),
            },
            Part::Other => folded.push_str(&braced[..len]),
        }
    }
    folded.push_str(rest);
    folded
}

/// Leaves generic arguments out, the innermost first, until the name is readable or only the outermost are left.
fn shorten(name: String) -> String {
    let mut shorter = name;
    for depth in (1..=DEPTH_MAX).rev() {
        if shorter.len() <= READABLE_LEN {
            break;
        }
        shorter = without_arguments_below(&shorter, depth);
    }
    shorter
}

/// Writes `<..>` for what is in more than `depth_max` angle brackets.
fn without_arguments_below(name: &str, depth_max: usize) -> String {
    let mut shorter = String::with_capacity(name.len());
    let mut depth = 0usize;
    let mut last = ' ';
    for letter in name.chars() {
        match letter {
            '<' => {
                depth += 1;
                if depth == depth_max + 1 {
                    shorter.push_str("<..>");
                }
            }
            // The arrow of a function type closes nothing.
            '>' if last != '-' => {
                depth = depth.saturating_sub(1);
                if depth == depth_max {
                    last = letter;
                    continue;
                }
            }
            _ => {}
        }
        if depth <= depth_max {
            shorter.push(letter);
        }
        last = letter;
    }
    shorter
}

enum Part {
    Closure,
    AsyncBody,
    Other,
}

/// What the brace at the start of `text` opens, and its length.
fn braced_part(text: &str) -> (Part, usize) {
    if text.starts_with(CLOSURE) {
        return (Part::Closure, CLOSURE.len());
    }
    let Some(end) = text.find('}') else {
        return (Part::Other, text.len());
    };
    let kind = text[1..end].split_once('#').map(|(kind, _)| kind);
    let part = match kind.map(|kind| kind.strip_suffix("_env").unwrap_or(kind)) {
        Some("async_fn" | "gen_fn" | "async_gen_fn") => Part::AsyncBody,
        Some(
            "closure" | "async_closure" | "gen_closure" | "async_gen_closure" | "async_block"
            | "gen_block" | "async_gen_block" | "coroutine" | "coroutine_closure",
        ) => Part::Closure,
        _ => Part::Other,
    };
    (part, end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(symbol: &str, expect: &str) {
        assert_eq!(symbol_name(symbol.as_bytes(), Body::Other), expect);
    }

    #[track_caller]
    fn check_async(symbol: &str, expect: &str) {
        assert_eq!(symbol_name(symbol.as_bytes(), Body::AsyncFunction), expect);
    }

    #[track_caller]
    fn check_unqualified(name: &str, module: Option<&str>, expect: &str) {
        assert_eq!(unqualified_name(name.as_bytes(), module), expect);
    }

    #[test]
    fn a_hash_is_not_part_of_the_name() {
        check("_ZN3big4main17h602bd8378f5ed56cE", "big::main");
        check("_RNvCs1234_7mycrate3foo", "mycrate::foo");
        check("_ZN3foo3barE.llvm.12345", "foo::bar");
    }

    #[test]
    fn what_is_not_rust_stays() {
        check("memcpy", "memcpy");
        check("_start", "_start");
        check("_Znwm", "_Znwm");
        check("", "");
        check("_R", "_R");
        check("_ZN", "_ZN");
        check("{", "{");
        check(
            "pthread_cond_wait@@GLIBC_2.3.2",
            "pthread_cond_wait@@GLIBC_2.3.2",
        );
    }

    #[test]
    fn generic_arguments_stay() {
        check("_RINvNtC3std3mem8align_ofjE", "std::mem::align_of::<usize>");
        check(
            "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3barE",
            "<Test + 'static as foo::Bar<Test>>::bar",
        );
    }

    #[test]
    fn closures_have_one_form() {
        check(
            "_ZN3app1f28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE",
            "app::f::{{closure}}",
        );
        check("_RNCNvC3app1f0", "app::f::{{closure}}");
        check("_RNCNvC3app1fs_0", "app::f::{{closure}}");
        check_unqualified("{closure#12}<u8>", Some("app"), "app::{{closure}}<u8>");
        check_unqualified(
            "map<u8, app::f::{closure_env#1}>",
            None,
            "map<u8, app::f::{{closure}}>",
        );
        check_unqualified("{async_block#0}", Some("app"), "app::{{closure}}");
    }

    #[test]
    fn a_chain_of_closures_is_one() {
        check("_RNCNCNvC3app1f00", "app::f::{{closure}}");
        check(
            "_ZN3app1f28_$u7b$$u7b$closure$u7d$$u7d$28_$u7b$$u7b$closure$u7d$$u7d$28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE",
            "app::f::{{closure}}",
        );
        check_unqualified(
            "poll<app::f::{async_block#0}::{closure#1}::{async_block_env#0}<u8>>",
            None,
            "poll<app::f::{{closure}}<u8>>",
        );
        // A function inside of a closure is a place of its own.
        check(
            "_RNCNvNCNvC3app1f01g0",
            "app::f::{{closure}}::g::{{closure}}",
        );
    }

    #[test]
    fn the_body_of_an_async_function_has_its_name() {
        check_async("_RNCNvC3app7handler0", "app::handler");
        check_async(
            "_ZN3app7handler28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE",
            "app::handler",
        );
        check_async("_RNvC3app7handler", "app::handler");
        check_unqualified(
            "{closure#0}<watch::{impl#7}::closed::{async_fn_env#0}<()>>",
            None,
            "{{closure}}<watch::{impl#7}::closed<()>>",
        );
        check_unqualified("{async_fn#0}<&str>", None, "{async fn}<&str>");
        check_unqualified("{async_fn#0}", Some("app::net"), "app::net::{async fn}");
    }

    #[test]
    fn debug_information_tells_the_body_of_an_async_function() {
        assert_eq!(Body::of(b"{async_fn#0}<&str>"), Body::AsyncFunction);
        for other in [&b"{async_block#0}"[..], b"{closure#0}", b"main", b""] {
            assert_eq!(Body::of(other), Body::Other);
        }
    }

    #[test]
    fn an_implementation_is_named_by_type_and_trait() {
        #[track_caller]
        fn check(name: &str, expect: &str) {
            assert_eq!(qualify(name.to_owned()), expect);
        }
        check(
            "core::fmt::num::<impl core::fmt::Debug for u32>::fmt",
            "<u32 as core::fmt::Debug>::fmt",
        );
        check("core::str::<impl str>::trim", "<str>::trim");
        check(
            "a::<impl From<fn(u8) -> u8> for Vec<T>>::from",
            "<Vec<T> as From<fn(u8) -> u8>>::from",
        );
        check("a::<impl F<fn() -> u8>>::g", "<F<fn() -> u8>>::g");
        check(
            "a::<impl X<dyn for<'a> Y for Z> for W>::g",
            "<W as X<dyn for<'a> Y for Z>>::g",
        );
        // Not to be told apart, not at the start, or not closed.
        check("a::<impl X for Y for Z>::g", "<X for Y for Z>::g");
        check("b<a::<impl X for Y>::g>", "b<a::<impl X for Y>::g>");
        check("a::<impl X for", "a::<impl X for");
        check("a::<impl X)>", "a::<impl X)>");
    }

    #[test]
    fn a_long_name_loses_its_innermost_arguments() {
        #[track_caller]
        fn check(name: &str, depth: usize, expect: &str) {
            assert_eq!(without_arguments_below(name, depth), expect);
        }
        check("f<A<B<C>, D<E>>>", 3, "f<A<B<C>, D<E>>>");
        check("f<A<B<C>, D<E>>>", 2, "f<A<B<..>, D<..>>>");
        check("f<A<B<C>, D<E>>>", 1, "f<A<..>>");
        check("f<fn(A<B>) -> C<D>>::g", 1, "f<fn(A<..>) -> C<..>>::g");
        check("<A<B> as C<D<E>>>::f", 1, "<A<..> as C<..>>::f");
        check("f<A<B<C", 1, "f<A<..>");
        check("f>>>g", 1, "f>>>g");

        let argument = "x".repeat(90);
        let name = format!("m::f<A<{argument}, B<{argument}, C<{argument}>>>>");
        let expect = format!("m::f<A<{argument}, B<..>>>");
        check_unqualified(
            &name,
            None,
            &format!("m::f<A<{argument}, B<{argument}, C<..>>>>"),
        );
        let longer = name.replace("m::f", &"m".repeat(80));
        check_unqualified(&longer, None, &expect.replace("m::f", &"m".repeat(80)));
    }

    #[test]
    fn the_usual_allocator_is_left_out() {
        check_unqualified(
            "push<u8, alloc::alloc::Global>",
            Some("alloc::vec"),
            "alloc::vec::push<u8>",
        );
        check_unqualified("grow_one<alloc::alloc::Global>", None, "grow_one");
    }

    #[test]
    fn the_end_of_a_long_name_is_kept() {
        let long = format!("{}end", "x".repeat(5000));
        let name = symbol_name(long.as_bytes(), Body::Other);
        assert_eq!(name.len(), NAME_LEN_MAX);
        assert!(name.ends_with("xend"));
        // 3 bytes a character: 1,024 is no multiple.
        let name = bounded("€".repeat(1000));
        assert_eq!(name.len(), 1023);
    }

    #[test]
    fn what_is_no_utf8_is_kept_in_part() {
        assert_eq!(symbol_name(b"f\xffg", Body::Other), "f\u{fffd}g");
    }
}
