//! As much of HTTP as asking a local server for a page takes: a `GET` of version 1.0, answered until the end of the stream.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// An answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) content_type: String,
    pub(crate) body: Vec<u8>,
}

/// Asks for `target`. `Ok(None)` when the connection ends without a whole head, as when the server's handler panics.
///
/// # Errors
///
/// When the connection cannot be made or no byte comes for `patience`.
pub(crate) fn get(
    address: SocketAddr,
    target: &str,
    patience: Duration,
) -> io::Result<Option<Response>> {
    let mut stream = TcpStream::connect_timeout(&address, patience)?;
    stream.set_read_timeout(Some(patience))?;
    // 1.0 has no chunks, and the server closes after the answer.
    write!(stream, "GET {target} HTTP/1.0\r\nHost: {address}\r\n\r\n")?;
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Err(error) if error.kind() != io::ErrorKind::ConnectionReset => Err(error),
        _ => Ok(parse(&bytes)),
    }
}

fn parse(bytes: &[u8]) -> Option<Response> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = str::from_utf8(&bytes[..end]).ok()?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let content_type = lines
        .filter_map(|line| line.split_once(": "))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-type"))
        .map(|(_, value)| value.to_owned())
        .unwrap_or_default();
    Some(Response {
        status,
        content_type,
        body: bytes[end + 4..].to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_head_and_body() {
        let response =
            parse(b"HTTP/1.0 500 Oops\r\nDate: x\r\ncontent-type: text/plain\r\n\r\nwhy\r\n\r\n")
                .expect("the head is whole");
        assert_eq!(response.status, 500);
        assert_eq!(response.content_type, "text/plain");
        assert_eq!(response.body, b"why\r\n\r\n");
    }

    #[test]
    fn half_a_head_is_no_answer() {
        assert_eq!(parse(b""), None);
        assert_eq!(parse(b"HTTP/1.0 200 OK\r\nDate: x\r\n"), None);
    }
}
