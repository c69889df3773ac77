//! The server, asked over a socket.

mod client;
mod drawn;
mod server;
