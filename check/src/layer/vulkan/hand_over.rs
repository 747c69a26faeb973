//! What each side did to shared memory, and whether the other side may use it: `--enable hand-over`.
//!
//! Its granularity is the submission. CUDA's side is the copies and fills that the check wraps, Vulkan's the transfer commands
//! and barriers of command buffers. What kernels and shaders touch is not seen. Where an order is possible that the check cannot
//! see, it assumes that order: a signal covers every earlier write, and any call by which the host waits covers them too.

use std::collections::HashMap;

use crate::layer::call::Site;
use cuda_external_sys::{CUDA_SUCCESS, CUresult};

use crate::layer::objects::{Found, Kind};
use crate::layer::report::Finding;
use crate::layer::state::{State, state};
use crate::layer::transfers::Touched;
use crate::rules::Rule;

use super::records::{Handle, Shared, Vulkan};

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

struct Write {
    range: Range,
    site: Site,
    /// The semaphores that were signaled after it, with the values.
    signals: Vec<(u32, u64)>,
}

/// What is known of one allocation.
#[derive(Default)]
pub struct Memory {
    cuda: Vec<Write>,
    vulkan: Vec<Write>,
    /// What CUDA wrote and Vulkan did not acquire, and the other way round.
    unacquired: Vec<(Range, Site)>,
    unreleased: Vec<(Range, Site)>,
}

impl Memory {
    fn writes(&mut self) -> impl Iterator<Item = &mut Write> {
        self.cuda.iter_mut().chain(&mut self.vulkan)
    }
}

/// A buffer's range or an image, as a command names it.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    Buffer(Handle, u64, u64),
    Image(Handle),
}

/// What a command buffer does.
#[derive(Clone, Copy, Debug)]
pub enum Command {
    Read(Place),
    Write(Place),
    Acquire(Place),
    Release(Place),
    /// An image leaves the layout UNDEFINED.
    Layout(Handle),
}

#[derive(Default)]
pub struct HandOver {
    pub commands: HashMap<u64, Vec<Command>>,
    /// The allocations that buffers are bound to, at which offset.
    pub bound: HashMap<Handle, u64>,
}

impl Vulkan {
    fn place(&self, place: Place) -> Option<(u32, Range)> {
        match place {
            Place::Buffer(buffer, offset, size) => {
                let memory = *self.buffers.get(&buffer)?;
                let start = self.hand_over.bound.get(&buffer)?.saturating_add(offset);
                Some((memory, Range::new(start, size)))
            }
            Place::Image(image) => {
                let memory = self.images.get(&image)?.memory?;
                let bound = self.memories.get(&memory)?.images.iter().find(|(_, of)| *of == image)?.0;
                Some((memory, Range::new(bound, 1)))
            }
        }
    }

    /// A signal, by either API, covers what was written before it.
    pub fn hand_over_signal(&mut self, semaphore: u32, value: u64) {
        for memory in self.memories.values_mut() {
            for write in memory.hand_over.writes() {
                write.signals.push((semaphore, value));
            }
        }
    }

    /// A wait covers the writes of the other API before the signals that it waits for.
    pub fn hand_over_wait(&mut self, semaphore: u32, value: u64, is_cuda: bool) {
        let is_timeline = self.semaphores.get(&semaphore).is_some_and(|semaphore| semaphore.is_timeline);
        let covers = |write: &Write| {
            write.signals.iter().any(|(of, at)| *of == semaphore && (!is_timeline || *at <= value))
        };
        for memory in self.memories.values_mut() {
            let writes = if is_cuda { &mut memory.hand_over.vulkan } else { &mut memory.hand_over.cuda };
            writes.retain(|write| !covers(write));
        }
    }

    /// The host waited for work of one API.
    pub fn hand_over_host(&mut self, is_cuda: bool) {
        for memory in self.memories.values_mut() {
            if is_cuda { memory.hand_over.cuda.clear() } else { memory.hand_over.vulkan.clear() }
        }
    }
}

/// The problems that a use finds, with the calls that show them.
fn problems(
    writes: &[Write],
    range: Range,
    unmoved: &[(Range, Site)],
    words: [&str; 3],
) -> Vec<(String, Site)> {
    let [nothing, no_wait, not_moved] = words;
    let mut found = Vec::new();
    if let Some(write) = writes.iter().find(|write| write.range.overlaps(range)) {
        let text = if write.signals.is_empty() { nothing } else { no_wait };
        found.push((text.to_owned(), write.site.clone()));
    } else if let Some((_, site)) = unmoved.iter().find(|(of, _)| of.overlaps(range)) {
        found.push((not_moved.to_owned(), site.clone()));
    }
    found
}

/// A call of CUDA that copies or fills, of which the first place is written. Its first byte stands for what it touches.
pub fn used_by_cuda(call: &'static str, touched: &[Touched], is_done: bool) {
    // A surface or texture object that is made reads and writes nothing yet.
    let is_transfer = call.starts_with("cuMem");
    if !is_transfer || !super::has_exports() || !state().reports(Rule::HandOver) {
        return;
    }
    let site = Site::here(call);
    let mut state = state();
    for (at, touched) in touched.iter().enumerate() {
        let (found, address) = match *touched {
            Touched::Nothing => continue,
            Touched::Address(address) => (state.objects.by_address(address), address),
            Touched::Array(array) => (state.objects.by_level(array), 0),
            Touched::Mipmapped(array) => (state.objects.by_handle(array), 0),
        };
        if let Found::Alive(number) = found {
            // A copy to the host writes nothing here.
            let is_write = at == 0 && !call.contains("toH");
            state.hand_over_cuda(&site, number, address, is_write);
        }
    }
    // The host waits for the copy, and for what is before it in the default stream.
    if is_done && !call.starts_with("cuMemset") {
        state.vulkan.hand_over_host(true);
    }
}

/// The host waited for work of CUDA.
pub fn host_waited(code: CUresult) -> CUresult {
    if super::has_exports() && code == CUDA_SUCCESS {
        state().vulkan.hand_over_host(true);
    }
    code
}

fn keep<T>(list: &mut Vec<T>, new: T) {
    if list.len() == KEPT {
        list.remove(0);
    }
    list.push(new);
}

impl State {
    /// CUDA reads or writes a range of a mapping. A mapped array is used from its beginning.
    pub fn hand_over_cuda(&mut self, site: &Site, mapping: u32, address: u64, is_write: bool) {
        let Some(object) = self.objects.get(mapping) else { return };
        let (is_array, import) = (object.kind == Kind::Array, object.import);
        let start = object.offset.saturating_add(if is_array { 0 } else { address - object.handle });
        let range = Range::new(start, 1);
        let Some(Shared::Memory(number)) = self.vulkan.imports.get(&import).copied() else { return };
        let has_layout =
            !is_array || self.vulkan.image_at(number, start).0.is_none_or(|image| image.has_layout);
        let Some(memory) = self.vulkan.memories.get_mut(&number) else { return };
        let memory = &mut memory.hand_over;
        let words = [
            "Vulkan wrote it, and no semaphore was signaled since.",
            "Vulkan wrote it, and CUDA waits for no semaphore that was signaled since.",
            "Vulkan wrote it and did not release it to VK_QUEUE_FAMILY_EXTERNAL.",
        ];
        let mut found = problems(&memory.vulkan, range, &memory.unreleased, words);
        memory.vulkan.retain(|write| !write.range.overlaps(range));
        memory.unreleased.retain(|(of, _)| !of.overlaps(range));
        if is_write {
            keep(&mut memory.cuda, Write { range, site: site.clone(), signals: Vec::new() });
            keep(&mut memory.unacquired, (range, site.clone()));
        }
        if !has_layout && found.is_empty() {
            let text = "No submitted barrier moved the image out of VK_IMAGE_LAYOUT_UNDEFINED.".to_owned();
            found.push((text, site.clone()));
        }
        for (text, other) in found {
            let title = format!("The other call, {}:", other.call);
            self.report(Finding::new(Rule::HandOver, site.call, text).about(mapping).with(title, other));
        }
    }

    /// Vulkan's queue gets a command buffer, after the waits of its submission.
    pub fn hand_over_vulkan(&mut self, site: &Site, commands: u64) {
        let Some(commands) = self.vulkan.hand_over.commands.get(&commands).cloned() else { return };
        for command in commands {
            let (Command::Read(place)
            | Command::Write(place)
            | Command::Acquire(place)
            | Command::Release(place)) = command
            else {
                if let Command::Layout(image) = command {
                    self.vulkan.images.get_mut(&image).into_iter().for_each(|image| image.has_layout = true);
                }
                continue;
            };
            let Some((number, range)) = self.vulkan.place(place) else { continue };
            let Some(memory) = self.vulkan.memories.get_mut(&number) else { continue };
            let memory = &mut memory.hand_over;
            let is_write = matches!(command, Command::Write(_));
            let mut found = Vec::new();
            match command {
                Command::Acquire(_) => memory.unacquired.retain(|(of, _)| !of.overlaps(range)),
                Command::Release(_) => memory.unreleased.retain(|(of, _)| !of.overlaps(range)),
                _ => {
                    let words = [
                        "CUDA wrote it, and no semaphore was signaled since.",
                        "CUDA wrote it, and Vulkan waits for no semaphore that was signaled since.",
                        "CUDA wrote it, and Vulkan did not acquire it from VK_QUEUE_FAMILY_EXTERNAL.",
                    ];
                    // What is overwritten need not be acquired.
                    let unacquired = if is_write { &[] } else { memory.unacquired.as_slice() };
                    found = problems(&memory.cuda, range, unacquired, words);
                    memory.cuda.retain(|write| !write.range.overlaps(range));
                    memory.unacquired.retain(|(of, _)| !of.overlaps(range));
                    if is_write {
                        keep(&mut memory.vulkan, Write { range, site: site.clone(), signals: Vec::new() });
                        keep(&mut memory.unreleased, (range, site.clone()));
                    }
                }
            }
            for (text, other) in found {
                let title = format!("The other call, {}:", other.call);
                let import =
                    self.vulkan.memories.get(&number).and_then(|memory| memory.imports.first().copied());
                let finding = Finding::new(Rule::HandOver, site.call, text).with(title, other);
                self.report(import.into_iter().fold(finding, Finding::about));
            }
        }
    }
}
