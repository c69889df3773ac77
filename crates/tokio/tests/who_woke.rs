//! Who wakes whom, and from where.

mod support;

use std::sync::Arc;
use std::time::Duration;

use exectrace_testkit::V2Line;
use exectrace_tokio as tokio;
use support::{Recorded, Recording, runtime_of_two, turn};
use tokio::sync::{Mutex, Notify, mpsc, oneshot};

/// The wakes of the tasks with the entry function `entry`: whose task woke them, and the functions on its stack.
fn wakes<'r>(recorded: &'r Recorded, entry: &str) -> Option<Vec<(i64, Vec<&'r str>)>> {
    let functions = |line: &'r V2Line| {
        line.stack
            .iter()
            .map(|frame| frame.function.as_str())
            .collect()
    };
    let wakes = recorded
        .transitions(entry)?
        .into_iter()
        .filter(|line| line.detail.contains("Waiting->Runnable"))
        .map(|line| (line.task, functions(line)));
    Some(wakes.collect())
}

#[track_caller]
fn check(recorded: &Recorded, woken: &str, waker: &str, calls: &[&str]) {
    let Some((wakers, wakes)) = recorded.tasks_of(waker).zip(wakes(recorded, woken)) else {
        return;
    };
    assert!(!wakes.is_empty(), "{woken} was not woken");
    for (task, stack) in wakes {
        assert!(
            wakers.contains(&task),
            "task {task}, not {waker} ({wakers:?}), woke {woken}: {stack:#?}"
        );
        for call in calls {
            assert!(
                stack.iter().any(|function| function.contains(call)),
                "{call} is not in {stack:#?}"
            );
        }
        assert!(
            stack.iter().any(|function| function.contains(waker)),
            "{waker} is not in {stack:#?}"
        );
        assert!(
            !stack.iter().any(|function| function.contains("scheduler")),
            "{stack:#?}"
        );
    }
}

/// Records `waits` until it is done, and `acts`, which begins a little later.
fn record_two<A, B>(waits: A, acts: B) -> Recorded
where
    A: Future<Output = ()> + Send + 'static,
    B: Future<Output = ()> + Send + 'static,
{
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let recording = Recording::start();
    runtime.block_on(async {
        let waits = tokio::spawn(waits);
        for _ in 0..4 {
            tokio::task::yield_now().await;
        }
        tokio::spawn(acts).await.expect("no panic");
        waits.await.expect("no panic");
    });
    recording.stop()
}

async fn receiver(mut numbers: mpsc::Receiver<u32>) {
    while numbers.recv().await.is_some() {}
}

async fn sender(numbers: mpsc::Sender<u32>) {
    deliver(&numbers).await;
}

async fn deliver(numbers: &mpsc::Sender<u32>) {
    numbers.send(1).await.expect("a receiver");
}

#[test]
fn a_sender_wakes_the_receiver_from_where_it_sends() {
    let _turn = turn();
    let (numbers, received) = mpsc::channel(1);
    let recorded = record_two(receiver(received), sender(numbers));
    check(&recorded, "receiver", "sender", &["mpsc"]);
    let Some(wakes) = wakes(&recorded, "receiver") else {
        return;
    };
    let (_, stack) = &wakes[0];
    assert!(
        stack.iter().any(|function| function.ends_with("deliver")),
        "{stack:#?}"
    );
}

async fn locks(mutex: Arc<Mutex<u32>>) {
    *mutex.lock().await += 1;
}

async fn unlocks(guard: tokio::sync::OwnedMutexGuard<u32>) {
    drop(guard);
}

#[test]
fn who_unlocks_wakes_who_locks() {
    let _turn = turn();
    let mutex = Arc::new(Mutex::new(0));
    let guard = mutex.clone().try_lock_owned().expect("unlocked");
    check(
        &record_two(locks(mutex), unlocks(guard)),
        "locks",
        "unlocks",
        &["batch_semaphore"],
    );
}

async fn notified(notify: Arc<Notify>) {
    notify.notified().await;
}

async fn notifies(notify: Arc<Notify>) {
    notify.notify_waiters();
}

#[test]
fn who_notifies_wakes_who_waits() {
    let _turn = turn();
    let notify = Arc::new(Notify::new());
    check(
        &record_two(notified(notify.clone()), notifies(notify)),
        "notified",
        "notifies",
        &["notify"],
    );
}

async fn asks(answer: oneshot::Receiver<u32>) {
    answer.await.expect("an answer");
}

#[test]
fn a_task_that_is_dropped_wakes_as_itself() {
    async fn waits(answer: oneshot::Receiver<u32>) {
        assert!(answer.await.is_err());
    }
    async fn holds_the_sender(_sender: oneshot::Sender<u32>, notify: Arc<Notify>) {
        notify.notified().await;
    }
    let _turn = turn();
    let runtime = runtime_of_two();
    let recording = Recording::start();
    runtime.block_on(async {
        let (sender, answer) = oneshot::channel();
        let waits = tokio::spawn(waits(answer));
        let holds = tokio::spawn(holds_the_sender(sender, Arc::new(Notify::new())));
        tokio::time::sleep(Duration::from_millis(5)).await;
        holds.abort();
        waits.await.expect("no panic");
    });
    check(&recording.stop(), "waits", "holds_the_sender", &["oneshot"]);
}

#[test]
fn a_thread_of_its_own_wakes_as_nobody_and_shows_where() {
    fn from_outside(sender: oneshot::Sender<u32>) {
        sender.send(5).expect("a receiver");
    }
    let _turn = turn();
    let runtime = runtime_of_two();
    let recording = Recording::start();
    let (sender, answer) = oneshot::channel();
    let task = runtime.spawn(asks(answer));
    std::thread::sleep(Duration::from_millis(10));
    std::thread::spawn(move || from_outside(sender))
        .join()
        .expect("no panic");
    runtime.block_on(task).expect("no panic");
    let recorded = recording.stop();
    let Some(wakes) = wakes(&recorded, "asks") else {
        return;
    };
    for (task, stack) in &wakes {
        assert_eq!(*task, -1);
        assert!(
            stack
                .iter()
                .any(|function| function.ends_with("from_outside")),
            "{stack:#?}"
        );
    }
    assert_eq!(wakes.len(), 1);
}

#[test]
fn a_timer_is_woken_by_the_runtime_s_driver() {
    async fn sleeps() {
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
    let _turn = turn();
    let recorded = record_two(sleeps(), async {});
    for (task, stack) in wakes(&recorded, "sleeps").unwrap_or_default() {
        assert_eq!(task, -1);
        assert!(
            stack
                .iter()
                .any(|function| function.contains("tokio::runtime::time")),
            "{stack:#?}"
        );
    }
}

#[test]
fn the_stack_where_a_task_waits_is_its_await_path() {
    async fn handler(stream: tokio::net::TcpStream) {
        request(stream).await;
    }
    async fn request(mut stream: tokio::net::TcpStream) {
        line(&mut stream).await;
    }
    async fn line(stream: &mut tokio::net::TcpStream) {
        use tokio::io::AsyncReadExt;
        drop(stream.read_u8().await);
    }
    let _turn = turn();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let client = std::net::TcpStream::connect(listener.local_addr().expect("an address"))
        .expect("a listener");
    let (server, _) = listener.accept().expect("a client");
    server.set_nonblocking(true).expect("a socket");
    let runtime = runtime_of_two();
    let recording = Recording::start();
    runtime.block_on(async {
        let stream = tokio::net::TcpStream::from_std(server).expect("a runtime");
        let task = tokio::spawn(handler(stream));
        tokio::time::sleep(Duration::from_millis(5)).await;
        drop(client);
        task.await.expect("no panic");
    });
    let recorded = recording.stop();
    let Some(transitions) = recorded.transitions("handler") else {
        return;
    };
    let waits: Vec<_> = transitions
        .into_iter()
        .filter(|line| line.detail.contains("Running->Waiting"))
        .collect();
    for wait in &waits {
        assert!(
            wait.detail.ends_with("Reason=\"network\""),
            "{}",
            wait.detail
        );
        let functions: Vec<_> = wait
            .stack
            .iter()
            .map(|frame| frame.function.as_str())
            .collect();
        // Innermost first, and nothing of the runtime's or ours at the ends.
        let place = |name: &str| {
            functions
                .iter()
                .position(|function| function.ends_with(name))
        };
        assert!(
            place("line") < place("request") && place("request") < place("handler"),
            "{functions:#?}"
        );
        assert_eq!(
            place("handler"),
            Some(functions.len() - 1),
            "{functions:#?}"
        );
        assert!(functions[0].contains("tokio::"), "{functions:#?}");
    }
    assert_eq!(waits.len(), usize::from(recorded.v2().is_some()));
}
