//! The server: one trace, one page, on an address of this machine.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;

use axum::middleware;
use tokio::runtime;

use crate::guard::{self, Guard};
use crate::reading;
use crate::routes;
use crate::subject::Subject;

/// Threads that answer requests: the work of most is short.
const THREADS: usize = 2;

/// How much threads that read step back: a tenth of the time of others that want the same processor.
const NICENESS: i32 = 10;

/// How a server is to be.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Where to listen; port 0 is any that is free.
    pub listen: SocketAddr,
}

impl Default for Options {
    /// Any free port of the loopback address.
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        }
    }
}

/// A server that shows a trace.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    token: String,
    subject: Arc<Subject>,
}

impl Server {
    /// Takes an address; requests wait until [`Self::run`].
    ///
    /// # Errors
    ///
    /// When the address cannot be had, or the system has no random numbers for the token.
    pub fn bind(subject: Subject, options: &Options) -> io::Result<Self> {
        let listener = TcpListener::bind(options.listen)?;
        listener.set_nonblocking(true)?;
        Ok(Self {
            address: listener.local_addr()?,
            listener,
            token: guard::token().map_err(io::Error::other)?,
            subject: Arc::new(subject),
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the page, with the token that lets in.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.token)
    }

    /// Starts the thread that reads. It leaves the processor to answers, and to the browser, which has to draw what there is so far.
    fn read(&self) -> io::Result<()> {
        let subject = Arc::clone(&self.subject);
        let thread = thread::Builder::new().name(String::from("exectrace-read"));
        thread.spawn(move || {
            // On Linux this is the calling thread's, and that of those it starts. One that may not be nice does its work all the same.
            let _ = rustix::process::nice(NICENESS);
            reading::read(&subject);
            subject.prepare_pages();
        })?;
        Ok(())
    }

    /// Reads the trace and answers requests, until the process ends.
    ///
    /// # Errors
    ///
    /// When threads cannot be had, or the socket fails.
    pub fn run(self) -> io::Result<()> {
        self.read()?;
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .enable_io()
            .build()?;
        let guard = Guard::new(self.address);
        let router = routes::router(&self.token, self.subject)
            .layer(middleware::from_fn_with_state(guard, guard::check));
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            axum::serve(listener, router).await
        })
    }
}
