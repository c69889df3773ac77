//! The server's routes, asked without a socket: what an exported page says is what the server says.

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::body::{self, Body};
use axum::http::Request;
use tokio::runtime::{self, Runtime};
use tower_service::Service as _;

use super::question::Question;
use crate::routes;
use crate::subject::Subject;

/// Where routes are, when nobody needs to be kept out.
const TOKEN: &str = "export";

/// The routes of a trace that was read.
#[derive(Debug)]
pub(super) struct Asking {
    router: Router,
    runtime: Runtime,
}

impl Asking {
    pub(super) fn new(subject: Arc<Subject>) -> io::Result<Self> {
        Ok(Self {
            router: routes::router(TOKEN, subject),
            runtime: runtime::Builder::new_current_thread().build()?,
        })
    }

    /// The answer; `None` where the server refuses one, as to a report that the trace has nothing for.
    pub(super) fn ask(&self, question: &Question) -> io::Result<Option<Vec<u8>>> {
        let address = format!("/{TOKEN}/api/{question}");
        let request = Request::get(address).body(Body::empty());
        let request = request.map_err(io::Error::other)?;
        self.runtime.block_on(async {
            let Ok(response) = self.router.clone().call(request).await;
            if !response.status().is_success() {
                return Ok(None);
            }
            let bytes = body::to_bytes(response.into_body(), usize::MAX).await;
            Ok(Some(bytes.map_err(io::Error::other)?.into()))
        })
    }
}
