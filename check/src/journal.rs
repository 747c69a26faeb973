//! The objects that are alive, in a file that both the layer and the program map. The program reads it when the checked
//! process has ended, in whatever way: by its exit handlers, by `_exit`, by a crash.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::about::About;
use crate::addresses::Modules;
use crate::stack::{DEPTH, Frames, Stack};
use crate::sys;

const SLOTS: usize = 8192;
/// The names of functions are shorter.
const NAME: usize = 64;

/// An object that is alive.
#[repr(C)]
struct Slot {
    /// The length of the call's name; 0 where the slot is free. It is written last.
    length: AtomicU32,
    number: u32,
    about: About,
    stack: Frames,
    /// The call that made it.
    call: [u8; NAME],
}

#[repr(C)]
struct Shared {
    /// 1 where the process ran its exit handlers.
    has_ended: AtomicU32,
    /// The number of the wrapped function that a thread is in, counted from 1.
    inside: AtomicU32,
    slots: [Slot; SLOTS],
}

/// The file of this process. Its pages are taken when they are used.
pub struct Journal {
    shared: &'static Shared,
    directory: PathBuf,
    process: u32,
    free: Vec<usize>,
    used: usize,
    /// Where there was code when the memory map was copied, in the order of the addresses.
    code: Vec<(usize, usize)>,
}

impl Journal {
    pub fn create(directory: &Path, process: u32) -> io::Result<Self> {
        let path = directory.join(format!("process.{process}"));
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path)?;
        file.set_len(size_of::<Shared>() as u64)?;
        let shared = map(&file)?;
        Ok(Self {
            shared,
            directory: directory.to_owned(),
            process,
            free: Vec::new(),
            used: 0,
            code: Vec::new(),
        })
    }

    /// Notes an object. Where there is no room the object is not noted, and is only reported at an ordinary end.
    pub fn add(&mut self, number: u32, about: &About, call: &str, stack: &Stack) -> Option<usize> {
        // Most objects come from where others came from.
        if stack.is_mapped_in.load(Ordering::Relaxed) != self.process {
            self.copy_memory_map(&stack.frames);
            stack.is_mapped_in.store(self.process, Ordering::Relaxed);
        }
        let at = self.free.pop().or_else(|| (self.used < SLOTS).then(|| (self.used, self.used += 1).0))?;
        // SAFETY: this slot is free: nobody else writes it, and the program reads it after the process's end.
        let slot = unsafe { &mut *(&raw const self.shared.slots[at]).cast_mut() };
        (slot.number, slot.about, slot.stack) = (number, *about, stack.frames);
        let length = call.len().min(NAME);
        slot.call[..length].copy_from_slice(&call.as_bytes()[..length]);
        self.shared.slots[at].length.store(length as u32, Ordering::Release);
        Some(at)
    }

    pub fn remove(&mut self, at: usize) {
        self.shared.slots[at].length.store(0, Ordering::Release);
        self.free.push(at);
    }

    pub fn end(&self) {
        self.shared.has_ended.store(1, Ordering::Release);
    }

    /// Which function a thread is in, for the report of a crash.
    pub fn inside(&self) -> &'static AtomicU32 {
        &self.shared.inside
    }

    /// The program needs the map to turn addresses into names. It is copied when a stack has an address of code that was
    /// loaded since.
    pub fn copy_memory_map(&mut self, stack: &Frames) {
        if stack.iter().take_while(|address| **address != 0).all(|address| is_in(&self.code, *address)) {
            return;
        }
        let Ok(maps) = fs::read_to_string("/proc/self/maps") else { return };
        self.code = Modules::parse(&maps).ranges();
        // Code that a program made itself is in no file: it is not looked for again.
        let page = |address: &usize| (address & !0xfff, (address | 0xfff) + 1);
        let others: Vec<_> = stack.iter().filter(|address| !is_in(&self.code, **address)).map(page).collect();
        self.code.extend(others);
        self.code.sort_unstable();
        _ = fs::write(self.directory.join(format!("maps.{}", std::process::id())), maps);
    }
}

/// Whether an address lies in one of the ranges.
fn is_in(ranges: &[(usize, usize)], address: usize) -> bool {
    let after = ranges.partition_point(|(start, _)| *start <= address);
    after.checked_sub(1).is_some_and(|at| address < ranges[at].1)
}

fn map(file: &File) -> io::Result<&'static Shared> {
    let (size, fd) = (size_of::<Shared>(), file.as_raw_fd());
    // SAFETY: a new mapping of a file of that size, which is never unmapped. The layer's struct is all atomics and bytes.
    let at = unsafe { sys::mmap(ptr::null_mut(), size, sys::PROT_READ_WRITE, sys::MAP_SHARED, fd, 0) };
    if at.addr() == usize::MAX {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: as above; zeros are a valid value.
    Ok(unsafe { &*at.cast::<Shared>() })
}

/// A process that loaded the layer, as the program finds it afterwards.
pub struct Ended {
    pub process: u32,
    pub ran_exit_handlers: bool,
    /// The number of the wrapped function that the process was in, or 0.
    pub inside: u32,
    pub alive: Vec<Alive>,
}

/// An object that was alive when its process ended.
pub struct Alive {
    pub object: String,
    pub about: String,
    pub call: String,
    pub stack: Vec<usize>,
}

/// Every process that loaded the layer.
pub fn read(directory: &Path) -> Vec<Ended> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let name = entry.file_name();
            let process = name.to_str()?.strip_prefix("process.")?.parse().ok()?;
            let file = OpenOptions::new().read(true).write(true).open(entry.path()).ok()?;
            if file.metadata().ok()?.len() < size_of::<Shared>() as u64 {
                return None;
            }
            let shared = map(&file).ok()?;
            let lengths =
                shared.slots.iter().map(|slot| (slot, slot.length.load(Ordering::Acquire) as usize));
            let alive = lengths.filter(|(_, length)| *length > 0).map(|(slot, length)| Alive {
                object: slot.about.kind().numbered(slot.number),
                about: slot.about.to_string(),
                call: String::from_utf8_lossy(&slot.call[..length.min(NAME)]).into_owned(),
                stack: slot.stack.to_vec(),
            });
            Some(Ended {
                process,
                ran_exit_handlers: shared.has_ended.load(Ordering::Acquire) == 1,
                inside: shared.inside.load(Ordering::Relaxed),
                alive: alive.collect(),
            })
        })
        .collect()
}

const _: () = assert!(size_of::<Slot>() == 8 + size_of::<About>() + 8 * DEPTH + NAME);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::about::Kind;

    /// A forked process has its parent's stacks and a journal of its own.
    #[test]
    fn each_journal_has_its_objects_and_the_map_of_their_stacks() {
        let stack = crate::stack::stack();
        let about = About::import(Kind::Memory, 1, Some(7), 4096, true);
        for process in [1, 2] {
            let directory = tempfile::tempdir().unwrap();
            let mut journal = Journal::create(directory.path(), process).unwrap();
            let ended = journal.add(4, &about, "cuA", &stack).unwrap();
            journal.add(5, &about, "cuB", &stack).unwrap();
            journal.remove(ended);
            assert!(directory.path().join(format!("maps.{}", std::process::id())).exists(), "{process}");
            let alive = &read(directory.path())[0].alive;
            assert_eq!(alive.len(), 1);
            assert_eq!((alive[0].object.as_str(), alive[0].call.as_str()), ("external memory #5", "cuB"));
            assert_eq!(alive[0].about, "OPAQUE_FD 7, 4096 bytes, dedicated");
            assert_eq!(alive[0].stack, stack.frames);
            // The slot of what ended is used again.
            assert_eq!(journal.add(6, &about, "cuC", &stack), Some(ended));
        }
    }
}
