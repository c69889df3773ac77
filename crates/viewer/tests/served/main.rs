//! The server, asked over a socket.

mod cases;
mod client;
mod drawn;
mod server;
