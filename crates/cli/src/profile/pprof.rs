//! A profile in pprof's form, which `go tool pprof` and many others read: protobuf, packed with gzip.
//!
//! It has the sample types of Go's own: how often, and how long. A trace does not say what was loaded where, so there are no
//! mappings; its frames have their names, and need none.

mod message;

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use exectrace_analysis::{NamedFrame, ProfileReport, ProfileType};
use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message as _;

use self::message::{Function, Label, Line, Location, Profile, Sample, ValueType};
use super::NO_STACK;

/// Writes a profile.
pub(super) fn write(sink: impl Write, report: &ProfileReport) -> io::Result<()> {
    let mut packed = GzEncoder::new(sink, Compression::default());
    packed.write_all(&profile(report).encode_to_vec())?;
    packed.finish()?.flush()
}

fn profile(report: &ProfileReport) -> Profile {
    let mut builder = Builder::default();
    // The first string is the empty one.
    builder.string("");
    let is_cpu = report.profile_type == ProfileType::Cpu;
    builder.profile.sample_type = if is_cpu {
        vec![
            builder.value_type("samples", "count"),
            builder.value_type("cpu", "nanoseconds"),
        ]
    } else {
        vec![
            builder.value_type("contentions", "count"),
            builder.value_type("delay", "nanoseconds"),
        ]
    };
    let sums = report.sums;
    (builder.profile.period_type, builder.profile.period) = if is_cpu {
        let period = sums.ns.checked_div(signed(sums.count)).unwrap_or_default();
        (Some(builder.profile.sample_type[1]), period)
    } else {
        (Some(builder.value_type("trace", "count")), 1)
    };
    for frame in &report.frames {
        builder.add_location(frame);
    }
    // Go 1.19's tool drops samples without a stack.
    let has_none = report.stacks.iter().any(|stack| stack.frames.is_empty());
    let none = has_none.then(|| builder.add_named_location(NO_STACK));
    let key = builder.string("waits_for");
    for stack in &report.stacks {
        let label = (!is_cpu).then(|| Label {
            key,
            text: builder.string(stack.waits_for()),
        });
        let locations = stack.frames.iter().map(|&place| u64::from(place) + 1);
        builder.profile.sample.push(Sample {
            location_id: locations
                .chain(none.filter(|_| stack.frames.is_empty()))
                .collect(),
            value: vec![signed(stack.sums.count), stack.sums.ns],
            label: label.into_iter().collect(),
        });
    }
    builder.profile
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Fills the tables of a profile.
#[derive(Default)]
struct Builder {
    profile: Profile,
    strings: HashMap<String, i64>,
    /// By name and file.
    functions: HashMap<(i64, i64), u64>,
    addresses: HashSet<u64>,
    spare_addresses: u64,
}

impl Builder {
    /// Adds a frame: its id is the next number.
    fn add_location(&mut self, frame: &NamedFrame) {
        let line = Line {
            function_id: self.function(&frame.function, &frame.file),
            line: signed(frame.line),
        };
        let is_named = !frame.function.is_empty();
        let address = self.free_address(frame.pc);
        self.profile.location.push(Location {
            id: self.profile.location.len() as u64 + 1,
            address,
            line: is_named.then_some(line).into_iter().collect(),
        });
    }

    /// Adds what has only a name, and returns its id.
    fn add_named_location(&mut self, name: &str) -> u64 {
        let function_id = self.function(name, "");
        let id = self.profile.location.len() as u64 + 1;
        self.profile.location.push(Location {
            id,
            address: 0,
            line: vec![Line {
                function_id,
                line: 0,
            }],
        });
        id
    }

    /// An address that no other frame has, since tools take frames of one address for one: functions that were inlined there share
    /// it, and so do frames of parts of a program that was loaded anew.
    fn free_address(&mut self, pc: u64) -> u64 {
        let mut address = pc;
        while !self.addresses.insert(address) {
            // From the end of all addresses down, where no code is.
            self.spare_addresses += 1;
            address = u64::MAX - self.spare_addresses;
        }
        address
    }

    fn function(&mut self, name: &str, file: &str) -> u64 {
        let (name, filename) = (self.string(name), self.string(file));
        let next = self.functions.len() as u64 + 1;
        let id = *self.functions.entry((name, filename)).or_insert(next);
        if id == next {
            self.profile.function.push(Function {
                id,
                name,
                system_name: name,
                filename,
            });
        }
        id
    }

    fn value_type(&mut self, kind: &str, unit: &str) -> ValueType {
        ValueType {
            kind: self.string(kind),
            unit: self.string(unit),
        }
    }

    fn string(&mut self, text: &str) -> i64 {
        if let Some(&index) = self.strings.get(text) {
            return index;
        }
        let index = self.profile.string_table.len() as i64;
        self.profile.string_table.push(text.to_owned());
        self.strings.insert(text.to_owned(), index);
        index
    }
}
