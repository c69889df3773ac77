//! The program: it knows its library by `super::library` only.

use std::cell::Cell;
use std::fmt::{Debug, Display};
use std::panic::{RefUnwindSafe, UnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

use super::library::collections::VecDeque;
use super::library::sync::atomic::{AtomicUsize, Ordering};
use super::library::sync::mpsc::{self, Receiver, RecvError, Sender, SyncSender};
use super::library::sync::{
    Arc, Barrier, BarrierWaitResult, Condvar, LazyLock, LockResult, Mutex, MutexGuard, OnceLock,
    PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError, TryLockResult,
    WaitTimeoutResult,
};
use super::library::thread::{
    self, Builder, JoinHandle, Scope, ScopedJoinHandle, Thread, ThreadId,
};
use super::library::time::Duration;

static MUTEX: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static LOCK: RwLock<Option<&str>> = RwLock::new(None);
static CONDVAR: Condvar = Condvar::new();
static BARRIER: Barrier = Barrier::new(1);
static CELL: OnceLock<String> = OnceLock::new();
static LAZY: LazyLock<usize> = LazyLock::new(|| 3);

const MOMENT: Duration = Duration::from_millis(1);

thread_local! {
    static LOCAL: Cell<u8> = const { Cell::new(0) };
}

/// The answer for types that do not implement a trait: a constant of the type itself, where there is one, goes before it.
trait Otherwise {
    const _IS: bool = false;
}

impl<T: ?Sized> Otherwise for T {}

/// Whether a type implements a trait.
macro_rules! implements {
    ($type:ty, $trait:path) => {{
        struct Question<T: ?Sized>(std::marker::PhantomData<T>);
        impl<T: ?Sized + $trait> Question<T> {
            const _IS: bool = true;
        }
        <Question<$type>>::_IS
    }};
}

macro_rules! table {
    ($($type:ty),* $(,)?) => {
        vec![$(
            (concat!(stringify!($type), ": Send"), implements!($type, Send)),
            (concat!(stringify!($type), ": Sync"), implements!($type, Sync)),
            (concat!(stringify!($type), ": Unpin"), implements!($type, Unpin)),
            (concat!(stringify!($type), ": UnwindSafe"), implements!($type, UnwindSafe)),
            (concat!(stringify!($type), ": RefUnwindSafe"), implements!($type, RefUnwindSafe)),
            (concat!(stringify!($type), ": Debug"), implements!($type, Debug)),
            (concat!(stringify!($type), ": Display"), implements!($type, Display)),
            (concat!(stringify!($type), ": Default"), implements!($type, Default)),
            (concat!(stringify!($type), ": Clone"), implements!($type, Clone)),
            (concat!(stringify!($type), ": Copy"), implements!($type, Copy)),
            (concat!(stringify!($type), ": PartialEq"), implements!($type, PartialEq)),
            (concat!(stringify!($type), ": Eq"), implements!($type, Eq)),
            (concat!(stringify!($type), ": Iterator"), implements!($type, Iterator)),
            (concat!(stringify!($type), ": IntoIterator"), implements!($type, IntoIterator)),
            (concat!(stringify!($type), ": From<u8>"), implements!($type, From<u8>)),
        )*]
    };
}

/// Which traits the types implement, for values that may be shared, sent only, or neither.
pub(crate) fn traits() -> Vec<(&'static str, bool)> {
    table![
        Mutex<u8>,
        Mutex<Cell<u8>>,
        Mutex<Rc<u8>>,
        Mutex<[u8]>,
        Mutex<dyn Debug>,
        MutexGuard<'static, u8>,
        MutexGuard<'static, Cell<u8>>,
        MutexGuard<'static, Rc<u8>>,
        MutexGuard<'static, str>,
        RwLock<u8>,
        RwLock<Cell<u8>>,
        RwLock<Rc<u8>>,
        RwLock<[u8]>,
        RwLockReadGuard<'static, u8>,
        RwLockReadGuard<'static, Cell<u8>>,
        RwLockReadGuard<'static, Rc<u8>>,
        RwLockWriteGuard<'static, u8>,
        RwLockWriteGuard<'static, Cell<u8>>,
        RwLockWriteGuard<'static, Rc<u8>>,
        Condvar,
        WaitTimeoutResult,
        Barrier,
        BarrierWaitResult,
        OnceLock<u8>,
        OnceLock<Cell<u8>>,
        OnceLock<Rc<u8>>,
        LazyLock<u8>,
        Sender<u8>,
        Sender<Cell<u8>>,
        Sender<Rc<u8>>,
        SyncSender<u8>,
        SyncSender<Cell<u8>>,
        SyncSender<Rc<u8>>,
        Receiver<u8>,
        Receiver<Cell<u8>>,
        Receiver<Rc<u8>>,
        mpsc::Iter<'static, u8>,
        mpsc::TryIter<'static, u8>,
        mpsc::IntoIter<u8>,
        mpsc::Iter<'static, Rc<u8>>,
        mpsc::TryIter<'static, Rc<u8>>,
        mpsc::IntoIter<Rc<u8>>,
        &'static Receiver<u8>,
        Thread,
        ThreadId,
        Builder,
        JoinHandle<u8>,
        JoinHandle<Cell<u8>>,
        JoinHandle<Rc<u8>>,
        ScopedJoinHandle<'static, u8>,
        ScopedJoinHandle<'static, Cell<u8>>,
        ScopedJoinHandle<'static, Rc<u8>>,
        Scope<'static, 'static>,
    ]
}

/// Signatures that a program can rely on, as types of functions.
#[test]
#[expect(deprecated, reason = "old programs have them")]
#[expect(clippy::type_complexity, reason = "the types are what is tested")]
fn signatures_are_as_they_were() {
    let _: fn(u8) -> Mutex<u8> = Mutex::new;
    let _: for<'a> fn(&'a Mutex<str>) -> LockResult<MutexGuard<'a, str>> = Mutex::lock;
    let _: for<'a> fn(&'a Mutex<str>) -> TryLockResult<MutexGuard<'a, str>> = Mutex::try_lock;
    let _: fn(Mutex<u8>) -> LockResult<u8> = Mutex::into_inner;
    let _: for<'a> fn(&'a mut Mutex<str>) -> LockResult<&'a mut str> = Mutex::get_mut;
    let _: fn(&Mutex<str>) -> bool = Mutex::is_poisoned;
    let _: fn(&Mutex<str>) = Mutex::clear_poison;
    let _: for<'a> fn(&'a RwLock<str>) -> LockResult<RwLockReadGuard<'a, str>> = RwLock::read;
    let _: for<'a> fn(&'a RwLock<str>) -> TryLockResult<RwLockReadGuard<'a, str>> =
        RwLock::try_read;
    let _: for<'a> fn(&'a RwLock<str>) -> LockResult<RwLockWriteGuard<'a, str>> = RwLock::write;
    let _: for<'a> fn(&'a RwLock<str>) -> TryLockResult<RwLockWriteGuard<'a, str>> =
        RwLock::try_write;
    let _: fn(RwLock<u8>) -> LockResult<u8> = RwLock::into_inner;
    let _: for<'a> fn(&'a mut RwLock<str>) -> LockResult<&'a mut str> = RwLock::get_mut;
    let _: for<'a> fn(&Condvar, MutexGuard<'a, u8>) -> LockResult<MutexGuard<'a, u8>> =
        Condvar::wait;
    let _: for<'a> fn(
        &Condvar,
        MutexGuard<'a, u8>,
        Duration,
    ) -> LockResult<(MutexGuard<'a, u8>, WaitTimeoutResult)> = Condvar::wait_timeout;
    let _: for<'a> fn(&Condvar, MutexGuard<'a, u8>, u32) -> LockResult<(MutexGuard<'a, u8>, bool)> =
        Condvar::wait_timeout_ms;
    let _: fn(&Barrier) -> BarrierWaitResult = Barrier::wait;
    let _: fn(&OnceLock<u8>, u8) -> Result<(), u8> = OnceLock::set;
    let _: fn(&OnceLock<u8>) -> Option<&u8> = OnceLock::get;
    let _: fn(&OnceLock<u8>) -> &u8 = OnceLock::wait;
    let _: fn(&mut OnceLock<u8>) -> Option<&mut u8> = OnceLock::get_mut;
    let _: fn(&mut OnceLock<u8>) -> Option<u8> = OnceLock::take;
    let _: fn(OnceLock<u8>) -> Option<u8> = OnceLock::into_inner;
    let _: fn(&Sender<u8>, u8) -> Result<(), mpsc::SendError<u8>> = Sender::send;
    let _: fn(&SyncSender<u8>, u8) -> Result<(), mpsc::SendError<u8>> = SyncSender::send;
    let _: fn(&SyncSender<u8>, u8) -> Result<(), mpsc::TrySendError<u8>> = SyncSender::try_send;
    let _: fn(&Receiver<u8>) -> Result<u8, RecvError> = Receiver::recv;
    let _: fn(&Receiver<u8>) -> Result<u8, mpsc::TryRecvError> = Receiver::try_recv;
    let _: fn(&Receiver<u8>, Duration) -> Result<u8, mpsc::RecvTimeoutError> =
        Receiver::recv_timeout;
    let _: fn(JoinHandle<u8>) -> thread::Result<u8> = JoinHandle::join;
    let _: fn(&JoinHandle<u8>) -> &Thread = JoinHandle::thread;
    let _: fn(&JoinHandle<u8>) -> bool = JoinHandle::is_finished;
    let _: fn(ScopedJoinHandle<'static, u8>) -> thread::Result<u8> = ScopedJoinHandle::join;
    let _: for<'a> fn(&'a ScopedJoinHandle<'static, u8>) -> &'a Thread = ScopedJoinHandle::thread;
    let _: fn(Builder, fn() -> u8) -> std::io::Result<JoinHandle<u8>> = Builder::spawn;
    let _: (fn(), fn(Duration), fn(u32)) =
        (thread::park, thread::park_timeout, thread::park_timeout_ms);
    let _: (fn(), fn(Duration), fn(u32)) = (thread::yield_now, thread::sleep, thread::sleep_ms);
    let _: (fn() -> Thread, fn(&Thread)) = (thread::current, Thread::unpark);
    let _: (fn(&Thread) -> ThreadId, fn(&Thread) -> Option<&str>) = (Thread::id, Thread::name);
    let _: fn() -> bool = thread::panicking;
    let _: fn() -> (Sender<u8>, Receiver<u8>) = mpsc::channel;
    let _: fn(usize) -> (SyncSender<u8>, Receiver<u8>) = mpsc::sync_channel;
}

/// Helpers as programs have them, with the lifetimes of scopes spelled out.
fn sum_in<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    numbers: &'env [u64],
    total: &'scope Mutex<u64>,
) -> ScopedJoinHandle<'scope, usize> {
    scope.spawn(move || {
        scope.spawn(|| *total.lock().unwrap() += numbers[0]);
        *total.lock().unwrap() += numbers[1..].iter().sum::<u64>();
        numbers.len()
    })
}

#[test]
fn statics_are_ready() {
    MUTEX.lock().unwrap().push(1);
    *LOCK.write().unwrap() = Some("written");
    assert_eq!(*LOCK.read().unwrap(), Some("written"));
    CONDVAR.notify_one();
    assert!(BARRIER.wait().is_leader());
    assert_eq!(CELL.get_or_init(|| "made".to_owned()), "made");
    assert_eq!(*LAZY + MUTEX.lock().unwrap().len(), 4);
    LOCAL.with(|local| local.set(1));
}

#[test]
fn scopes_lend_what_they_were_lent() {
    let numbers = vec![1, 2, 3];
    let total = Mutex::new(0);
    let length = thread::scope(|scope| {
        let named = Builder::new().name("named".into()).stack_size(1 << 16);
        let named = named
            .spawn_scoped(scope, || thread::current().name().map(str::to_owned))
            .unwrap();
        let length = sum_in(scope, &numbers, &total).join().unwrap();
        assert_eq!(named.thread().name(), Some("named"));
        assert_eq!(named.join().unwrap().as_deref(), Some("named"));
        length
    });
    assert_eq!((length, total.into_inner().unwrap()), (3, 6));
}

#[test]
fn threads_give_back_what_they_return_or_panic_with() {
    let handle: JoinHandle<Result<u8, String>> = thread::spawn(|| Err("no".to_owned()));
    let id = handle.thread().id();
    assert_ne!(id, thread::current().id());
    assert_eq!(handle.join().unwrap(), Err("no".to_owned()));
    let handle = thread::spawn(|| -> u8 { resume_unwind(Box::new(7_u8)) });
    while !handle.is_finished() {
        thread::yield_now();
    }
    assert_eq!(handle.join().unwrap_err().downcast_ref(), Some(&7_u8));
    let scope =
        catch_unwind(|| thread::scope(|scope| drop(scope.spawn(|| resume_unwind(Box::new(0))))));
    let panic = scope.unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&"a scoped thread panicked"));
}

#[test]
fn a_panic_poisons() {
    let (mutex, lock) = (Arc::new(Mutex::new(1)), Arc::new(RwLock::new(1)));
    let panics = {
        let (mutex, lock) = (Arc::clone(&mutex), Arc::clone(&lock));
        thread::spawn(move || {
            let _read = lock.read().unwrap();
            let _guard = mutex.lock().unwrap();
            resume_unwind(Box::new(()))
        })
    };
    assert!(panics.join().is_err());
    assert!(mutex.is_poisoned());
    assert!(!lock.is_poisoned(), "a reader does not poison");
    let poisoned: PoisonError<MutexGuard<'_, i32>> = mutex.lock().unwrap_err();
    assert_eq!(**poisoned.get_ref(), 1);
    *poisoned.into_inner() = 2;
    assert!(matches!(mutex.try_lock(), Err(TryLockError::Poisoned(_))));
    mutex.clear_poison();
    assert_eq!(*mutex.lock().unwrap(), 2);
    let panics = {
        let lock = Arc::clone(&lock);
        thread::spawn(move || {
            let _guard = lock.write().unwrap();
            resume_unwind(Box::new(()))
        })
    };
    assert!(panics.join().is_err());
    assert_eq!(**lock.read().unwrap_err().get_ref(), 1);
    assert!(lock.write().is_err() && lock.try_read().is_err() && lock.try_write().is_err());
    lock.clear_poison();
    assert!(lock.write().is_ok());
    let mut mutex = Arc::into_inner(mutex).unwrap();
    *mutex.get_mut().unwrap() += 1;
    assert_eq!(mutex.into_inner().unwrap(), 3);
}

#[test]
fn what_is_tried_does_not_wait() {
    let mutex = Mutex::from(1);
    let guard = mutex.lock().unwrap();
    assert!(matches!(mutex.try_lock(), Err(TryLockError::WouldBlock)));
    assert!(format!("{mutex:?}").contains("<locked>"));
    assert_eq!(format!("{guard:?} {guard}"), "1 1");
    drop(guard);
    assert_eq!(
        format!("{mutex:?}"),
        "Mutex { data: 1, poisoned: false, .. }"
    );
    let lock = RwLock::<u8>::default();
    let first = lock.read().unwrap();
    let second = lock.try_read().unwrap();
    assert!(matches!(lock.try_write(), Err(TryLockError::WouldBlock)));
    assert_eq!(format!("{first:?} {second}"), "0 0");
    drop((first, second));
    *lock.try_write().unwrap() = 1;
    assert_eq!(
        format!("{lock:?}"),
        "RwLock { data: 1, poisoned: false, .. }"
    );
    let unsized_lock: &Mutex<[u8]> = &Mutex::new([1, 2, 3]);
    assert_eq!(unsized_lock.lock().unwrap().len(), 3);
    let shared: Arc<Mutex<dyn FnMut() -> u8 + Send>> = Arc::new(Mutex::new(|| 7));
    assert_eq!((*shared.lock().unwrap())(), 7);
}

#[test]
fn conditions_wait_and_time_out() {
    let pair = (Mutex::new(VecDeque::from([1])), Condvar::default());
    let guard = pair
        .1
        .wait_while(pair.0.lock().unwrap(), |queue| queue.is_empty());
    let (guard, result) = pair
        .1
        .wait_timeout_while(guard.unwrap(), MOMENT, |_| true)
        .unwrap();
    assert!(result.timed_out());
    let (guard, result) = pair.1.wait_timeout_while(guard, MOMENT, |_| false).unwrap();
    assert!(!result.timed_out());
    drop(guard);
    thread::scope(|scope| {
        let guard = pair.0.lock().unwrap();
        scope.spawn(|| {
            pair.0.lock().unwrap().push_back(2);
            pair.1.notify_all();
        });
        let full = pair.1.wait_while(guard, |queue| queue.len() < 2).unwrap();
        assert_eq!(*full, [1, 2]);
    });
    // A condition that panics leaves the mutex poisoned, and free.
    let panics = thread::scope(|scope| {
        scope
            .spawn(|| {
                drop(
                    pair.1
                        .wait_while(pair.0.lock().unwrap(), |_| resume_unwind(Box::new(()))),
                )
            })
            .join()
    });
    assert!(panics.is_err());
    let poisoned = pair.0.lock().unwrap_err();
    let (guard, _) = pair
        .1
        .wait_timeout(poisoned.into_inner(), MOMENT)
        .unwrap_err()
        .into_inner();
    assert_eq!(guard.len(), 2);
    assert_eq!(format!("{:?}", pair.1), "Condvar { .. }");
}

#[test]
fn cells_are_set_once() {
    let mut cell = OnceLock::<String>::new();
    assert_eq!(cell.get(), None);
    assert_eq!(cell.get_mut(), None);
    assert_eq!(format!("{cell:?}"), "OnceLock(<uninit>)");
    let shared = std::panic::AssertUnwindSafe(&cell);
    assert!(catch_unwind(|| shared.get_or_init(|| resume_unwind(Box::new(())))).is_err());
    assert_eq!(cell.set("a".into()), Ok(()));
    assert_eq!(cell.set("b".into()), Err("b".into()));
    assert_eq!(cell.get_or_init(|| "c".into()), cell.wait());
    assert_eq!(cell.clone(), OnceLock::from("a".to_owned()));
    cell.get_mut().unwrap().push('!');
    assert_eq!(cell.take().as_deref(), Some("a!"));
    assert_eq!(cell.get_or_init(|| "d".into()), "d");
    assert_eq!(cell.into_inner().as_deref(), Some("d"));
}

#[test]
fn cells_are_made_by_one_thread() {
    let (cell, made) = (OnceLock::new(), AtomicUsize::new(0));
    thread::scope(|scope| {
        for number in 0..8 {
            let (cell, made) = (&cell, &made);
            scope.spawn(move || {
                cell.get_or_init(|| {
                    thread::sleep(MOMENT);
                    made.fetch_add(1, Ordering::Relaxed);
                    number
                })
            });
        }
    });
    assert_eq!(made.into_inner(), 1);
}

#[test]
fn barriers_have_one_leader_a_round() {
    for parties in [0, 1, 3] {
        let (barrier, leaders) = (Barrier::new(parties), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..parties.max(1) {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let is_leader = barrier.wait().is_leader();
                        leaders.fetch_add(usize::from(is_leader), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(leaders.into_inner(), 20);
        assert_eq!(format!("{barrier:?}"), "Barrier { .. }");
    }
}

#[test]
fn channels_deliver_in_order_and_end() {
    let (sender, receiver) = mpsc::channel();
    let other = sender.clone();
    thread::scope(|scope| {
        scope.spawn(move || (0..100).try_for_each(|number| sender.send(number)).unwrap());
        let first: Vec<i32> = receiver.iter().take(100).collect();
        assert!(first.into_iter().eq(0..100));
    });
    other.send(100).unwrap();
    assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [100]);
    assert_eq!(
        receiver.recv_timeout(MOMENT),
        Err(mpsc::RecvTimeoutError::Timeout)
    );
    assert_eq!(receiver.try_recv(), Err(mpsc::TryRecvError::Empty));
    drop(other);
    assert_eq!(receiver.try_recv(), Err(mpsc::TryRecvError::Disconnected));
    assert_eq!(receiver.recv(), Err(RecvError));
    assert_eq!(Vec::from_iter(&receiver), []);
    assert_eq!(receiver.into_iter().next(), None);
    for bound in [0, 1, 5] {
        let (sender, receiver) = mpsc::sync_channel(bound);
        assert_eq!(
            format!("{sender:?} {receiver:?}"),
            "SyncSender { .. } Receiver { .. }"
        );
        thread::scope(|scope| {
            let other = sender.clone();
            scope.spawn(move || (0..50).try_for_each(|number| other.send(number)).unwrap());
            assert!(receiver.iter().take(50).eq(0..50));
            let sent = (0..).take_while(|number| sender.try_send(*number).is_ok());
            assert_eq!(sent.count(), bound);
        });
        drop(receiver);
        assert_eq!(sender.send(1), Err(mpsc::SendError(1)));
        assert_eq!(sender.try_send(1), Err(mpsc::TrySendError::Disconnected(1)));
    }
    let (sender, receiver) = mpsc::channel::<u8>();
    assert_eq!(
        format!("{sender:?} {receiver:?}"),
        "Sender { .. } Receiver { .. }"
    );
    drop(receiver);
    assert_eq!(sender.send(1), Err(mpsc::SendError(1)));
}

#[test]
fn threads_are_unparked_by_handle() {
    let (tell, told) = mpsc::channel::<Thread>();
    let parked = thread::spawn(move || {
        tell.send(thread::current()).unwrap();
        thread::park();
        thread::park_timeout(MOMENT);
    });
    let thread = told.recv().unwrap();
    assert_eq!(thread.id(), parked.thread().id());
    assert_eq!(format!("{thread:?}"), format!("{:?}", parked.thread()));
    // A park may end early, so this must not be needed twice.
    thread.unpark();
    parked.join().unwrap();
}

#[cfg(unix)]
#[test]
fn the_systems_handle_of_a_thread_is_there() {
    use super::library::os::unix::thread::JoinHandleExt;

    let handle = thread::spawn(thread::park);
    let pthread = handle.as_pthread_t();
    handle.thread().unpark();
    assert_eq!(handle.into_pthread_t(), pthread);
}
