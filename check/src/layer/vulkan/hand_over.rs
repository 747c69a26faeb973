//! What each side did to shared memory, and whether the other side may use it: `--enable hand-over`.
//!
//! Its granularity is the submission. CUDA's side is the copies and fills that the check wraps, Vulkan's the transfer commands
//! and barriers of command buffers. What kernels and shaders touch is not seen. Where an order is possible that the check cannot
//! see, it assumes that order: a signal covers every earlier write, and any call by which the host waits covers them too.

use cuda_external_sys::{CUDA_SUCCESS, CUresult};

use crate::layer::call::Call;
use crate::layer::checked::reports;
use crate::layer::objects::{Found, Kind};
use crate::layer::report::Finding;
use crate::layer::site::Site;
use crate::layer::state::State;
use crate::layer::touched::Touched;
use crate::rules::Rule;

use super::accesses::{Api, Command, Extent, Range, Write};
use super::records::{self, Vulkan, What, has_exports};

impl Vulkan {
    fn range_of(&self, extent: Extent) -> Option<(u32, Range)> {
        match extent {
            Extent::Buffer(buffer, offset, size) => {
                let (memory, bound) = *self.buffers.get(&buffer)?;
                Some((memory, Range::new(bound.saturating_add(offset), size)))
            }
            Extent::Image(image) => {
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
pub fn used_by_cuda(call: &mut Call<'_>, touched: &[Touched], is_done: bool) {
    // A surface or texture object that is made reads and writes nothing yet.
    let is_transfer = call.name.starts_with("cuMem");
    if !is_transfer || !has_exports() || !reports(Rule::HandOver) {
        return;
    }
    let site = call.site();
    let mut state = call.state();
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
pub fn host_waited(call: &mut Call<'_>) -> CUresult {
    let code = call.driver();
    if has_exports() && code == CUDA_SUCCESS {
        call.state().vulkan.hand_over_host(Api::Cuda);
    }
    code
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
            let extent = match command {
                Command::Layout(image) => {
                    if let Some(image) = self.vulkan.images.get_mut(&image) {
                        image.has_layout = true;
                    }
                    continue;
                }
                Command::Read(extent) | Command::Write(extent) => extent,
                Command::Acquire(extent) | Command::Release(extent) => extent,
            };
            let Some((number, range)) = self.vulkan.range_of(extent) else { continue };
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
