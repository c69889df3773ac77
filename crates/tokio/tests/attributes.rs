//! The attributes `main` and `test`: Tokio's, with a traced runtime.

mod support;

use exectrace_tokio as tokio;
use support::{record, turn};

#[exectrace_tokio::main]
async fn plain_main() -> u32 {
    tokio::spawn(async { 1 }).await.expect("no panic")
}

#[exectrace_tokio::main(flavor = "current_thread")]
async fn main_on_one_thread() -> Result<u32, std::num::ParseIntError> {
    tokio::task::yield_now().await;
    "2".parse()
}

#[exectrace_tokio::main(worker_threads = 2, crate = "exectrace_tokio")]
async fn main_that_names_the_crate(argument: u32) -> u32 {
    tokio::task::block_in_place(|| argument)
}

#[exectrace_tokio::main(flavor = "local")]
async fn main_of_a_local_runtime() -> u32 {
    tokio::task::spawn_local(async { 4 })
        .await
        .expect("no panic")
}

#[test]
fn functions_with_the_attribute_are_roots_of_a_recording() {
    let _turn = turn();
    let (recorded, sum) = record(|| {
        plain_main()
            + main_on_one_thread().expect("a number")
            + main_that_names_the_crate(3)
            + main_of_a_local_runtime()
    });
    assert_eq!(sum, 10);
    assert_eq!(recorded.count("GoCreate"), 6);
    assert_eq!(recorded.count("GoEnd"), 6);
}

#[exectrace_tokio::test]
async fn a_test_runs_in_a_traced_runtime() {
    let task = tokio::spawn(async { exectrace::hook::TaskRef::current().is_some() });
    assert!(task.await.expect("no panic"));
    assert!(exectrace::hook::TaskRef::current().is_some());
}

#[exectrace_tokio::test(start_paused = true)]
async fn a_test_with_arguments_is_tokio_s() -> std::io::Result<()> {
    let begun = tokio::time::Instant::now();
    tokio::time::sleep(std::time::Duration::from_secs(3600)).await;
    assert!(begun.elapsed() >= std::time::Duration::from_secs(3600));
    Ok(())
}
