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
