//! What each side did to shared memory, and whether the other side may use it: `--enable hand-over`.
//!
//! Its granularity is the submission. CUDA's side is the copies and fills that the check wraps, Vulkan's the transfer commands
//! and barriers of command buffers. What kernels and shaders touch is not seen. Where an order is possible that the check cannot
//! see, it assumes that order: a signal covers every earlier write, and any call by which the host waits covers them too.

use cuda_external_sys::{CUDA_SUCCESS, CUresult};

use crate::layer::call::{Call, Site};
use crate::layer::objects::{Found, Kind};
use crate::layer::report::Finding;
use crate::layer::state::{State, state};
use crate::layer::transfers::Touched;
use crate::rules::Rule;

use super::records::{self, Handle, Vulkan, What};

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

/// The two APIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    Cuda,
    Vulkan,
}

/// What an API wrote to one allocation.
#[derive(Default)]
struct Written {
    writes: Vec<Write>,
    /// What CUDA wrote and Vulkan did not acquire, or what Vulkan wrote and did not release.
    unmoved: Vec<(Range, Site)>,
}

/// What is known of one allocation, by the API that wrote.
#[derive(Default)]
pub struct Memory([Written; 2]);

impl Memory {
    /// Takes in that an API uses a range. Returns what is wrong with it, and the call that shows it.
    fn used(&mut self, by: Api, range: Range, is_write: bool, site: &Site) -> Option<(String, Site)> {
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
    fn moved(&mut self, written_by: Api, range: Range) {
        self.0[written_by as usize].unmoved.retain(|(of, _)| !of.overlaps(range));
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

impl Vulkan {
    fn place(&self, place: Place) -> Option<(u32, Range)> {
        match place {
            Place::Buffer(buffer, offset, size) => {
                let (memory, bound) = *self.buffers.get(&buffer)?;
                Some((memory, Range::new(bound.saturating_add(offset), size)))
            }
            Place::Image(image) => {
                let number = self.images.get(&image)?.memory?;
                let What::Memory(memory) = &self.get(number)?.what else { return None };
                let bound = memory.images.iter().find(|(_, of)| *of == image)?.0;
                Some((number, Range::new(bound, 1)))
            }
        }
    }

    /// A signal, by either API, covers what was written before it.
    pub fn hand_over_signal(&mut self, semaphore: u32, value: u64) {
        let sides = self.memories().flat_map(|memory| &mut memory.hand_over.0);
        sides.flat_map(|side| &mut side.writes).for_each(|write| write.signals.push((semaphore, value)));
    }

    /// A wait by one API covers the writes of the other one before the signals that it waits for.
    pub fn hand_over_wait(&mut self, by: Api, semaphore: u32, value: u64) {
        let is_timeline = self.semaphore(semaphore).is_some_and(|semaphore| semaphore.is_timeline);
        let covers = |write: &Write| {
            write.signals.iter().any(|(of, at)| *of == semaphore && (!is_timeline || *at <= value))
        };
        let other = 1 - by as usize;
        self.memories().for_each(|memory| memory.hand_over.0[other].writes.retain(|write| !covers(write)));
    }

    /// The host waited for work of one API.
    pub fn hand_over_host(&mut self, of: Api) {
        self.memories().for_each(|memory| memory.hand_over.0[of as usize].writes.clear());
    }
}

/// A call of CUDA that copies or fills, of which the first place is written. Its first byte stands for what it touches.
pub fn used_by_cuda(call: &Call<'_>, touched: &[Touched], is_done: bool) {
    // A surface or texture object that is made reads and writes nothing yet.
    let is_transfer = call.name.starts_with("cuMem");
    if !is_transfer || !super::has_exports() || !state().reports(Rule::HandOver) {
        return;
    }
    let site = call.site();
    let mut state = state();
    for (at, touched) in touched.iter().enumerate() {
        if let (Found::Alive(number), address) = touched.find(&state.objects) {
            // A copy to the host writes nothing here.
            let is_write = at == 0 && !call.name.contains("toH");
            state.hand_over_cuda(&site, number, address, is_write);
        }
    }
    // The host waits for the copy, and for what is before it in the default stream.
    if is_done && !call.name.starts_with("cuMemset") {
        state.vulkan.hand_over_host(Api::Cuda);
    }
}

/// The host waits for work of CUDA.
pub fn host_waited(call: &Call<'_>) -> CUresult {
    let code = call.driver();
    if super::has_exports() && code == CUDA_SUCCESS {
        state().vulkan.hand_over_host(Api::Cuda);
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
    fn hand_over_cuda(&mut self, site: &Site, mapping: u32, address: Option<u64>, is_write: bool) {
        let Some(object) = self.objects.get(mapping) else { return };
        let (is_array, import) = (object.about.kind() == Kind::Array, object.import);
        let inside = address.map_or(0, |address| address - object.handle);
        let start = object.about.offset().saturating_add(inside);
        let Some(number) = self.vulkan.imports.get(&import).copied() else { return };
        let image = self.vulkan.image_at(number, start).0.filter(|_| is_array);
        let has_layout = image.is_none_or(|image| image.has_layout);
        let Some(memory) = self.vulkan.memory(number) else { return };
        let mut problem = memory.hand_over.used(Api::Cuda, Range::new(start, 1), is_write, site);
        if !has_layout && problem.is_none() {
            let text = "No submitted barrier moved the image out of VK_IMAGE_LAYOUT_UNDEFINED.".to_owned();
            problem = Some((text, site.clone()));
        }
        if let Some((text, other)) = problem {
            let finding = Finding::new(Rule::HandOver, site.call, text).about(mapping);
            self.report(finding.with("The other call,", &other));
        }
    }

    /// Vulkan's queue gets a command buffer, after the waits of its submission.
    pub fn hand_over_vulkan(&mut self, site: &Site, commands: u64) {
        for command in self.vulkan.commands.get(&commands).cloned().unwrap_or_default() {
            let place = match command {
                Command::Layout(image) => {
                    self.vulkan.images.get_mut(&image).into_iter().for_each(|image| image.has_layout = true);
                    continue;
                }
                Command::Read(place) | Command::Write(place) => place,
                Command::Acquire(place) | Command::Release(place) => place,
            };
            let Some((number, range)) = self.vulkan.place(place) else { continue };
            let Some(records::Memory { hand_over, .. }) = self.vulkan.memory(number) else { continue };
            let problem = match command {
                Command::Acquire(_) => (hand_over.moved(Api::Cuda, range), None).1,
                Command::Release(_) => (hand_over.moved(Api::Vulkan, range), None).1,
                _ => hand_over.used(Api::Vulkan, range, matches!(command, Command::Write(_)), site),
            };
            if let Some((text, other)) = problem {
                let import = self.vulkan.get(number).and_then(|of| of.imports.first().copied());
                let finding = Finding::new(Rule::HandOver, site.call, text).with("The other call,", &other);
                self.report(import.into_iter().fold(finding, Finding::about));
            }
        }
    }
}
