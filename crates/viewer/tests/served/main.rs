//! The server, asked over a socket.

mod annotated;
mod cases;
mod client;
mod drawn;
mod exported;
mod filtered;
mod server;
