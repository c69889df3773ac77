//! Each kind of wait, as a recording shows it: what the task waits for, where, and who woke it.

mod support;

use std::sync::Arc;
use std::time::Duration;

use exectrace_tokio as tokio;
use support::{Recorded, Recording, turn};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{
    Barrier, Mutex, Notify, OnceCell, RwLock, Semaphore, broadcast, mpsc, oneshot, watch,
};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Records a task that waits. `setup` gives its future, and another that ends the wait after a while.
#[track_caller]
fn record_wait<W, E>(setup: impl FnOnce() -> (W, E)) -> Recorded
where
    W: Future<Output = ()> + Send + 'static,
    E: Future<Output = ()> + Send + 'static,
{
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let recording = Recording::start();
    runtime.block_on(async {
        let (wait, end) = setup();
        let waiting = tokio::spawn(wait);
        let ending = tokio::spawn(async {
            // Until the other one waits.
            for _ in 0..8 {
                tokio::task::yield_now().await;
            }
            end.await;
        });
        waiting.await.expect("no panic");
        ending.await.expect("no panic");
    });
    recording.stop()
}

/// The task with the entry function `entry` waited once, for `reason` (in Go 1.27's words), inside of `leaf`, and was made
/// runnable once.
#[track_caller]
fn check(recorded: &Recorded, entry: &str, reason: &str, leaf: &str) {
    let Some(transitions) = recorded.transitions(entry) else {
        return;
    };
    let waits: Vec<_> = transitions
        .iter()
        .filter(|line| line.detail.contains("Running->Waiting"))
        .collect();
    let reasons: Vec<_> = waits.iter().map(|line| line.detail.as_str()).collect();
    assert!(
        reasons.len() == 1 && reasons[0].ends_with(&format!("Reason=\"{reason}\"")),
        "{entry} waits for {reasons:?}, not {reason}; {:#?}",
        waits.first().map(|w| &w.stack)
    );
    let stack: Vec<_> = waits[0]
        .stack
        .iter()
        .map(|frame| frame.function.as_str())
        .collect();
    assert!(
        stack.iter().any(|function| function.contains(leaf)),
        "{leaf} is not in {stack:#?}"
    );
    assert!(
        stack.iter().any(|function| function.ends_with(entry)),
        "{entry} is not in {stack:#?}"
    );
}

async fn sleeper() {
    sleep(Duration::from_millis(2)).await;
}

#[test]
fn a_timer_is_a_sleep() {
    let _turn = turn();
    let recorded = record_wait(|| (sleeper(), async {}));
    check(&recorded, "sleeper", "sleep", "tokio::time::sleep");
}

async fn bounded_receiver(mut receiver: mpsc::Receiver<u8>) {
    assert_eq!(receiver.recv().await, Some(1));
}

#[test]
fn a_bounded_channel_s_receiver_receives() {
    let _turn = turn();
    let recorded = record_wait(|| {
        let (sender, receiver) = mpsc::channel(1);
        (bounded_receiver(receiver), async move {
            sender.send(1).await.expect("a receiver")
        })
    });
    check(&recorded, "bounded_receiver", "chan receive", "mpsc");
}

async fn bounded_sender(sender: mpsc::Sender<u8>) {
    sender.send(1).await.expect("a receiver");
    sender.send(2).await.expect("a receiver");
}

#[test]
fn a_full_channel_s_sender_sends() {
    let _turn = turn();
    let recorded = record_wait(|| {
        let (sender, mut receiver) = mpsc::channel(1);
        (bounded_sender(sender), async move {
            while receiver.recv().await.is_some() {}
        })
    });
    check(&recorded, "bounded_sender", "chan send", "mpsc");
}

async fn oneshot_receiver(receiver: oneshot::Receiver<u8>) {
    receiver.await.expect("a sender");
}

#[test]
fn a_oneshot_receives() {
    let _turn = turn();
    let recorded = record_wait(|| {
        let (sender, receiver) = oneshot::channel();
        (oneshot_receiver(receiver), async {
            sender.send(1).expect("a receiver")
        })
    });
    check(&recorded, "oneshot_receiver", "chan receive", "oneshot");
}

async fn broadcast_receiver(mut receiver: broadcast::Receiver<u8>) {
    receiver.recv().await.expect("a sender");
}

#[test]
fn a_broadcast_receives() {
    let _turn = turn();
    let recorded = record_wait(|| {
        let (sender, receiver) = broadcast::channel(1);
        (broadcast_receiver(receiver), async move {
            sender.send(1).map(drop).expect("a receiver")
        })
    });
    check(&recorded, "broadcast_receiver", "chan receive", "broadcast");
}

async fn watch_receiver(mut receiver: watch::Receiver<u8>) {
    receiver.changed().await.expect("a sender");
}

#[test]
fn a_watch_receives() {
    let _turn = turn();
    let recorded = record_wait(|| {
        let (sender, receiver) = watch::channel(0);
        (watch_receiver(receiver), async move {
            sender.send(1).expect("a receiver")
        })
    });
    check(&recorded, "watch_receiver", "chan receive", "watch");
}

async fn locker(mutex: Arc<Mutex<u8>>) {
    *mutex.lock().await += 1;
}

#[test]
fn a_mutex_syncs() {
    let _turn = turn();
    let recorded = record_wait(|| {
        let mutex = Arc::new(Mutex::new(0));
        let guard = mutex.clone().try_lock_owned().expect("unlocked");
        (locker(mutex), async { drop(guard) })
    });
    check(&recorded, "locker", "sync", "mutex");
}

async fn writer(lock: Arc<RwLock<u8>>) {
    *lock.write().await += 1;
}

#[test]
fn a_read_write_lock_syncs() {
    let _turn = turn();
    let recorded = record_wait(|| {
        let lock = Arc::new(RwLock::new(0));
        let guard = lock.clone().try_read_owned().expect("unlocked");
        (writer(lock), async { drop(guard) })
    });
    check(&recorded, "writer", "sync", "rwlock");
}

async fn permitted(semaphore: Arc<Semaphore>) {
    drop(semaphore.acquire().await.expect("open"));
}

#[test]
fn a_semaphore_syncs() {
    let _turn = turn();
    let recorded = record_wait(|| {
        let semaphore = Arc::new(Semaphore::new(0));
        (permitted(semaphore.clone()), async move {
            semaphore.add_permits(1)
        })
    });
    check(&recorded, "permitted", "sync", "semaphore");
}

async fn arriving(barrier: Arc<Barrier>) {
    barrier.wait().await;
}

#[test]
fn a_barrier_syncs() {
    let _turn = turn();
    let recorded = record_wait(|| {
        let barrier = Arc::new(Barrier::new(2));
        (arriving(barrier.clone()), async move {
            barrier.wait().await;
        })
    });
    check(&recorded, "arriving", "sync", "barrier");
}

async fn initialised(cell: Arc<OnceCell<u8>>) {
    cell.get_or_init(async || 1).await;
}

#[test]
fn a_cell_that_another_initialises_syncs() {
    let _turn = turn();
    let recorded = record_wait(|| {
        let cell = Arc::new(OnceCell::new());
        let (sender, receiver) = oneshot::channel();
        let first = cell.clone();
        let init = tokio::spawn(async move {
            first
                .get_or_init(async || receiver.await.expect("a sender"))
                .await;
        });
        let wait = initialised(cell);
        (
            async move {
                tokio::task::yield_now().await;
                wait.await;
            },
            async move {
                sender.send(1).expect("a receiver");
                init.await.expect("no panic");
            },
        )
    });
    let Some(transitions) = recorded.transitions("{{closure}}") else {
        return;
    };
    let waits = transitions.into_iter().filter(|line| {
        line.detail.ends_with("Running->Waiting Reason=\"sync\"")
            && line
                .stack
                .iter()
                .any(|frame| frame.function.contains("once_cell"))
    });
    assert_eq!(waits.count(), 1);
}

async fn joining(handle: tokio::task::JoinHandle<()>) {
    handle.await.expect("no panic");
}

#[test]
fn a_join_handle_syncs() {
    let _turn = turn();
    let recorded = record_wait(|| {
        let (sender, receiver) = oneshot::channel::<u8>();
        let joined = tokio::spawn(async { drop(receiver.await) });
        (joining(joined), async {
            sender.send(1).expect("a receiver")
        })
    });
    check(&recorded, "joining", "sync", "join");
}

async fn notified(notify: Arc<Notify>) {
    notify.notified().await;
}

#[test]
fn a_notification_is_a_condition() {
    let _turn = turn();
    let recorded = record_wait(|| {
        let notify = Arc::new(Notify::new());
        (notified(notify.clone()), async move { notify.notify_one() })
    });
    check(&recorded, "notified", "sync.(*Cond).Wait", "notify");
}

async fn reading(mut stream: tokio::net::TcpStream) {
    let mut byte = [0];
    stream.read_exact(&mut byte).await.expect("a byte");
}

#[test]
fn a_socket_waits_for_the_net() {
    let _turn = turn();
    let (wait, end) = socket_pair();
    let recorded = record_wait(|| {
        let stream = tokio::net::TcpStream::from_std(wait).expect("a runtime");
        let mut other = tokio::net::TcpStream::from_std(end).expect("a runtime");
        (reading(stream), async move {
            other.write_all(&[1]).await.expect("a peer")
        })
    });
    check(&recorded, "reading", "network", "tcp::stream::TcpStream");
}

fn socket_pair() -> (std::net::TcpStream, std::net::TcpStream) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let one = std::net::TcpStream::connect(address).expect("a listener");
    let (other, _) = listener.accept().expect("a peer");
    for stream in [&one, &other] {
        stream.set_nonblocking(true).expect("a socket");
    }
    (one, other)
}

async fn selecting(mut numbers: mpsc::Receiver<u8>, notify: Arc<Notify>) {
    tokio::select! {
        number = numbers.recv() => assert_eq!(number, Some(1)),
        () = notify.notified() => {}
    }
}

#[test]
fn one_of_several_is_a_select() {
    let _turn = turn();
    let recorded = record_wait(|| {
        let (sender, receiver) = mpsc::channel(1);
        (selecting(receiver, Arc::new(Notify::new())), async move {
            sender.send(1).await.expect("a receiver")
        })
    });
    check(&recorded, "selecting", "select", "");
}

async fn joining_both(first: oneshot::Receiver<u8>, second: oneshot::Receiver<u8>) {
    let both = tokio::join!(first, second);
    assert!(both.0.is_ok() && both.1.is_ok());
}

#[test]
fn all_of_several_are_a_select() {
    let _turn = turn();
    let recorded = record_wait(|| {
        let (first, second) = (oneshot::channel(), oneshot::channel());
        (joining_both(first.1, second.1), async {
            first.0.send(1).expect("a receiver");
            second.0.send(1).expect("a receiver");
        })
    });
    check(&recorded, "joining_both", "select", "oneshot");
}

async fn set_of_tasks(mut set: JoinSet<()>) {
    set.join_next().await.expect("a task").expect("no panic");
}

#[test]
fn a_set_of_tasks_is_a_select() {
    let _turn = turn();
    let recorded = record_wait(|| {
        let (sender, receiver) = oneshot::channel::<u8>();
        let mut set = JoinSet::new();
        set.spawn(async { drop(receiver.await) });
        (set_of_tasks(set), async {
            sender.send(1).expect("a receiver")
        })
    });
    check(&recorded, "set_of_tasks", "select", "join_set");
}

async fn set_of_futures(receivers: Vec<oneshot::Receiver<u8>>) {
    use futures_util::stream::{FuturesUnordered, StreamExt};
    let mut receivers: FuturesUnordered<_> = receivers.into_iter().collect();
    while receivers.next().await.is_some() {}
}

#[test]
fn a_set_of_futures_is_a_select() {
    let _turn = turn();
    let recorded = record_wait(|| {
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..3).map(|_| oneshot::channel()).unzip();
        (set_of_futures(receivers), async {
            for sender in senders {
                sender.send(1).expect("a receiver");
            }
        })
    });
    check(&recorded, "set_of_futures", "select", "futures_unordered");
}

async fn within_a_second(mut receiver: mpsc::Receiver<u8>) {
    let received = timeout(Duration::from_secs(1), receiver.recv()).await;
    assert_eq!(received, Ok(Some(1)));
}

#[test]
fn a_time_out_is_what_it_waits_for() {
    let _turn = turn();
    let recorded = record_wait(|| {
        let (sender, receiver) = mpsc::channel(1);
        (within_a_second(receiver), async move {
            sender.send(1).await.expect("a receiver")
        })
    });
    check(&recorded, "within_a_second", "chan receive", "mpsc");
}

async fn yielding() {
    for _ in 0..3 {
        tokio::task::yield_now().await;
    }
}

#[test]
fn a_yield_is_no_wait() {
    let _turn = turn();
    // That a place is a yield is known from a recording's first look at it on: within milliseconds, for the process's life.
    record_wait(|| (yielding(), async {}));
    let recorded = record_wait(|| (yielding(), async {}));
    let Some(transitions) = recorded.transitions("yielding") else {
        return;
    };
    let details: Vec<_> = transitions
        .iter()
        .map(|line| {
            line.detail
                .split_once(' ')
                .map_or("", |(_, rest)| rest)
                .to_owned()
        })
        .collect();
    let yields = details
        .iter()
        .filter(|detail| detail.starts_with("Running->Runnable"));
    assert_eq!(yields.count(), 3, "{details:?}");
    assert!(
        !details.iter().any(|detail| detail.contains("Waiting")),
        "{details:?}"
    );
}

async fn spending(mut receiver: mpsc::Receiver<u32>) {
    while receiver.recv().await.is_some() {}
}

#[test]
fn a_spent_budget_is_no_wait() {
    let _turn = turn();
    let record = || {
        record_wait(|| {
            let (sender, receiver) = mpsc::channel(1000);
            for number in 0..1000 {
                sender.try_send(number).expect("room");
            }
            drop(sender);
            (spending(receiver), async {})
        })
    };
    // As for yields.
    record();
    let recorded = record();
    let Some(transitions) = recorded.transitions("spending") else {
        return;
    };
    assert!(
        transitions
            .iter()
            .any(|line| line.detail.contains("Running->Runnable"))
    );
    assert!(
        !transitions
            .iter()
            .any(|line| line.detail.contains("Running->Waiting"))
    );
}

async fn hopeless() {
    std::future::pending::<()>().await;
}

#[test]
fn what_never_wakes_anyone_has_stopped() {
    let _turn = turn();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    let recording = Recording::start();
    runtime.block_on(async {
        for _ in 0..10 {
            let task = tokio::spawn(hopeless());
            tokio::task::yield_now().await;
            tokio::task::yield_now().await;
            task.abort();
            assert!(task.await.expect_err("aborted").is_cancelled());
        }
    });
    let recorded = recording.stop();
    let stopped = recorded.count("GoStop");
    // Once at the begin the collector holds each task that lives, so that one of them does not seem forgotten: it is told as one
    // that waits.
    assert!((9..=10).contains(&stopped), "{:?}", recorded.statistics);
}
