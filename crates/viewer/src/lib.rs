//! Shows execution traces in a browser.
//!
//! A trace is read once, from begin to end; meanwhile a server on the loopback address serves a page that shows what is there so
//! far. The page never gets events: it asks for rows of the timeline, a window and a width in pixels, and gets what can be seen of
//! them, from levels of detail that are built while the trace is read.
//!
//! # Examples
//!
//! ```no_run
//! use exectrace_reader::{Source, UnpackLimit};
//! use exectrace_viewer::{Bytes, Options, Server, Subject};
//!
//! let source = Source::open("service.trace", UnpackLimit::default()).expect("can be opened");
//! let subject = Subject::new("service.trace", "service.trace", Bytes::Source(source));
//! let server = Server::bind(subject, &Options::default())?;
//! println!("open {}", server.url());
//! server.run()?;
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Modules
//!
//! | module | has |
//! | --- | --- |
//! | `server`, `guard` | [`Server`]: addresses, routes, and who is let in |
//! | `subject` | [`Subject`]: what is shown |
//! | `reading`, `status` | it is read, while others look; how far that is |
//! | `gaps` | when events of it are gone |
//! | `filters` | filters of the command line on rows, those that were asked for last |
//! | `timeline` | all rows, filled while a trace is read |
//! | `track` | one row: intervals, levels of detail, and what a screen can show |
//! | `grid` | what a screen can show: buckets of time |
//! | `causes` | why intervals began, each reason once |
//! | `reports` | reports of the trace, each computed once |
//! | `routes` | what the page can ask for, a file each |
//! | `cut_texts` | no long text in what the page is told |
//! | `wire` | what a screen shows, as typed arrays |
//! | `page` | the page itself, built from `page/` |
//! | `export` | [`Export`]: a trace as one page that needs no server |

mod causes;
mod cut_texts;
mod export;
mod filters;
mod gaps;
mod grid;
mod guard;
mod kept_times;
mod page;
mod reading;
mod reports;
mod routes;
mod server;
mod status;
mod subject;
mod timeline;
mod track;
mod turns;
mod wire;

pub use export::{Export, ExportError, ExportOptions};
pub use server::{Options, Server};
pub use subject::{Bytes, Subject};
