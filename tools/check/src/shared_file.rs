//! The file that `cuda-external-check` makes, and that each checked process maps.
//!
//! Processes write at the same time, so every field is an atomic. A process may end between two stores, so each slot
//! has a field that shows whether the slot is complete. `cuda-external-check` writes the whole file before it starts
//! the program, so that no store finds the disk full. A message needs no descriptor, no path and no allocation: a
//! process can send messages in a signal handler, and after fork, chroot or setuid.

use core::ffi::CStr;
use core::fmt;
use core::ptr;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

/// The name of the file in the directory of the check.
pub const FILE_NAME: &str = "shared";
/// At most this many frames of a call stack are kept.
pub const DEPTH: usize = 20;
/// A call stack as `call_stack` encodes it, the innermost frame first. Unused entries at the end are 0.
pub type StackFrames = [u64; DEPTH];

/// Returns an array's length, which is small under Miri: Miri visits each atomic behind a reference to the file.
const fn length_under_miri(count: usize) -> usize {
    if cfg!(miri) { 4 } else { count }
}

const MAX_PROCESSES: usize = length_under_miri(1 << 15);
const MAX_LIVE_OBJECTS: usize = length_under_miri(8192);
const MAX_MESSAGES: usize = length_under_miri(128);
pub const MAX_MODULES: usize = length_under_miri(2048);
/// The largest lengths of a message and of a path, in bytes.
const MESSAGE_BYTES: usize = if cfg!(miri) { 64 } else { 8176 };
pub const PATH_BYTES: usize = if cfg!(miri) { 64 } else { 508 };

/// The values of `ProcessEntry::ended`. `RUNS` stays if a signal ends the program, or the process calls exec.
pub const RUNS: u32 = 0;
pub const RAN_EXIT_HANDLERS: u32 = 1;
pub const CALLED_EXIT: u32 = 2;

/// A flag in `crash_suspects`: the call got a handle that no import of the process returned.
pub const UNKNOWN_HANDLE: u32 = 1 << 31;

/// Returns the hash of a function's name, which represents the function in `crash_suspects`.
pub fn function_hash(name: &str) -> u32 {
    fnv_hash(name.as_bytes()) & !UNKNOWN_HANDLE
}

fn fnv_hash(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// A slot for the path of a file with code, or for a Python function's file and name. A slot is written once.
#[repr(C)]
struct CodeFileSlot {
    /// 0: free. 1: being written. Otherwise the length of the name plus 2.
    state: AtomicU32,
    bytes: [AtomicU8; PATH_BYTES],
}

impl CodeFileSlot {
    /// Writes a name, unless the slot is in use or the name is too long. Returns whether this call wrote the name.
    fn write_name_once(&self, bytes: &[u8]) -> bool {
        if bytes.len() > PATH_BYTES || self.state.compare_exchange(0, 1, AcqRel, Relaxed).is_err() {
            return false;
        }
        self.bytes.iter().zip(bytes).for_each(|(to, byte)| to.store(*byte, Relaxed));
        self.state.store(bytes.len() as u32 + 2, Release);
        true
    }

    /// Returns the name, if it is complete.
    fn written_name(&self) -> Option<impl Iterator<Item = u8>> {
        let length = self.state.load(Acquire).checked_sub(2)?;
        Some(self.bytes.iter().take(length as usize).map(|byte| byte.load(Relaxed)))
    }

    fn has_name(&self, bytes: &[u8]) -> bool {
        self.written_name().is_some_and(|own| own.eq(bytes.iter().copied()))
    }
}

/// The entry of a program that a process runs. After exec the process has another entry.
#[repr(C)]
pub struct ProcessEntry {
    pub process: AtomicU32,
    pub ended: AtomicU32,
    /// The number of live objects for which the list had no room.
    pub unlisted: AtomicU32,
    /// For up to four threads, the hash of the function in which the driver may crash. An unused place is 0.
    crash_suspects: [AtomicU32; 4],
}

impl ProcessEntry {
    /// Notes that a thread calls a function in which the driver may crash. Returns the hash's place, if one was free.
    pub fn begin_crash_suspect(&self, hash: u32) -> Option<&AtomicU32> {
        self.crash_suspects.iter().find(|place| place.compare_exchange(0, hash, Relaxed, Relaxed).is_ok())
    }

    /// Returns the hash and flag of the function in which the driver crashed, if only one thread was in such a call.
    pub fn crashed_function_hash(&self) -> Option<u32> {
        let mut suspects =
            self.crash_suspects.iter().map(|place| place.load(Acquire)).filter(|hash| *hash != 0);
        suspects.next().filter(|_| suspects.next().is_none())
    }
}

#[repr(C)]
struct LiveObjectSlot {
    /// 0: free. `u32::MAX`: being written. Otherwise the index of the process's entry plus 1.
    entry: AtomicU32,
    number: AtomicU32,
    about: [AtomicU64; 8],
    stack: [AtomicU64; DEPTH],
}

/// A slot for a message: a finding, a notice, or the path of a driver that a process opened without the layer.
#[repr(C)]
pub struct MessageSlot {
    /// 0: free. 1: being written. Otherwise the message is complete, and later messages have larger numbers.
    order: AtomicU64,
    length: AtomicU32,
    bytes: [AtomicU8; MESSAGE_BYTES],
}

#[repr(C)]
pub struct SharedFile {
    /// See [`LayerOptions`](crate::layer_options::LayerOptions).
    pub options: [AtomicU64; 4],
    /// How often each rule was broken.
    pub counts: [AtomicU64; 64],
    /// The number of checked calls: those of CUDA's external objects, exports by CUDA, and imports by Vulkan.
    pub calls: AtomicU64,
    /// The number of findings, paths of drivers and calls of `close` that could not be recorded or printed.
    pub lost: AtomicU64,
    order: AtomicU64,
    processes_used: AtomicU32,
    pub processes: [ProcessEntry; MAX_PROCESSES],
    alive: [LiveObjectSlot; MAX_LIVE_OBJECTS],
    messages: [MessageSlot; MAX_MESSAGES],
    modules: [CodeFileSlot; MAX_MODULES],
}

impl SharedFile {
    /// Maps the file. Returns `None` if the file cannot be opened or mapped, or has another size.
    pub fn map_shared_file(path: &CStr) -> Option<&'static Self> {
        // SAFETY: the mapping has the struct's size and is never unmapped. The struct has only atomics.
        unsafe {
            let fd = libc::open(path.as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
            if fd < 0 {
                return None;
            }
            let is_whole = libc::lseek(fd, 0, libc::SEEK_END) == size_of::<Self>() as libc::off_t;
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let map = || libc::mmap(ptr::null_mut(), size_of::<Self>(), access, libc::MAP_SHARED, fd, 0);
            let at = if is_whole { map() } else { libc::MAP_FAILED };
            libc::close(fd);
            (at != libc::MAP_FAILED).then(|| &*at.cast::<Self>())
        }
    }

    pub fn add_process_entry(&self, process: u32) -> Option<(u32, &ProcessEntry)> {
        let at = self.processes_used.fetch_add(1, Relaxed);
        let entry = self.processes.get(at as usize)?;
        entry.process.store(process, Release);
        Some((at, entry))
    }

    /// Returns the number of processes for which there was no entry. Their unfreed objects are not reported.
    pub fn processes_left_out(&self) -> u32 {
        self.processes_used.load(Acquire).saturating_sub(MAX_PROCESSES as u32)
    }

    /// Returns the entries of the processes that loaded the layer, the oldest first.
    pub fn process_entries(&self) -> impl DoubleEndedIterator<Item = (u32, &ProcessEntry)> {
        let used = self.processes_used.load(Acquire).min(MAX_PROCESSES as u32);
        (0..used).zip(&self.processes)
    }

    /// Adds an object to the list of live ones. Returns the index of its slot, or `None` if there is no room.
    pub fn add_to_live_objects(
        &self,
        entry: u32,
        number: u32,
        about: [u64; 8],
        stack: &StackFrames,
    ) -> Option<u32> {
        let is_claimed = |slot: &LiveObjectSlot| {
            slot.entry.load(Relaxed) == 0 && slot.entry.compare_exchange(0, u32::MAX, AcqRel, Relaxed).is_ok()
        };
        let at = self.alive.iter().position(is_claimed)?;
        let place = &self.alive[at];
        place.number.store(number, Relaxed);
        place.about.iter().zip(about).for_each(|(to, word)| to.store(word, Relaxed));
        place.stack.iter().zip(stack).for_each(|(to, word)| to.store(*word, Relaxed));
        place.entry.store(entry + 1, Release);
        Some(at as u32)
    }

    pub fn remove_from_live_objects(&self, at: u32) {
        self.alive[at as usize].entry.store(0, Release);
    }

    /// Returns the live objects of a process: the number, description and call stack of each.
    pub fn live_objects(&self, entry: u32) -> impl Iterator<Item = (u32, [u64; 8], StackFrames)> {
        let of_process = self.alive.iter().filter(move |place| place.entry.load(Acquire) == entry + 1);
        of_process.map(|place| {
            let load = |word: &AtomicU64| word.load(Relaxed);
            let about = core::array::from_fn(|at| load(&place.about[at]));
            let stack = core::array::from_fn(|at| load(&place.stack[at]));
            (place.number.load(Relaxed), about, stack)
        })
    }

    /// Returns a writer that sends a message when the writer is dropped, or `None` if there is no room.
    pub fn claim_message_slot(&self) -> Option<MessageWriter<'_>> {
        let is_free = |place: &&MessageSlot| place.order.compare_exchange(0, 1, AcqRel, Relaxed).is_ok();
        self.messages.iter().find(is_free).map(|place| MessageWriter { shared: self, place, length: 0 })
    }

    /// Passes the complete messages to `each`, the oldest first, and frees their slots.
    pub fn take_messages(&self, mut each: impl FnMut(&mut dyn Iterator<Item = u8>)) {
        loop {
            let ready = self.messages.iter().filter(|place| place.order.load(Acquire) > 1);
            let Some(oldest) = ready.min_by_key(|place| place.order.load(Relaxed)) else { return };
            let length = oldest.length.load(Relaxed) as usize;
            each(&mut oldest.bytes.iter().take(length).map(|byte| byte.load(Relaxed)));
            oldest.order.store(0, Release);
        }
    }

    /// Returns the number of messages that processes have begun and not completed.
    pub fn unfinished_messages(&self) -> usize {
        self.messages.iter().filter(|place| place.order.load(Relaxed) == 1).count()
    }

    /// Returns the number of a file or a Python function, from 1 on, or 0 if the name is too long or no slot is free.
    pub fn module_number(&self, path: &[u8]) -> u64 {
        let first = fnv_hash(path) as usize;
        let mut places = (0..MAX_MODULES).map(|at| (first + at) % MAX_MODULES);
        let at =
            places.find(|at| self.modules[*at].has_name(path) || self.modules[*at].write_name_once(path));
        at.map_or(0, |at| at as u64 + 1)
    }

    pub fn module_path(&self, number: u64) -> Option<impl Iterator<Item = u8>> {
        self.modules.get((number as usize).checked_sub(1)?)?.written_name()
    }
}

/// Writes a message to a slot, and sends the message when dropped. Leaves out text that does not fit.
pub struct MessageWriter<'a> {
    shared: &'a SharedFile,
    place: &'a MessageSlot,
    length: usize,
}

impl fmt::Write for MessageWriter<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for (to, byte) in self.place.bytes[self.length..].iter().zip(text.bytes()) {
            to.store(byte, Relaxed);
            self.length += 1;
        }
        Ok(())
    }
}

impl Drop for MessageWriter<'_> {
    fn drop(&mut self) {
        self.place.length.store(self.length as u32, Relaxed);
        self.place.order.store(self.shared.order.fetch_add(1, Relaxed) + 2, Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::alloc::{Layout, alloc_zeroed};
    use std::collections::BTreeSet;
    use std::fmt::Write;

    fn new_shared_file() -> Box<SharedFile> {
        // SAFETY: zeros are valid for atomics, and the memory has the layout that the box frees.
        unsafe { Box::from_raw(alloc_zeroed(Layout::new::<SharedFile>()).cast()) }
    }

    #[test]
    fn messages_come_in_order_and_those_of_threads_are_whole() {
        let shared = new_shared_file();
        let rounds = MAX_MESSAGES / 2;
        std::thread::scope(|scope| {
            let send =
                |thread, round| write!(shared.claim_message_slot().unwrap(), "{thread} {round}").unwrap();
            for thread in 0..2 {
                scope.spawn(move || (0..rounds).for_each(|round| send(thread, round)));
            }
        });
        let mut all = vec![Vec::new(); 2];
        shared.take_messages(|bytes| {
            let text = String::from_utf8(bytes.collect()).unwrap();
            let (thread, round) = text.split_once(' ').unwrap();
            all[thread.parse::<usize>().unwrap()].push(round.parse::<usize>().unwrap());
        });
        assert_eq!(all, vec![(0..rounds).collect::<Vec<_>>(); 2]);
    }

    #[test]
    fn where_there_is_no_room_nothing_is_overwritten() {
        let shared = new_shared_file();
        let held: Vec<_> = (0..MAX_MESSAGES).map(|_| shared.claim_message_slot().unwrap()).collect();
        assert!(shared.claim_message_slot().is_none());
        assert_eq!(shared.unfinished_messages(), MAX_MESSAGES);
        drop(held);
        let modules: Vec<_> =
            (0..MAX_MODULES).map(|at| shared.module_number(&[b'/', at as u8, (at >> 8) as u8])).collect();
        assert!(modules.iter().all(|number| (1..=MAX_MODULES as u64).contains(number)));
        assert_eq!(BTreeSet::from_iter(&modules).len(), MAX_MODULES);
        assert_eq!([&b"/\x01\0"[..], b"/a"].map(|path| shared.module_number(path)), [modules[1], 0]);
        let processes = (0..=MAX_PROCESSES).filter(|_| shared.add_process_entry(7).is_some()).count();
        assert_eq!(processes, MAX_PROCESSES);
        assert_eq!(shared.processes_left_out(), 1);
        let list = || shared.add_to_live_objects(0, 1, [0; 8], &[0; DEPTH]);
        assert_eq!((0..=MAX_LIVE_OBJECTS).filter(|_| list().is_some()).count(), MAX_LIVE_OBJECTS);
        shared.remove_from_live_objects(2);
        assert_eq!(shared.live_objects(0).count(), MAX_LIVE_OBJECTS - 1);
        assert_eq!(list(), Some(2));
    }
}
