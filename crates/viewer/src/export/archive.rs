//! Answers as they stand in an exported page: a line each, the question, a space, and the answer, packed by deflate, in base64. A
//! page finds a line by its question, and unpacks it when it asks.

use std::fmt::Display;
use std::io::{self, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;

/// Answers, as many as there is room for.
#[derive(Debug)]
pub(super) struct Archive {
    text: String,
    /// How long the text may become.
    bytes_max: usize,
}

impl Archive {
    pub(super) fn new(bytes_max: usize) -> Self {
        Self {
            text: String::new(),
            bytes_max,
        }
    }

    /// Takes an answer in, unless it, too, would be more than `share` of the room. Says whether it did.
    pub(super) fn add(
        &mut self,
        question: impl Display,
        answer: &[u8],
        share: f64,
    ) -> io::Result<bool> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(answer)?;
        let line = format!("{question} {}\n", STANDARD.encode(encoder.finish()?));
        let room = (self.bytes_max as f64 * share) as usize;
        let has_room = self.text.len() + line.len() <= room;
        if has_room {
            self.text.push_str(&line);
        }
        Ok(has_room)
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::DeflateDecoder;

    use super::*;

    #[test]
    fn an_answer_comes_back_and_what_has_no_room_is_left_out() {
        let mut archive = Archive::new(100);
        assert!(archive.add("trace", b"{\"a\":1}", 1.0).unwrap());
        assert!(!archive.add("trace", &[7; 20], 0.1).unwrap());
        let noise: Vec<u8> = (0..=255).collect();
        assert!(!archive.add("runs", &noise, 1.0).unwrap());
        let text = archive.into_text();
        let (question, packed) = text.trim_end().split_once(' ').unwrap();
        assert_eq!(question, "trace");
        let packed = STANDARD.decode(packed).unwrap();
        let mut answer = String::new();
        DeflateDecoder::new(&packed[..])
            .read_to_string(&mut answer)
            .unwrap();
        assert_eq!(answer, "{\"a\":1}");
    }
}
