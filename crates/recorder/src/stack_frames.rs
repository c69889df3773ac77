//! The frames behind the addresses of stacks, and what adapters make of them.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, OnceLock, PoisonError};

use exectrace_format::Frame;
use exectrace_format::StringId;

use crate::block_reason::{BlockReason, LeafClass, code};
use crate::gate::SessionStamp;
use crate::intern_table::{Chunk, hash_of_bytes};
use crate::output::contain;
use crate::stack_walk;
use crate::statistics::StackMethod;
use crate::symbols::Symboliser;
use crate::tables::{StackEntry, Tables};
use crate::thread_entry;
use crate::thread_name;

/// Most frames of a stack in the file.
const FRAMES_MAX: usize = 128;

/// What an adapter says of a stack, given its functions' names, innermost first.
pub type LeafClassifier = fn(&[&str]) -> LeafClass;

static CLASSIFIER: OnceLock<LeafClassifier> = OnceLock::new();

/// Sets how leaves are told apart by their stacks. The first one set stays; false if there was one.
pub(crate) fn set_classifier(classifier: LeafClassifier) -> bool {
    CLASSIFIER.set(classifier).is_ok()
}

/// The process's symboliser: it remembers what it has found from one session to the next.
static SYMBOLISER: Mutex<Option<Symboliser>> = Mutex::new(None);

/// Lends the process's symboliser.
#[cfg(feature = "pprof")]
pub(crate) fn with_symboliser<R>(work: impl FnOnce(&mut Symboliser) -> R) -> R {
    let mut symboliser = SYMBOLISER.lock().unwrap_or_else(PoisonError::into_inner);
    let symboliser = symboliser.get_or_insert_with(Symboliser::new);
    let result = work(symboliser);
    symboliser.release_pages();
    result
}

/// Lets go of the files that were looked into, until the next look.
pub(crate) fn release_pages() {
    let symboliser = SYMBOLISER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(symboliser) = &*symboliser {
        symboliser.release_pages();
    }
}

/// Turns the stacks of a session into frames.
#[derive(Default)]
pub(crate) struct StackFrames {
    frames: Vec<Frame>,
    /// Class codes by stack id.
    classes: Vec<u8>,
    /// Stacks so far.
    stacks: usize,
    /// Those with addresses where no code is.
    broken: usize,
    deepest: usize,
    classifier_panics: u64,
}

/// Broken stacks that are too many for chance: a library without frame pointers between frames of the program makes some.
const BROKEN_MAX: usize = 64;
/// A program without frame pointers has a larger part of broken stacks than one in so many.
const BROKEN_SHARE: usize = 4;
/// Stacks from which it is said that all are short.
const STACKS_MIN: usize = 8;
/// The function of a stack none of whose addresses is one of code.
const NO_FUNCTION: &str = "?";

impl StackFrames {
    /// The frames of `stack`, innermost first, and their names interned. The stack's class is settled.
    pub(crate) fn of(
        &mut self,
        stack: &'static StackEntry,
        tables: &'static Tables,
        stamp: SessionStamp,
        chunk: &mut Chunk,
    ) -> &[Frame] {
        if let &[pc] = stack.content()
            && let Some(function) = thread_name::function_at(pc - 1)
        {
            return self.of_thread(pc, &function, tables, stamp, chunk);
        }
        let mut symboliser = SYMBOLISER.lock().unwrap_or_else(PoisonError::into_inner);
        let symboliser = symboliser.get_or_insert_with(Symboliser::new);
        self.frames.clear();
        let content = self.sound_part(stack.content(), symboliser);
        let mut named = Vec::new();
        let mut frames = Vec::new();
        for &pc in content {
            frames.clear();
            // A return address lies behind its call.
            symboliser.resolve(pc - 1, &mut frames);
            let outer = frames.len() - 1;
            let numbered = frames.iter().enumerate();
            named.extend(numbered.map(|(at, frame)| (inlined_pc(pc, outer - at), *frame)));
        }
        trim(&mut named, |(_, frame)| symboliser.name(frame.function));
        named.truncate(FRAMES_MAX);
        let is_alone = named.len() == 1;
        let mut string_id = |text: &str| {
            if text.is_empty() {
                return StringId(0);
            }
            let hash = hash_of_bytes(text.as_bytes());
            let entry = tables.strings.intern(text.as_bytes(), hash, stamp, chunk);
            entry.map_or(StringId(0), |entry| StringId(u64::from(entry.id())))
        };
        for (pc, frame) in &named {
            let name = symboliser.name(frame.function);
            // Alone it is where a task starts.
            let closure = thread_entry::closure_of(name).filter(|_| is_alone);
            self.frames.push(Frame {
                pc: *pc,
                function: string_id(closure.unwrap_or(name)),
                file: string_id(symboliser.name(frame.file)),
                line: u64::from(frame.line),
            });
        }
        if self.frames.is_empty() {
            // Readers need a frame.
            self.frames.push(Frame {
                pc: 1,
                function: string_id(NO_FUNCTION),
                ..Frame::default()
            });
        }
        let known = stack.class.load(Ordering::Relaxed); // Relaxed: only the collector stores there.
        let class = if known != code::UNKNOWN {
            known
        } else {
            let names: Vec<&str> = named
                .iter()
                .map(|(_, frame)| symboliser.name(frame.function))
                .collect();
            // Of a leaf whose classifier panics nothing is known in this session; the next one asks again.
            classify(&names).map_or_else(
                || {
                    self.classifier_panics += 1;
                    code::UNKNOWN
                },
                code::of,
            )
        };
        // Relaxed: a hook that sees it late only leaves one more choice to us.
        stack.class.store(class, Ordering::Relaxed);
        let index = stack.id() as usize;
        if self.classes.len() <= index {
            self.classes.resize(index + 1, code::UNKNOWN);
        }
        self.classes[index] = class;
        &self.frames
    }

    /// The one frame of the stack where a thread's task starts that is known by its name alone.
    fn of_thread(
        &mut self,
        pc: u64,
        function: &[u8],
        tables: &'static Tables,
        stamp: SessionStamp,
        chunk: &mut Chunk,
    ) -> &[Frame] {
        let name = tables
            .strings
            .intern(function, hash_of_bytes(function), stamp, chunk);
        self.frames.clear();
        self.frames.push(Frame {
            pc,
            function: StringId(name.map_or(0, |name| u64::from(name.id()))),
            ..Frame::default()
        });
        &self.frames
    }

    /// The class code of a stack of the session.
    pub(crate) fn class(&self, stack: u32) -> u8 {
        self.classes
            .get(stack as usize)
            .copied()
            .unwrap_or(code::UNKNOWN)
    }

    /// The addresses up to the first one at which no code is: what a walk finds behind it, in code without frame pointers, is
    /// whatever lies in memory.
    fn sound_part<'s>(&mut self, content: &'s [u64], symboliser: &mut Symboliser) -> &'s [u64] {
        let unsound = content.iter().position(|pc| !symboliser.is_code(pc - 1));
        let sound = &content[..unsound.unwrap_or(content.len())];
        self.stacks += 1;
        self.broken += usize::from(unsound.is_some());
        self.deepest = self.deepest.max(sound.len());
        sound
    }

    /// Stacks that end where no code is.
    pub(crate) fn broken(&self) -> u64 {
        self.broken as u64
    }

    /// Whether so many stacks are broken that the program must have been built without frame pointers: to walk on would fill the
    /// table with what lies in memory.
    pub(crate) fn are_hopeless(&self) -> bool {
        self.broken >= BROKEN_MAX && self.are_mostly_broken()
    }

    fn are_mostly_broken(&self) -> bool {
        self.broken * BROKEN_SHARE > self.stacks
    }

    /// Stacks of which the adapter's classifier could not say what they are, since it panicked.
    pub(crate) fn classifier_panics(&self) -> u64 {
        self.classifier_panics
    }

    /// How stacks were taken, going by what came.
    pub(crate) fn method(&self) -> StackMethod {
        let are_short = self.deepest <= 2 && self.stacks >= STACKS_MIN;
        if stack_walk::is_given_up() || self.are_mostly_broken() || are_short {
            StackMethod::WithoutFramePointers
        } else {
            StackMethod::FramePointers
        }
    }
}

/// What the adapter says of a stack; `None` if it panics.
fn classify(names: &[&str]) -> Option<LeafClass> {
    match CLASSIFIER.get() {
        Some(classify) => contain(|| classify(names)),
        None => Some(LeafClass::Waits(BlockReason::Other)),
    }
}

/// The pc of the function that is inlined so deep into the one at `pc`. Readers know a function by its pc alone, so inlined
/// ones need pcs of their own: above the addresses that code can have.
fn inlined_pc(pc: u64, depth: usize) -> u64 {
    const ADDRESS_BITS: u32 = 47;
    pc.wrapping_add((depth as u64) << ADDRESS_BITS)
}

/// Takes off, at the inner end, what lies inside of a hook, and at the outer end the adapter's function that runs the task.
/// Of a library whose functions the program calls by name, the function called stays. Where nothing else is left, our own frames are better than none: Go 1.19's pages need a frame in some stacks.
fn trim<'n, T>(frames: &mut Vec<T>, name: impl Fn(&T) -> &'n str) {
    // What lies outside of a thread's closure is the same for all threads.
    let entry = frames
        .iter()
        .position(|frame| thread_entry::is_entry(name(frame)));
    if let Some(entry) = entry.filter(|&entry| entry > 0) {
        frames.truncate(entry);
    }
    let inside = frames
        .iter()
        .take_while(|frame| is_own(name(frame)) || is_standard(name(frame)))
        .collect::<Vec<_>>();
    let hook = inside.iter().rposition(|frame| is_own(name(frame)));
    let mut inner = match hook {
        Some(last) if is_called_by_name(name(&frames[last])) => last,
        Some(last) => last + 1,
        None => 0,
    };
    // The waker's own functions say no more than the hook in them, which optimised code may call without a frame of its own.
    while frames.get(inner).is_some_and(|frame| is_waker(name(frame))) {
        inner += 1;
    }
    let rest = &frames[inner..];
    let outer = rest.iter().rev().take_while(|frame| is_own(name(frame)));
    let kept = rest.len() - outer.count();
    if kept > 0 {
        frames.truncate(inner + kept);
        frames.drain(..inner);
    }
}

/// Whether a frame is the recorder's own and of no interest to its users.
fn is_own(function: &str) -> bool {
    is_of_crate(function, &["exectrace", "exectrace_std", "exectrace_tokio"])
}

/// Whether a frame of ours is what the program called: a lock says more than that the thread waited.
fn is_called_by_name(function: &str) -> bool {
    is_of_crate(function, &["exectrace_std"])
}

/// Whether a function is the standard library's: what a hook is made of goes through some.
fn is_standard(function: &str) -> bool {
    is_of_crate(function, &["core", "std", "alloc"])
}

/// Whether a function is a waker's own. Where it is inlined its name may lack the type: `core::task::wake::clone`.
fn is_waker(function: &str) -> bool {
    function
        .trim_start_matches('<')
        .starts_with("core::task::wake::")
}

fn is_of_crate(function: &str, crates: &[&str]) -> bool {
    let path = function.trim_start_matches(['<', '&']);
    let root = path.split("::").next().unwrap_or_default();
    crates.contains(&root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(functions: &[&str], expect: &[&str]) {
        let mut frames = functions.to_vec();
        trim(&mut frames, |name| name);
        assert_eq!(frames, expect);
    }

    #[test]
    fn a_stack_ends_where_no_code_is() {
        let (mut frames, mut symboliser) = (StackFrames::default(), Symboliser::new());
        let code = a_stack_ends_where_no_code_is as fn() as usize as u64 + 1;
        let local = 0_u64;
        let data = std::ptr::from_ref(&local).addr() as u64;
        assert_eq!(
            frames
                .sound_part(&[code, code, code], &mut symboliser)
                .len(),
            3
        );
        assert_eq!(
            frames
                .sound_part(&[code, data, code], &mut symboliser)
                .len(),
            1
        );
        assert_eq!(frames.sound_part(&[0x7000, code], &mut symboliser).len(), 0);
        assert_eq!(frames.method(), StackMethod::WithoutFramePointers);
        assert!(!frames.are_hopeless(), "a few may be chance");
        for _ in 0..BROKEN_MAX {
            frames.sound_part(&[code, data], &mut symboliser);
        }
        assert!(frames.are_hopeless());
        assert_eq!(frames.broken(), 2 + BROKEN_MAX as u64);
    }

    #[test]
    fn few_stacks_say_nothing_about_all() {
        let (mut frames, mut symboliser) = (StackFrames::default(), Symboliser::new());
        let code = few_stacks_say_nothing_about_all as fn() as usize as u64 + 1;
        frames.sound_part(&[code], &mut symboliser);
        assert_eq!(frames.method(), StackMethod::FramePointers);
    }

    #[test]
    fn a_stack_begins_behind_the_hook_and_ends_before_the_adapter() {
        check(&["exectrace::hook::f", "app::f"], &["app::f"]);
        check(
            &[
                "std::thread::local::LocalKey<T>::with",
                "exectrace_tokio::task_waker::clone",
                "<core::task::wake::Waker as core::clone::Clone>::clone",
                "<tokio::time::sleep::Sleep as core::future::future::Future>::poll",
                "app::handler",
                "<exectrace_tokio::traced::Traced<F> as core::future::future::Future>::poll",
            ],
            &[
                "<tokio::time::sleep::Sleep as core::future::future::Future>::poll",
                "app::handler",
            ],
        );
    }

    #[test]
    fn a_waker_s_own_functions_go_with_the_hook_also_where_their_names_lack_the_type() {
        for own in [
            "core::task::wake::clone",
            "core::task::wake::wake",
            "core::task::wake::wake_by_ref",
            "core::task::wake::Waker::wake",
        ] {
            check(
                &["exectrace_tokio::task_waker::f", own, "tokio::f", "app::f"],
                &["tokio::f", "app::f"],
            );
            check(&[own, "tokio::f", "app::f"], &["tokio::f", "app::f"]);
            check(&[own], &[own]);
        }
        check(
            &[
                "exectrace_tokio::task_waker::wake",
                "core::task::wake::wake",
                "<core::task::wake::Waker>::wake",
                "tokio::f",
            ],
            &["tokio::f"],
        );
    }

    #[test]
    fn the_lock_that_a_thread_waits_for_stays_and_a_thread_begins_with_its_closure() {
        check(
            &[
                "exectrace::thread_task::Blocked::new",
                "exectrace_std::sync::mutex::Mutex<T>::wait",
                "exectrace_std::sync::mutex::Mutex<T>::lock",
                "app::f",
                "app::main::{{closure}}",
                "exectrace_std::thread::entry::run<app::main::{{closure}}, ()>",
                "std::thread::lifecycle::spawn_unchecked::{{closure}}",
                "start_thread",
            ],
            &[
                "exectrace_std::sync::mutex::Mutex<T>::lock",
                "app::f",
                "app::main::{{closure}}",
            ],
        );
        check(
            &["exectrace_std::thread::entry::run<app::f, ()>"],
            &["exectrace_std::thread::entry::run<app::f, ()>"],
        );
        check(
            &[
                "exectrace_std::sync::mutex::Mutex<T>::lock",
                "exectrace_std::thread::entry::run<app::f, ()>",
                "start_thread",
            ],
            &["exectrace_std::sync::mutex::Mutex<T>::lock"],
        );
    }

    #[test]
    fn inlined_functions_have_pcs_of_their_own() {
        let code = [0x5555_5555_0000, 0x5555_5555_0001, 0x7fff_ffff_ffff];
        let pcs = code.map(|pc| [0, 1, 2, 100].map(|depth| inlined_pc(pc, depth)));
        assert_eq!(pcs.map(|of_one| of_one[0]), code);
        let mut all = pcs.concat();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 12);
    }

    #[test]
    fn what_is_not_ours_stays() {
        check(
            &["app::f", "core::task::wake::Waker::wake", "app::g"],
            &["app::f", "core::task::wake::Waker::wake", "app::g"],
        );
        check(
            &["app::f", "exectrace::hook::g", "app::h"],
            &["app::f", "exectrace::hook::g", "app::h"],
        );
        check(&["exectrace_viewer::f"], &["exectrace_viewer::f"]);
    }

    #[test]
    fn our_own_frames_stay_where_there_is_nothing_else() {
        check(
            &["exectrace::f", "exectrace::g"],
            &["exectrace::f", "exectrace::g"],
        );
        check(&[], &[]);
    }
}
