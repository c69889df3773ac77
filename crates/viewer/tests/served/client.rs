//! A server in this process, and a client that sends what it is told to.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use exectrace_reader::{Source, UnpackLimit};
use exectrace_viewer::{Bytes, Options, Server, Subject};

/// A task that runs and waits.
pub(crate) const SMALL: &str = "\
    go 1.19 trace
    Batch worker=0 ticks=1000
    Frequency ticks_per_second=1000000000
    ProcStart dt=1 thread=7
    GoCreate dt=4 task=1 start_stack=1
    GoStart dt=5 task=1 seq=1
    GoBlockRecv dt=20 stack=1
    GoUnblock dt=5 task=1 seq=2
    GoStart dt=5 task=1 seq=3
    GoEnd dt=5
    Stack stack=1 frame=0x10,2,3,10
    String string=2 text=\"main.work\"
    String string=3 text=\"main.go\"";

/// A client of a server that shows one trace, until the process ends.
pub(crate) struct Client {
    pub(crate) address: SocketAddr,
    /// The path that lets in.
    pub(crate) path: String,
}

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// In lower case.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Client {
    /// Of a trace as text.
    pub(crate) fn of_text(text: &str) -> Self {
        Self::of(exectrace_format::text::parse(text).expect("is a trace"))
    }

    /// Of a file's bytes.
    pub(crate) fn of(file: Vec<u8>) -> Self {
        let source = Source::from_bytes(file, UnpackLimit::default()).expect("is not packed");
        let subject = Subject::new("a.trace", "a.trace", Bytes::Source(source));
        let server = Server::bind(subject, &Options::default()).expect("a port is free");
        let (address, url) = (server.address(), server.url());
        thread::spawn(move || server.run());
        let path = url.split_once("//").expect("is one").1;
        let path = path[path.find('/').expect("has one")..].to_owned();
        Self { address, path }
    }

    /// Waits until all was read.
    pub(crate) fn wait(&self) {
        while self.get("api/trace").json()["state"] == "reading" {
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// What is below the path that lets in.
    pub(crate) fn get(&self, target: &str) -> Answer {
        let path = format!("{}{target}", self.path);
        self.ask("GET", &path, &self.address.to_string(), "")
    }

    /// Anything; `headers` are whole lines.
    pub(crate) fn ask(&self, method: &str, path: &str, host: &str, headers: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).expect("listens");
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\n{headers}Connection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).expect("reads");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("answers");
        let end = bytes
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .expect("has a head");
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        Answer {
            status: status.expect("is HTTP"),
            head,
            body: bytes.split_off(end + 4),
        }
    }
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}
