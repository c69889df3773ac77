//! Tiny traces of format v1, written byte by byte so that these tests depend on no writer of ours.

/// A v1 file under construction.
pub(crate) struct TraceBytes(Vec<u8>);

impl TraceBytes {
    /// The header of Go 1.19 and the first batch, of worker 0 at tick 100.
    pub(crate) fn new() -> Self {
        let mut bytes = b"go 1.19 trace".to_vec();
        bytes.resize(16, 0);
        Self(bytes).short(1, &[0, 100])
    }

    /// A record whose values fit its count bits, the time's delta first where the type has one.
    pub(crate) fn short(mut self, event_type: u8, values: &[u64]) -> Self {
        let count =
            u8::try_from(values.len() - 1).expect("short records hold at most three values");
        assert!(count < 3, "longer records have a length");
        self.0.push(count << 6 | event_type);
        for &value in values {
            push_varint(&mut self.0, value);
        }
        self
    }

    /// A record with a length.
    pub(crate) fn long(mut self, event_type: u8, values: &[u64]) -> Self {
        let mut body = Vec::new();
        for &value in values {
            push_varint(&mut body, value);
        }
        self.0.push(3 << 6 | event_type);
        push_varint(&mut self.0, body.len() as u64);
        self.0.extend(body);
        self
    }

    /// An entry of the string table.
    pub(crate) fn string(mut self, id: u64, text: &str) -> Self {
        self.0.push(37);
        push_varint(&mut self.0, id);
        self.text(text)
    }

    /// A length and that many bytes, as they follow a log.
    pub(crate) fn text(mut self, text: &str) -> Self {
        push_varint(&mut self.0, text.len() as u64);
        self.0.extend(text.as_bytes());
        self
    }

    pub(crate) fn bytes(self) -> Vec<u8> {
        self.0
    }
}

fn push_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    bytes.push(value.to_le_bytes()[0]);
}

/// Two tasks of a server: one waits for a lock that the other holds, inside a region of a user task with a log.
pub(crate) fn two_tasks() -> TraceBytes {
    TraceBytes::new()
        // Frequency: a tick is a nanosecond.
        .short(2, &[1_000_000_000])
        .string(1, "server::main")
        .string(2, "src/main.rs")
        .string(3, "request")
        .string(4, "parse")
        .long(3, &[1, 1, 0x1000, 1, 2, 7])
        // Gomaxprocs, GoCreate of 1 and 2, ProcStart, GoStart of 1.
        .short(4, &[10, 2, 1])
        .long(13, &[10, 1, 1, 1])
        .long(13, &[10, 2, 1, 1])
        .short(5, &[10, 77])
        .short(14, &[10, 1, 1])
        // UserTaskCreate, UserRegion begin, UserLog.
        .long(45, &[10, 1, 0, 3, 1])
        .long(47, &[10, 1, 0, 4, 1])
        .long(48, &[10, 1, 3, 1])
        .text("two\nlines")
        // GoBlockSync of 1; GoStart of 2; GoUnblock of 1 by 2; GoSched of 2; GoStart of 1.
        .short(25, &[1000, 1])
        .short(14, &[10, 2, 1])
        .long(21, &[500, 1, 2, 1])
        .short(17, &[10, 1])
        .short(14, &[10, 1, 3])
        // UserRegion end, UserTaskEnd, GoEnd, ProcStop.
        .long(47, &[10, 1, 1, 4, 1])
        .short(46, &[10, 1, 1])
        .short(15, &[10])
        .short(6, &[10])
}
