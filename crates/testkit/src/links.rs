//! The links of a page that lead to the same server.

/// The targets of all `href` attributes of `html` that stay on its server, in order, with repetitions.
pub(crate) fn local_links(html: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut rest = html;
    while let Some((_, after)) = rest.split_once("href=") {
        rest = after;
        let quote = match after.chars().next() {
            Some(quote @ ('"' | '\'')) => quote,
            _ => continue,
        };
        let Some((value, after)) = after[1..].split_once(quote) else {
            break;
        };
        rest = after;
        // A target may not hold what would end the request line.
        if value.starts_with('/') && !value.starts_with("//") && !value.contains([' ', '\n', '\r'])
        {
            let mut target = unescape(value);
            // The part after # stays in the browser.
            target.truncate(target.find('#').unwrap_or(target.len()));
            links.push(target);
        }
    }
    links
}

/// Undoes the escapes that Go's HTML templates write in attributes.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        let Some((name, following)) = after.split_once(';') else {
            plain.push('&');
            rest = after;
            continue;
        };
        let number = name
            .strip_prefix('#')
            .and_then(|digits| digits.parse().ok());
        let character = match name {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            _ => number.and_then(char::from_u32),
        };
        if let Some(character) = character {
            plain.push(character);
            rest = following;
        } else {
            plain.push('&');
            rest = after;
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, expect: &[&str]) {
        assert_eq!(local_links(html), expect, "{html}");
    }

    #[test]
    fn only_links_of_the_same_server_count() {
        check(
            "<a href=\"/trace?view=proc\">x</a> <a href='/io'>",
            &["/trace?view=proc", "/io"],
        );
        check(
            "<a href='https://go.dev/'> <a href=\"//go.dev/\"> <a href=\"#top\">",
            &[],
        );
        check("<a href=/bare>", &[]);
        check("<a href=\"/never ended", &[]);
    }

    #[test]
    fn escapes_are_undone() {
        check(
            "<a href=\"/r?type=a&amp;pc=1f&#43;b\">",
            &["/r?type=a&pc=1f+b"],
        );
        check("<a href=\"/r?type=&pc=1\">", &["/r?type=&pc=1"]);
        check("<a href='/t?id=1#5e-05:1'>", &["/t?id=1"]);
        check("<a href=\"/r?a&unknown;b&\">", &["/r?a&unknown;b&"]);
    }
}
