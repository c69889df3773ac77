//! What the page can ask for: a file a route.

mod answer;
mod curves;
mod filtered;
mod in_turn;
mod interval;
mod labels;
mod logs;
mod marks;
mod report;
pub(crate) mod runs;
mod scatter;
mod search;
mod status;
mod tracks;
mod tree;

use std::sync::Arc;

use axum::Router;
use axum::routing::{MethodRouter, get};

use crate::page;
use crate::subject::Subject;

/// What routes share.
type Shared = Arc<Subject>;

/// All of them: a row a route.
fn rows() -> [(&'static str, MethodRouter<Shared>); 12] {
    [
        ("trace", get(status::answer)),
        ("tracks", get(tracks::answer)),
        ("runs", get(runs::answer)),
        ("interval", get(interval::answer)),
        ("labels", get(labels::answer)),
        ("marks", get(marks::answer)),
        ("logs", get(logs::answer)),
        ("tree", get(tree::answer)),
        ("curves", get(curves::answer)),
        ("scatter", get(scatter::answer)),
        ("search", get(search::answer)),
        ("report/{name}", get(report::answer)),
    ]
}

/// The page and its routes, below the token.
pub(crate) fn router(token: &str, subject: Shared) -> Router {
    let router = page::router(&format!("/{token}"));
    let rows = rows().into_iter();
    let router = rows.fold(router, |router, (name, route)| {
        router.route(&format!("/{token}/api/{name}"), route)
    });
    router.with_state(subject)
}
