//! What each side did to shared memory, and what a command buffer does to it.

use crate::layer::site::Site;

use super::handles::Handle;

/// How many writes are kept for each allocation.
const KEPT: usize = 64;

/// A range of an allocation. An image is the byte that it begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub start: u64,
    pub end: u64,
}

impl Range {
    pub fn new(start: u64, size: u64) -> Self {
        Self { start, end: start.saturating_add(size.max(1)) }
    }

    fn overlaps(&self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }
}

pub struct Write {
    range: Range,
    site: Site,
    /// The semaphores that were signaled after it, with the values.
    pub signals: Vec<(u32, u64)>,
}

/// The two APIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    Cuda,
    Vulkan,
}

/// What an API wrote to one allocation.
#[derive(Default)]
pub struct Written {
    pub writes: Vec<Write>,
    /// What CUDA wrote and Vulkan did not acquire, or what Vulkan wrote and did not release.
    unmoved: Vec<(Range, Site)>,
}

/// What is known of one allocation, by the API that wrote.
#[derive(Default)]
pub struct Memory(pub [Written; 2]);

impl Memory {
    /// Takes in that an API uses a range. Returns what is wrong with it, and the call that shows it.
    pub fn used(&mut self, by: Api, range: Range, is_write: bool, site: &Site) -> Option<(String, Site)> {
        let [cuda, vulkan] = &mut self.0;
        let (own, other, [user, writer], not_moved) = match by {
            Api::Cuda => (cuda, vulkan, ["CUDA", "Vulkan"], " and did not release it to"),
            Api::Vulkan => (vulkan, cuda, ["Vulkan", "CUDA"], ", and Vulkan did not acquire it from"),
        };
        let write = other.writes.iter().find(|write| write.range.overlaps(range));
        // What Vulkan overwrites need not be acquired.
        let unmoved = other.unmoved.iter().find(|(of, _)| of.overlaps(range));
        let problem = match (write, unmoved.filter(|_| by == Api::Cuda || !is_write)) {
            (Some(write), _) => {
                let waits = format!("{user} waits for no semaphore that was signaled since");
                let what = if write.signals.is_empty() { "no semaphore was signaled since" } else { &waits };
                Some((format!("{writer} wrote it, and {what}."), write.site.clone()))
            }
            (None, Some((_, site))) => {
                let text = format!("{writer} wrote it{not_moved} VK_QUEUE_FAMILY_EXTERNAL.");
                Some((text, site.clone()))
            }
            (None, None) => None,
        };
        other.writes.retain(|write| !write.range.overlaps(range));
        other.unmoved.retain(|(of, _)| !of.overlaps(range));
        if is_write {
            keep(&mut own.writes, Write { range, site: site.clone(), signals: Vec::new() });
            keep(&mut own.unmoved, (range, site.clone()));
        }
        problem
    }

    /// Vulkan acquires what CUDA wrote, or releases what it wrote itself.
    pub fn moved(&mut self, written_by: Api, range: Range) {
        self.0[written_by as usize].unmoved.retain(|(of, _)| !of.overlaps(range));
    }
}

/// A buffer's range or an image, as a command names it.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    Buffer(Handle, u64, u64),
    Image(Handle),
}

/// What a command buffer does.
#[derive(Clone, Copy, Debug)]
pub enum Command {
    Read(Extent),
    Write(Extent),
    Acquire(Extent),
    Release(Extent),
    /// An image leaves the layout UNDEFINED.
    Layout(Handle),
}

fn keep<T>(list: &mut Vec<T>, new: T) {
    if list.len() == KEPT {
        list.remove(0);
    }
    list.push(new);
}
