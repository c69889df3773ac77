//! A Rust source without its comments and the contents of its texts, so that a word in it is a word of the program.

/// `source` with comments, and what stands in string and character literals, replaced by spaces; line ends stay.
pub(super) fn code_of(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = skipped(rest, code.chars().next_back());
        if length == 0 {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            let (gone, following) = rest.split_at(length);
            code.extend(gone.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
            rest = following;
        }
    }
    code
}

/// How many bytes at the start of `rest` are a comment or a literal; `before` is what stands in front of it.
fn skipped(rest: &str, before: Option<char>) -> usize {
    let within_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return block_comment(rest);
    }
    if rest.starts_with('"') {
        return text(rest, 1);
    }
    if rest.starts_with('\'') {
        return character(rest);
    }
    if within_word {
        return 0;
    }
    let after_prefix = rest.trim_start_matches(['b', 'c']);
    let prefix = rest.len() - after_prefix.len();
    let raw = after_prefix.strip_prefix('r');
    match raw {
        Some(raw) if prefix <= 1 => raw_text(raw).map_or(0, |length| prefix + 1 + length),
        None if prefix == 1 && after_prefix.starts_with('"') => text(rest, 2),
        _ => 0,
    }
}

/// Comments nest.
fn block_comment(rest: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    let bytes = rest.as_bytes();
    while at < bytes.len() {
        match bytes.get(at..at + 2) {
            Some(b"/*") => {
                depth += 1;
                at += 2;
            }
            Some(b"*/") => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    rest.len()
}

/// Up to the closing quote, from `begin` on.
fn text(rest: &str, begin: usize) -> usize {
    let bytes = rest.as_bytes();
    let mut at = begin;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// `'a'`, `'\n'`; not a lifetime.
fn character(rest: &str) -> usize {
    let mut characters = rest.char_indices().skip(1);
    match characters.next() {
        Some((_, '\\')) => rest[3..].find('\'').map_or(0, |end| 3 + end + 1),
        Some(_) => match characters.next() {
            Some((end, '\'')) => end + 1,
            _ => 0,
        },
        None => 0,
    }
}

/// `#"…"#` with any number of `#`, as it stands after the `r`.
fn raw_text(rest: &str) -> Option<usize> {
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let inner = rest[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let end = inner.find(&close)?;
    Some(hashes + 1 + end + close.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expect: &str) {
        let squeezed: Vec<String> = [code_of(source), expect.to_owned()]
            .iter()
            .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(squeezed[0], squeezed[1], "{source}");
    }

    #[test]
    fn comments_go() {
        check("a // unsafe\nb", "a b");
        check("a /* x /* y */ unsafe */ b", "a b");
        check("/// unsafe\nfn f() {}", "fn f() {}");
        check("a /* never ended", "a");
    }

    #[test]
    fn literals_go() {
        check(r#"f("unsafe \" x") g"#, "f( ) g");
        check(r##"f(r#"unsafe " x"#) g"##, "f( ) g");
        check("f(b\"x\", c\"y\", br\"z\") g", "f( , , ) g");
        check(r"m('\'', 'x', '\u{1F600}', b'\\') g", "m( , , , b ) g");
    }

    #[test]
    fn code_stays() {
        check(
            "fn f<'a>(x: &'a str) -> &'a str { x }",
            "fn f<'a>(x: &'a str) -> &'a str { x }",
        );
        check("for r in bar\"\"", "for r in bar");
        check("let r#type = br;", "let r#type = br;");
    }

    #[test]
    fn lines_keep_their_numbers() {
        assert_eq!(
            code_of("/*\n*/\n\"\n\"\nunsafe").lines().nth(4),
            Some("unsafe")
        );
    }
}
