//! Proof that a recording opens in Go's own tools, shared by the workspace's tests.
//!
//! A recording is right when `go tool trace` takes it: not our reader, which could share a mistake with our writer.
//! Two toolchains judge: 1.19, the last whose parser is the original of format v1, and 1.27, which turns v1 into v2
//! events on reading. They see different mistakes, so a recording must pass both.
//!
//! Three levels, each of which includes the one before:
//!
//! | function | asks | costs, two tools together |
//! | --- | --- | --- |
//! | [`accepts`] | does every event parse, in an order that exists? | 20 ms for a small trace |
//! | [`profiles`] | do the four profiles come out? | 100 ms |
//! | [`opens`] | does every page of the web view answer, with data that a browser can draw? | 1 to 10 s |
//!
//! ```no_run
//! let accepted = exectrace_testkit::opens("recording.trace".as_ref());
//! if let Some(events) = accepted.v1 {
//!     assert_eq!(events.counts()["GoCreate"], 3);
//! }
//! ```
//!
//! # Without a toolchain
//!
//! A check whose toolchain is missing is skipped and says so on the standard error, past the test harness's capture, so
//! that a plain `cargo test` shows what it did not prove. With `EXECTRACE_REQUIRE_GO=1`, as in CI, it panics instead.
//! Where toolchains are looked for: [`Go::v1_19`] and [`Go::v1_27`].
//!
//! # Modules
//!
//! | module | holds |
//! | --- | --- |
//! | `accept` | the three levels and [`Accepted`] |
//! | `go`, `go_version` | [`Go`], a toolchain found and ready; [`GoVersion`], which and where |
//! | `v1_dump`, `v2_dump` | the events as 1.19 and 1.27 list them |
//! | `server`, `http`, `links`, `json` | the web view: serve, ask, follow links, check what a browser would parse |
//! | `top`, `pprof_sample` | [`Top`], a profile by function; [`PprofSample`], one stack of it |
//! | `oracle`, `oracle_count` | [`Oracle`], Go's own reader event by event; [`OracleCount`], what reading takes |
//! | `corpus`, `corpus_trace` | [`Corpus`], traces beside what Go's readers say of them; [`CorpusTrace`], one of them |
//! | `mutation`, `difference` | [`Mutation`], a damaged one; where Go's readers and ours may differ |
//! | `scratch` | [`Scratch`], a directory that goes with the test |
//! | `random` | numbers for tests that act at random |
//! | `process`, `line_stream` | a child with a deadline; [`LineStream`], its lines while it runs |
//! | `missing`, `error` | skip or panic; what can go wrong |

mod accept;
mod corpus;
mod corpus_trace;
mod difference;
mod error;
mod go;
mod go_version;
mod http;
mod json;
mod line_stream;
mod links;
mod missing;
mod mutation;
mod oracle;
mod oracle_count;
mod pprof_sample;
mod process;
mod random;
mod scratch;
mod server;
mod top;
mod v1_dump;
mod v2_dump;

pub use accept::{Accepted, accepts, opens, opens_widely, profiles};
pub use corpus::Corpus;
pub use corpus_trace::CorpusTrace;
pub use error::{Error, PageProblem};
pub use go::{Go, PROFILES};
pub use go_version::GoVersion;
pub use line_stream::LineStream;
pub use mutation::Mutation;
pub use oracle::Oracle;
pub use oracle_count::OracleCount;
pub use pprof_sample::PprofSample;
pub use random::Random;
pub use scratch::Scratch;
pub use server::{Page, Server};
pub use top::{Top, TopRow};
pub use v1_dump::{V1Dump, V1Line};
pub use v2_dump::{V2Dump, V2Frame, V2Line};
