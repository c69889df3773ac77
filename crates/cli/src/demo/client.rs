//! One connection of the demonstration's client.

use std::net::SocketAddr;

use axum::body::Body;
use exectrace_tokio as tokio;
use http_body_util::BodyExt;
use hyper::Request;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use super::error::RequestError;

/// A connection that sends one request at a time.
pub(crate) struct Client {
    sender: SendRequest<Body>,
    connection: JoinHandle<()>,
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> Result<Self, RequestError> {
        let stream = TcpStream::connect(address)
            .await
            .map_err(RequestError::Connect)?;
        let (sender, connection) = handshake(TokioIo::new(stream))
            .await
            .map_err(RequestError::Http)?;
        let connection = tokio::spawn(async move {
            // Its error comes to whoever waits for an answer.
            let _ = connection.await;
        });
        Ok(Self { sender, connection })
    }

    /// Asks for a path and reads the whole answer; returns its length.
    pub(crate) async fn get(&mut self, path: &'static str) -> Result<usize, RequestError> {
        let mut request = Request::new(Body::empty());
        *request.uri_mut() = hyper::Uri::from_static(path);
        request.headers_mut().insert(
            hyper::header::HOST,
            hyper::header::HeaderValue::from_static("demo"),
        );
        self.sender.ready().await.map_err(RequestError::Http)?;
        let answer = self
            .sender
            .send_request(request)
            .await
            .map_err(RequestError::Http)?;
        let status = answer.status();
        let body = answer
            .into_body()
            .collect()
            .await
            .map_err(RequestError::Http)?;
        if !status.is_success() {
            return Err(RequestError::Status(status.as_u16()));
        }
        Ok(body.to_bytes().len())
    }

    /// Closes the connection.
    pub(crate) async fn close(self) {
        drop(self.sender);
        let _ = self.connection.await;
    }
}
