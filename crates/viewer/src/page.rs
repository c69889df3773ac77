//! The page itself, as built from the sources in `page/`.

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;

/// A file of the page.
struct File {
    path: &'static str,
    content_type: &'static str,
    bytes: &'static [u8],
}

/// All of them: a row a file.
const FILES: [File; 3] = [
    File {
        path: "",
        content_type: "text/html; charset=utf-8",
        bytes: include_bytes!("../page/dist/index.html"),
    },
    File {
        path: "app.js",
        content_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../page/dist/app.js"),
    },
    File {
        path: "app.css",
        content_type: "text/css; charset=utf-8",
        bytes: include_bytes!("../page/dist/app.css"),
    },
];

/// What a page is made of that stands alone: the files' texts come where their names stand.
const STANDALONE: &str = include_str!("../page/dist/export.html");

/// The page as one file, with the answers to what it asks for. They hold no markup.
pub(crate) fn standalone(answers: &str) -> String {
    let style = include_str!("../page/dist/app.css");
    let script = include_str!("../page/dist/app.js");
    let page = STANDALONE.replace("{app.css}", style);
    // The script last: it may have the marks of the others in it.
    let page = page.replace("{answers}", answers);
    page.replace("{app.js}", script)
}

/// A route for each file, below a path.
pub(crate) fn router<S: Clone + Send + Sync + 'static>(base: &str) -> Router<S> {
    FILES.iter().fold(Router::new(), |router, file| {
        let answer = ([(CONTENT_TYPE, file.content_type)], file.bytes);
        router.route(
            &format!("{base}/{}", file.path),
            get(move || async move { answer }),
        )
    })
}
