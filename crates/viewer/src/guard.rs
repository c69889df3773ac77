//! Who is let in: whoever knows the token, by the address that was printed.
//!
//! A page of somebody else's that a browser shows at the same time may send requests to any port of the machine, and may have a
//! name of its own point to the loopback address. So a request must come with the token, name a host that is ours, and not come
//! from a page that is not ours. What is refused gets no reason: who may come in has the address.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderName, HeaderValue, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::sync::Semaphore;

/// So many requests are answered at once; those beyond are told to come again.
const REQUESTS_MAX: usize = 64;

/// Bytes of a token: nobody guesses them.
const TOKEN_BYTES: usize = 16;

/// What the page may do: show itself, and ask this server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of every answer.
const HEADERS: [(HeaderName, &str); 4] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-store"),
];

/// What a request must come with.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    hosts: Vec<String>,
    permits: Semaphore,
}

impl Guard {
    /// Lets in who came by one of the names of an address.
    pub(crate) fn new(address: SocketAddr) -> Self {
        let port = address.port();
        let mut hosts = vec![address.to_string()];
        if address.ip().is_loopback() || address.ip().is_unspecified() {
            let names = ["127.0.0.1", "localhost", "[::1]"].iter();
            hosts.extend(names.map(|name| format!("{name}:{port}")));
        }
        let shared = Shared {
            hosts,
            permits: Semaphore::new(REQUESTS_MAX),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    fn lets_in(&self, headers: &HeaderMap) -> bool {
        let hosts = &self.shared.hosts;
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        let is_our_host = host.is_some_and(|host| hosts.iter().any(|ours| ours == host));
        let is_our_origin = headers.get(ORIGIN).is_none_or(|origin| {
            let origin = origin.to_str().ok();
            let origin = origin.and_then(|origin| origin.strip_prefix("http://"));
            origin == host && origin.is_some()
        });
        is_our_host && is_our_origin
    }
}

/// Lets a request in, or not.
pub(crate) async fn check(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    if !guard.lets_in(request.headers()) {
        return with_headers(StatusCode::NOT_FOUND.into_response());
    }
    let Ok(_permit) = guard.shared.permits.try_acquire() else {
        let busy = (
            StatusCode::SERVICE_UNAVAILABLE,
            "too many requests at once\n",
        );
        return with_headers(busy.into_response());
    };
    with_headers(next.run(request).await)
}

fn with_headers(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        let headers = response.headers_mut();
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}

/// A new token.
///
/// # Errors
///
/// When the system has no random numbers to give.
pub(crate) fn token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
