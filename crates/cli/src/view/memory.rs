//! What the system's allocator does with memory that was freed.

/// Has glibc's allocator give back what was freed.
///
/// A timeline grows by vectors of some megabytes, each of which is freed when the next larger one is there. glibc learns from the first
/// of them to carve such vectors from memory that it keeps, in holes that nothing fits into later: a fifth of what a viewer has, measured
/// on 100 MB. Only a setting that it reads as the program starts keeps it from that (`mallopt(3)`). So the program starts itself once
/// more, in the same process and before anything was read. Whoever has set it knows better.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn give_back() {
    use std::env;
    use std::os::unix::process::CommandExt as _;
    use std::path::Path;
    use std::process::Command;

    const SETTING: &str = "MALLOC_MMAP_THRESHOLD_";
    /// Smaller vectors are carved as before: to ask the system for each takes longer.
    const BYTES: &str = "524288";

    if env::var_os(SETTING).is_some() || env::var_os("GLIBC_TUNABLES").is_some() {
        return;
    }
    let mut arguments = env::args_os();
    let (Ok(program), Some(name)) = (env::current_exe(), arguments.next()) else {
        return;
    };
    // Else it may be run by a loader, which would not know what to do with the arguments.
    if program.file_name() != Path::new(&name).file_name() {
        return;
    }
    let mut again = Command::new(program);
    again.arg0(name);
    // It comes back only where it fails, and then all goes on as it was.
    let _ = again.args(arguments).env(SETTING, BYTES).exec();
}

/// Other allocators do so unasked.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn give_back() {}
