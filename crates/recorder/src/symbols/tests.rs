//! The symboliser against this test program, the libraries it loads, and files that make no sense.

use std::fs::File;
use std::future::Future;
use std::hint::black_box;
use std::path::Path;
use std::pin::Pin;
use std::process::Command;
use std::task::{Context, Poll};

use exectrace_testkit::Random;

use super::mapped_file::MappedFile;
use super::mappings::Mapping;
use super::object_file::{Image, ObjectFile};
use super::*;

/// A frame as text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Resolved {
    function: String,
    file: String,
    line: u32,
}

fn resolve(symboliser: &mut Symboliser, pc: u64) -> Vec<Resolved> {
    let mut frames = Vec::new();
    symboliser.resolve(pc, &mut frames);
    let texts = |frame: &Frame| Resolved {
        function: symboliser.name(frame.function).to_owned(),
        file: symboliser.name(frame.file).to_owned(),
        line: frame.line,
    };
    frames.iter().map(texts).collect()
}

/// The frames at each address of a function, as long as the outermost one is `name`.
fn frames_within(function: *const (), name: &str) -> Vec<Vec<Resolved>> {
    let mut symboliser = Symboliser::new();
    (function as u64..)
        .map(|pc| resolve(&mut symboliser, pc))
        .take_while(|frames| frames.last().is_some_and(|frame| frame.function == name))
        .collect()
}

fn own(name: &str) -> String {
    format!("{}::{name}", module_path!())
}

const LINE_OF_PLAIN: u32 = line!() + 2;
#[inline(never)]
fn plain(x: u64) -> u64 {
    black_box(x) + 17
}

#[test]
fn a_function_has_its_name_file_and_line() {
    let within = frames_within(plain as *const (), &own("plain"));
    assert!(!within.is_empty());
    let first = within[0].last().expect("there is a frame");
    assert!(first.file.ends_with("src/symbols/tests.rs"), "{first:?}");
    assert!(Path::new(&first.file).is_absolute(), "{first:?}");
    for frames in &within {
        let line = frames[frames.len() - 1].line;
        assert!(
            (LINE_OF_PLAIN..=LINE_OF_PLAIN + 2).contains(&line) || line == 0,
            "{frames:?}"
        );
    }
    assert!(
        within
            .iter()
            .any(|frames| frames[frames.len() - 1].line == LINE_OF_PLAIN + 1)
    );
}

const LINE_OF_INNER: u32 = line!() + 3;
#[inline(always)]
fn inner(x: u64) -> u64 {
    black_box(x ^ 23)
}

const LINE_OF_MIDDLE: u32 = line!() + 3;
#[inline(always)]
fn middle(x: u64) -> u64 {
    inner(x) + 1
}

const LINE_OF_OUTER: u32 = line!() + 3;
#[inline(never)]
fn outer(x: u64) -> u64 {
    middle(black_box(x)) * 3
}

#[test]
fn an_inlined_function_stands_above_its_caller() {
    let within = frames_within(outer as *const (), &own("outer"));
    let inlined = within.iter().find(|frames| {
        let inner = frames
            .iter()
            .rposition(|frame| frame.function == own("inner"));
        inner == Some(frames.len().wrapping_sub(3))
    });
    let inlined = inlined.unwrap_or_else(|| panic!("no address in {within:#?} is of inner"));
    let [inner, middle, outer] = inlined.last_chunk().expect("there are three");
    // What else is inlined moves the innermost line to the line of its call, in the function all the same.
    assert_eq!(inner.line, LINE_OF_INNER);
    assert_eq!(
        (middle.function.as_str(), middle.line),
        (own("middle").as_str(), LINE_OF_MIDDLE)
    );
    assert_eq!(
        (outer.function.as_str(), outer.line),
        (own("outer").as_str(), LINE_OF_OUTER)
    );
    for frame in [inner, middle, outer] {
        assert!(frame.file.ends_with("src/symbols/tests.rs"), "{frame:?}");
    }
}

fn poll_of<F: Future>(_: &F) -> *const () {
    let poll: fn(Pin<&mut F>, &mut Context<'_>) -> Poll<F::Output> = F::poll;
    poll as *const ()
}

fn name_at(pc: *const ()) -> String {
    let frames = resolve(&mut Symboliser::new(), pc as u64);
    frames[frames.len() - 1].function.clone()
}

async fn leaf(x: u64) -> u64 {
    black_box(x)
}

async fn waits(x: u64) -> u64 {
    leaf(black_box(x)).await + 1
}

#[test]
fn an_async_function_has_its_own_name() {
    assert_eq!(name_at(poll_of(&waits(1))), own("waits"));
}

#[test]
fn closures_and_async_blocks_are_one_closure() {
    let test = own("closures_and_async_blocks_are_one_closure");
    let block = async { leaf(black_box(2)).await + 2 };
    assert_eq!(name_at(poll_of(&block)), format!("{test}::{{{{closure}}}}"));
    let closure = |x: u64| async move { leaf(black_box(x)).await + 3 };
    let nested = closure(3);
    assert_eq!(
        name_at(poll_of(&nested)),
        format!("{test}::{{{{closure}}}}")
    );
}

#[test]
fn a_function_of_libc_has_its_name() {
    let frames = resolve(&mut Symboliser::new(), libc::getppid as *const () as u64);
    let function = &frames[frames.len() - 1].function;
    assert!(function.contains("getppid"), "{frames:?}");
}

/// The first executable mapping of a file whose path holds `part`.
fn code_of(part: &str) -> Option<(u64, u64)> {
    let maps =
        std::fs::read_to_string("/proc/self/maps").expect("the list of mappings can be read");
    let line = maps
        .lines()
        .find(|line| line.contains(part) && line.contains(" r-xp "))?;
    let (start, end) = line.split_once(' ')?.0.split_once('-')?;
    let number = |text| u64::from_str_radix(text, 16).ok();
    Some((number(start)?, number(end)?))
}

#[test]
fn every_place_of_a_library_is_a_function_or_an_offset() {
    let (start, end) = code_of("/libc.so")
        .or_else(|| code_of("/libc-"))
        .expect("libc is loaded");
    let mut symboliser = Symboliser::new();
    for pc in (start..end).step_by(4099) {
        for frame in resolve(&mut symboliser, pc) {
            let function = frame.function;
            let offset = function
                .split_once("+0x")
                .map(|(library, _)| library.starts_with("libc"));
            assert!(
                !function.is_empty() && offset != Some(false),
                "{pc:#x} is {function}"
            );
        }
    }
}

#[test]
fn functions_of_the_kernel_in_the_process_have_names() {
    let Some((start, end)) = code_of("[vdso]") else {
        return;
    };
    let mut symboliser = Symboliser::new();
    let mut names = (start..end)
        .step_by(16)
        .map(|pc| resolve(&mut symboliser, pc).remove(0).function);
    assert!(names.any(|name| name.contains("clock_gettime")));
}

#[test]
fn garbage_is_a_number_or_a_place_in_a_mapping() {
    let mut symboliser = Symboliser::new();
    let mut check = |pc: u64, expect: &str| {
        let frames = resolve(&mut symboliser, pc);
        assert_eq!(frames.len(), 1);
        assert!(frames[0].function.starts_with(expect), "{frames:?}");
        assert_eq!((frames[0].file.as_str(), frames[0].line), ("", 0));
    };
    check(0, "0x0");
    check(1, "0x1");
    check(u64::MAX, "0xffffffffffffffff");
    check(0x8000_0000_0000_0000, "0x8000000000000000");
    let data = Box::new([0u8; 4096]);
    check(data.as_ptr() as u64, "[");
}

#[test]
fn a_flood_of_garbage_ends_in_one_name() {
    let mut symboliser = Symboliser::new();
    for pc in 0..u64::from(UNKNOWN_MAX) {
        assert_eq!(resolve(&mut symboliser, pc)[0].function, format!("{pc:#x}"));
    }
    assert_eq!(resolve(&mut symboliser, 0xbad)[0].function, UNKNOWN);
    let plain = resolve(&mut symboliser, plain as *const () as u64);
    assert_eq!(plain[plain.len() - 1].function, own("plain"));
}

#[test]
fn an_address_is_resolved_once() {
    let mut symboliser = Symboliser::new();
    let pc = outer as *const () as u64;
    let first = resolve(&mut symboliser, pc);
    let kept = symboliser.frames.len();
    symboliser.release_pages();
    assert_eq!(resolve(&mut symboliser, pc), first);
    assert_eq!(symboliser.frames.len(), kept);
}

#[test]
fn a_file_that_is_mapped_later_is_found() {
    // In a process of its own: other tests map and unmap meanwhile, and what they had may be known at the very place of the file.
    if std::env::var_os(IS_ALONE).is_none() {
        let program = std::env::current_exe().expect("has a path");
        let alone = Command::new(program)
            .args([
                "--exact",
                "symbols::tests::a_file_that_is_mapped_later_is_found",
            ])
            .env(IS_ALONE, "1")
            .output()
            .expect("starts once more");
        let told = String::from_utf8_lossy(&alone.stdout);
        assert!(
            alone.status.success() && told.contains("1 passed"),
            "{told}"
        );
        return;
    }
    let mut symboliser = Symboliser::new();
    let pc = plain as *const () as u64;
    let here = resolve(&mut symboliser, pc);
    let mapping = symboliser.mappings.find(pc).expect("the program is mapped");
    let offset = pc - mapping.start + mapping.offset;

    let path = std::env::temp_dir().join(format!("exectrace-later-{}", std::process::id()));
    std::fs::copy("/proc/self/exe", &path).expect("the program can be copied");
    let library = MappedFile::map(&File::open(&path).expect("the copy opens"));
    let library = library.expect("the copy can be mapped");
    let there = library.bytes().as_ptr() as u64 + offset;
    let frames = resolve(&mut symboliser, there);
    let _ = std::fs::remove_file(&path);
    assert_eq!(frames, here);
    assert_eq!(symboliser.modules.len(), 2);
}

/// Set where a test is alone in its process.
const IS_ALONE: &str = "EXECTRACE_TEST_IS_ALONE";

/// Set in a child's run of the test that starts it.
const CHILD: &str = "EXECTRACE_TEST_CHILD";

/// Runs `test` in a copy of this program that `prepare` has had in hands; false if it could not prepare it.
fn passes_in_copy(test: &str, prepare: impl FnOnce(&Path) -> bool) -> bool {
    let folder = std::env::temp_dir().join(format!("exectrace-{test}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let copy = folder.join("program");
    std::fs::copy("/proc/self/exe", &copy).expect("the program can be copied");
    let test = own(test);
    let (_crate, test) = test.split_once("::").expect("it is a path");
    let output = prepare(&copy).then(|| {
        let mut command = Command::new(&copy);
        command.args(["--exact", test]).env(CHILD, "1").output()
    });
    let _ = std::fs::remove_dir_all(&folder);
    let Some(output) = output else {
        return false;
    };
    let output = output.expect("the copy runs");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("1 passed"), "{text}");
    true
}

#[test]
fn a_program_that_was_replaced_still_has_its_names() {
    if std::env::var_os(CHILD).is_none() {
        let prepare = |_: &Path| true;
        assert!(passes_in_copy(
            "a_program_that_was_replaced_still_has_its_names",
            prepare
        ));
        return;
    }
    let program = std::env::current_exe().expect("it has a path");
    std::fs::remove_file(&program).expect("it can be removed");
    std::fs::write(&program, "something else").expect("its path can be taken");
    let frames = resolve(&mut Symboliser::new(), plain as *const () as u64);
    let frame = &frames[frames.len() - 1];
    assert_eq!(frame.function, own("plain"));
    assert!(frame.line >= LINE_OF_PLAIN, "{frame:?}");
}

/// Runs a tool that comes with the linker; false if it is not there.
fn run(tool: &str, arguments: &[&Path]) -> bool {
    let status = Command::new(tool).args(arguments).status();
    status.is_ok_and(|status| status.success())
}

#[test]
fn a_stripped_program_finds_the_file_with_its_debug_information() {
    if std::env::var_os(CHILD).is_none() {
        passes_in_copy(
            "a_stripped_program_finds_the_file_with_its_debug_information",
            |program| {
                let debug = program.with_extension("debug");
                run(
                    "objcopy",
                    &[Path::new("--only-keep-debug"), program, &debug],
                ) && run("strip", &[Path::new("--strip-all"), program])
                    && run(
                        "objcopy",
                        &[
                            Path::new(&format!("--add-gnu-debuglink={}", debug.display())),
                            program,
                        ],
                    )
            },
        );
        return;
    }
    let frames = resolve(&mut Symboliser::new(), plain as *const () as u64);
    let frame = &frames[frames.len() - 1];
    assert_eq!(frame.function, own("plain"));
    assert!(frame.line >= LINE_OF_PLAIN, "{frame:?}");
}

#[test]
fn a_function_of_a_stripped_program_is_an_offset() {
    if std::env::var_os(CHILD).is_none() {
        passes_in_copy("a_function_of_a_stripped_program_is_an_offset", |program| {
            run("strip", &[Path::new("--strip-all"), program])
        });
        return;
    }
    let frames = resolve(&mut Symboliser::new(), plain as *const () as u64);
    assert_eq!(frames.len(), 1);
    assert!(frames[0].function.starts_with("program+0x"), "{frames:?}");
    assert_eq!((frames[0].file.as_str(), frames[0].line), ("", 0));
}

#[test]
fn another_file_at_the_path_of_a_mapping_is_refused() {
    let program = std::fs::read_link("/proc/self/exe").expect("it can be read");
    let mut mapping = Mapping {
        is_code: true,
        start: 0x1000,
        end: 0x2000,
        offset: 0,
        inode: 1,
        name: program.as_os_str().as_encoded_bytes().into(),
    };
    let own_start = code_of(&program.to_string_lossy())
        .expect("the program is mapped")
        .0;
    // Code is no start of a file, and so not that of the program.
    assert!(Module::open(&mapping, Some(own_start)).is_none());
    assert!(Module::open(&mapping, None).is_some(), "nothing to compare");
    mapping.name = "/no/such/file".as_bytes().into();
    assert!(Module::open(&mapping, None).is_none());
    mapping.inode = 0;
    assert!(Module::open(&mapping, None).is_none());
}

#[test]
fn damaged_files_are_read_as_far_as_they_make_sense() {
    let whole = std::fs::read("/proc/self/exe").expect("the program can be read");
    let object = ObjectFile::read(Image::Memory(whole.clone())).expect("it is ELF");
    let sections: [&[u8]; 8] = [
        b".debug_info",
        b".debug_abbrev",
        b".debug_line",
        b".debug_ranges",
        b".debug_rnglists",
        b".debug_aranges",
        b".symtab",
        b".debug_str",
    ];
    let mut places: Vec<_> = sections
        .iter()
        .map(|section| object.elf().contents(&whole, section))
        .filter(|place| !place.is_empty())
        .collect();
    let headers = 5..1024;
    let code = object.elf().code();
    let mut random = Random::from_environment();
    let mut index_below = |bound: usize| random.below(bound as u64) as usize;
    for round in 0..12 {
        let mut bytes = whole.clone();
        if round % 3 == 2 {
            places.push(headers.clone());
        }
        for place in &places {
            // From a few bytes to one in twenty.
            for _ in 0..place.len() / (20 << round) + 1 {
                bytes[place.start + index_below(place.len())] = index_below(256) as u8;
            }
        }
        places.retain(|place| *place != headers);
        let Some(mut object) = ObjectFile::read(Image::Memory(bytes)) else {
            continue;
        };
        let (mut names, mut frames) = (Names::new(), Vec::new());
        for _ in 0..100 {
            let address = code.start + index_below((code.end - code.start) as usize) as u64;
            object.frames(address, &mut names, &mut frames);
        }
    }
}
