//! Time by stack, over time.

use std::collections::{BTreeMap, HashMap};

use exectrace_reader::{StackId, Tables, Timestamp};

use super::block_sums::BlockSums;
use super::quantity::{Measure, Topic};
use super::series::{Series, TimeBlocks};
use super::slices::Slices;
use crate::frame_list::FrameList;
use crate::key_hasher::BuildKeyHasher;
use crate::{Context, ProfileType};

/// Time, or samples, by stack and time.
#[derive(Clone, Debug, Default)]
pub(super) struct StackTimes {
    /// The row of each stack.
    rows: HashMap<StackId, usize, BuildKeyHasher>,
    slices: Slices,
}

impl StackTimes {
    /// Says since when time counts.
    pub(super) fn begin(&mut self, begin: Timestamp) {
        self.slices.begin(begin);
    }

    /// There was so much at a stack.
    pub(super) fn add(&mut self, stack: StackId, time: Timestamp, amount: i64) {
        let row = self.row(stack);
        self.slices.add(row, 0, time, amount);
    }

    fn row(&mut self, stack: StackId) -> usize {
        let next = self.rows.len();
        *self.rows.entry(stack).or_insert(next)
    }

    /// Adds up by function, and by the functions of stacks; `ns` is what an amount of one stands for.
    pub(super) fn report(
        mut self,
        profile_type: ProfileType,
        ns: f64,
        (to, blocks): (Timestamp, &TimeBlocks),
        context: &Context<'_>,
        quantities: &mut BTreeMap<(Topic, Measure), Series>,
    ) {
        self.slices.until(to);
        // In the order of rows, so that sums are always the same to the last digit.
        let stacks = self.rows.iter().map(|(stack, row)| (*row, *stack));
        let mut stacks: Vec<(usize, StackId)> = stacks.collect();
        stacks.sort_unstable();
        let mut functions = FunctionSums::default();
        let mut by_functions: BTreeMap<Vec<usize>, BlockSums> = BTreeMap::new();
        for (row, stack) in stacks {
            let mut sums = BlockSums::default();
            for slice in self.slices.row(row) {
                sums.add(blocks, slice.bucket, slice.amount as f64 * ns);
            }
            let stack = functions.add(row, stack, &sums, context.tables);
            by_functions.entry(stack).or_default().add_all(&sums);
        }
        let rate = |sums: &BlockSums| blocks.rate(sums.sum, &sums.blocks);
        for (stack, sums) in by_functions {
            let names = stack.iter().map(|&it| functions.all[it].name.clone());
            let topic = Topic::Stack(profile_type, names.collect());
            quantities.insert((topic, Measure::Flat), rate(&sums));
        }
        for function in functions.all {
            let topic = Topic::Function(profile_type, function.name);
            if function.flat.sum > 0.0 {
                let flat = rate(&function.flat);
                quantities.insert((topic.clone(), Measure::Flat), flat);
            }
            let cumulative = rate(&function.cumulative);
            quantities.insert((topic, Measure::Cumulative), cumulative);
        }
    }
}

/// Time by function.
#[derive(Default)]
struct FunctionSums {
    all: Vec<FunctionSum>,
    places: HashMap<String, usize>,
    frames: FrameList,
    /// The function of each frame of the list.
    by_frame: Vec<usize>,
}

struct FunctionSum {
    name: String,
    flat: BlockSums,
    cumulative: BlockSums,
    /// The last row that counts: a function that calls itself counts once.
    last: usize,
}

impl FunctionSums {
    /// Adds what was spent at a stack; the answer is its functions, innermost first.
    fn add(
        &mut self,
        row: usize,
        stack: StackId,
        sums: &BlockSums,
        tables: &Tables<'_>,
    ) -> Vec<usize> {
        let frames = self.frames.stack(stack, tables);
        for frame in self.by_frame.len()..self.frames.frames.len() {
            let name = self.frames.frames[frame].name().into_owned();
            let function = self.place(name);
            self.by_frame.push(function);
        }
        let functions = frames.iter().map(|&frame| self.by_frame[frame as usize]);
        let mut functions: Vec<usize> = functions.collect();
        if functions.is_empty() {
            functions.push(self.place(String::new()));
        }
        for (depth, &place) in functions.iter().enumerate() {
            let function = &mut self.all[place];
            if depth == 0 {
                function.flat.add_all(sums);
            }
            if std::mem::replace(&mut function.last, row) != row {
                function.cumulative.add_all(sums);
            }
        }
        functions
    }

    fn place(&mut self, name: String) -> usize {
        let next = self.all.len();
        let place = *self.places.entry(name.clone()).or_insert(next);
        if place == next {
            self.all.push(FunctionSum {
                name,
                flat: BlockSums::default(),
                cumulative: BlockSums::default(),
                last: usize::MAX,
            });
        }
        place
    }
}
