//! Every way by which Vulkan's queue uses memory: with a wait it is right, and without one it is found.

use std::ptr::null_mut;
use std::thread;

use ash::vk;
use cuda_external_check::rules::Rule;
use cuda_external_sys::*;
use example_support::Result;
use example_support::cuda::{Cuda, INCREASE_PTX, Stream};
use example_support::shared_resources::{SharedBuffer, SharedImage, SharedSemaphore};
use example_support::vulkan::{HostBuffer, ImageShape, SemaphoreKind, Submission, Vulkan};

use crate::drawing_objects::{FORMAT, Pipelines, SIDE};
use crate::two_sided_cases::Case;

const SIZE: u64 = 64 << 10;

/// The ways in which Vulkan uses the memory, with the names of their cases where the wait is left out.
macro_rules! ways {
    ($($way:ident $name:literal;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Way { $($way),* }
        use Way::*;

        const WAYS: &[Way] = &[$($way),*];

        fn without_a_wait() -> Vec<Case> {
            vec![$(Case::hand_over($name, |_, vulkan| use_by(vulkan, $way, false))),*]
        }
    };
}

ways! {
    Copy2 "copy2-without-a-wait";
    Dispatch "dispatch-without-a-wait";
    Template "template-without-a-wait";
    DynamicOffset "dynamic-offset-without-a-wait";
    DispatchWrites "dispatch-that-writes-without-a-wait";
    IndirectDispatch "indirect-dispatch-without-a-wait";
    Vertices "vertices-without-a-wait";
    Indices "indices-without-a-wait";
    IndirectDraw "indirect-draw-without-a-wait";
    Sampled "sampled-without-a-wait";
    Blit2 "blit2-without-a-wait";
    Rendering "rendering-without-a-wait";
    RenderPass "render-pass-without-a-wait";
    Secondary "secondary-without-a-wait";
    SecondQueue "second-queue-without-a-wait";
}

pub fn all() -> Vec<Case> {
    let mut all = without_a_wait();
    all.extend([
        Case::correct("every-way-with-a-wait", |_, vulkan| {
            WAYS.iter().try_for_each(|way| use_by(vulkan, *way, true))
        }),
        Case::correct("images-in-flight", |_, vulkan| images_in_flight(vulkan, true)),
        Case {
            name: "images-in-flight-too-early",
            ..Case::breaks(Rule::WrittenTooEarly, |_, vulkan| images_in_flight(vulkan, false))
        },
        Case::correct("frames-of-threads", frames_of_threads),
        Case::correct("kernel-behind-a-wait", |_, vulkan| kernel(vulkan, true)),
        Case::hand_over("kernel-without-a-wait", |_, vulkan| kernel(vulkan, false)),
        Case::correct("ring-in-one-buffer", ring_in_one_buffer),
    ]);
    all
}

// SAFETY, of the calls below: handles are alive, and buffers live until the last submission is done.

/// What both APIs have of one way.
struct Shared<'v> {
    vulkan: &'v Vulkan,
    pipelines: Pipelines<'v>,
    buffer: SharedBuffer<'v>,
    image: SharedImage<'v>,
    /// CUDA signals how often it has written, Vulkan how often it has read.
    written: SharedSemaphore<'v>,
    read: SharedSemaphore<'v>,
    stream: Stream,
    host: HostBuffer<'v>,
}

impl<'v> Shared<'v> {
    fn new(vulkan: &'v Vulkan) -> Result<Self> {
        let extent = vk::Extent3D { width: SIDE, height: SIDE, depth: 1 };
        let shape = ImageShape { view: vk::ImageViewType::TYPE_2D, extent, layers: 1, levels: 1 };
        let image = SharedImage::new(vulkan, shape, FORMAT, vk::ImageUsageFlags::COLOR_ATTACHMENT)?;
        let (buffer, host) = (SharedBuffer::new(vulkan, SIZE, false)?, HostBuffer::new(vulkan, SIZE)?);
        let timeline = || SharedSemaphore::new(vulkan, SemaphoreKind::Timeline);
        let (written, read) = (timeline()?, timeline()?);
        let pipelines = Pipelines::new(vulkan, buffer.buffer.raw, host.raw, image.image.raw)?;
        Ok(Self { vulkan, pipelines, buffer, image, written, read, stream: Stream::new()?, host })
    }

    /// CUDA fills the buffer with zeros, which are valid indices and arguments, and copies them to the image.
    fn fill(&self) -> Result<()> {
        self.stream.fill(self.buffer.address, 0, SIZE as usize)?;
        let copy = CUDA_MEMCPY2D {
            srcMemoryType: CU_MEMORYTYPE_DEVICE,
            srcDevice: self.buffer.address,
            srcPitch: 4 * SIDE as usize,
            dstMemoryType: CU_MEMORYTYPE_ARRAY,
            dstArray: self.image.level(0)?,
            WidthInBytes: 4 * SIDE as usize,
            Height: SIDE as usize,
            ..Default::default()
        };
        Ok(unsafe { cuMemcpy2DAsync(&copy, self.stream.raw()) }.result()?)
    }

    fn signal(&self, value: u64) -> Result<()> {
        self.stream.signal(&[(&self.written.cuda, value)])
    }

    fn wait(&self, value: u64) -> Result<()> {
        self.stream.wait(&[(&self.read.cuda, value)])
    }

    /// Vulkan takes both, uses one, and gives both back, in the last of the device's queues or in the first.
    fn uses(&self, way: Way, waits: Option<u64>, signals: u64) -> Result<Submission<'v>> {
        let waits = Vec::from_iter(waits.map(|value| (&self.written.vulkan, value)));
        let queue = if way == SecondQueue { self.vulkan.queues.last() } else { None };
        let queue = queue.unwrap_or(self.vulkan.queue());
        let signals = [(&self.read.vulkan, signals)];
        self.vulkan.submit_to(queue, &waits, &signals, |commands| {
            let own = [queue.family, vk::QUEUE_FAMILY_EXTERNAL];
            unsafe {
                self.pipelines.transfer(
                    commands,
                    self.buffer.buffer.raw,
                    self.image.image.raw,
                    [own[1], own[0]],
                );
                self.record(commands, way);
                self.pipelines.transfer(commands, self.buffer.buffer.raw, self.image.image.raw, own);
            }
        })
    }

    unsafe fn record(&self, commands: vk::CommandBuffer, way: Way) {
        let (device, own) = (&self.vulkan.device, &self.pipelines);
        let (buffer, image) = (self.buffer.buffer.raw, self.image.image.raw);
        unsafe {
            match way {
                Copy2 | SecondQueue => {
                    let region = [vk::BufferCopy2::default().size(SIZE)];
                    let info = vk::CopyBufferInfo2::default().src_buffer(buffer).dst_buffer(self.host.raw);
                    device.cmd_copy_buffer2(commands, &info.regions(&region));
                }
                Dispatch | Template | DynamicOffset | DispatchWrites => {
                    let set = match way {
                        Template => own.by_template,
                        DispatchWrites => own.to_shared,
                        _ => own.from_shared,
                    };
                    own.dispatch(commands, set, way == DynamicOffset);
                }
                IndirectDispatch => {
                    own.bind_compute(commands, own.nothing_shared, false);
                    device.cmd_dispatch_indirect(commands, buffer, 0);
                }
                Vertices => own.draw(commands, (buffer, false), || device.cmd_draw(commands, 3, 1, 0, 0)),
                Indices => own.draw(commands, (self.host.raw, false), || {
                    device.cmd_bind_index_buffer(commands, buffer, 0, vk::IndexType::UINT16);
                    device.cmd_draw_indexed(commands, 3, 1, 0, 0, 0);
                }),
                IndirectDraw => {
                    let draw = || device.cmd_draw_indirect(commands, buffer, 0, 1, 16);
                    own.draw(commands, (self.host.raw, false), draw);
                }
                Sampled => {
                    own.draw(commands, (self.host.raw, true), || device.cmd_draw(commands, 3, 1, 0, 0))
                }
                Blit2 => own.blit_to_target(commands, image),
                Rendering => own.load_by_rendering(commands),
                RenderPass => own.load_by_pass(commands),
                Secondary => {
                    own.by_secondary(commands, |commands| own.dispatch(commands, own.from_shared, false))
                }
            }
        }
    }
}

fn use_by(vulkan: &Vulkan, way: Way, waits: bool) -> Result<()> {
    let shared = Shared::new(vulkan)?;
    shared.fill()?;
    shared.signal(1)?;
    let used = shared.uses(way, waits.then_some(1), 1)?;
    shared.wait(1)?;
    shared.fill()?;
    shared.stream.synchronize()?;
    used.wait()
}

/// Three images in flight, which draws sample: CUDA writes one when Vulkan has drawn its last frame.
fn images_in_flight(vulkan: &Vulkan, waits: bool) -> Result<()> {
    let ring = [Shared::new(vulkan)?, Shared::new(vulkan)?, Shared::new(vulkan)?];
    let mut drawn: Vec<Submission<'_>> = Vec::new();
    for frame in 0..9 {
        let (shared, round) = (&ring[frame % 3], frame as u64 / 3);
        if round > 0 && waits {
            shared.wait(round)?;
        }
        shared.fill()?;
        shared.signal(round + 1)?;
        drawn.push(shared.uses(Sampled, Some(round + 1), round + 1)?);
    }
    drawn.into_iter().try_for_each(Submission::wait)?;
    ring.iter().try_for_each(|shared| shared.stream.synchronize())
}

/// CUDA's work of each frame is enqueued by a thread of its own.
fn frames_of_threads(cuda: &Cuda, vulkan: &Vulkan) -> Result<()> {
    struct Handles(CUdeviceptr, [CUexternalSemaphore; 2], CUstream);
    unsafe impl Send for Handles {} // numbers of the driver
    let shared = Shared::new(vulkan)?;
    for frame in 0..4 {
        let semaphores = [shared.read.cuda.raw(), shared.written.cuda.raw()];
        let handles = Handles(shared.buffer.address, semaphores, shared.stream.raw());
        let used = thread::scope(|scope| {
            let enqueued = scope.spawn(move || {
                let Handles(address, [read, written], stream) = { handles };
                let mut wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
                let mut signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
                (wait.params.fence.value, signal.params.fence.value) = (frame, frame + 1);
                cuda.make_current().expect("the context is alive");
                let codes = unsafe {
                    [
                        cuWaitExternalSemaphoresAsync(&read, &wait, 1, stream),
                        cuMemsetD8Async(address, 0, SIZE as usize, stream),
                        cuSignalExternalSemaphoresAsync(&written, &signal, 1, stream),
                    ]
                };
                assert_eq!(codes, [CUDA_SUCCESS; 3]);
            });
            let used = shared.uses(Dispatch, Some(frame + 1), frame + 1);
            enqueued.join().expect("the thread ends");
            used
        })?;
        if frame == 3 {
            used.wait()?;
        }
    }
    shared.stream.synchronize()
}

/// The kernel that adds a number to words.
fn increase() -> Result<(CUmodule, CUfunction)> {
    let (mut module, mut kernel) = (null_mut(), null_mut());
    unsafe {
        cuModuleLoadData(&mut module, INCREASE_PTX.as_ptr().cast()).result()?;
        cuModuleGetFunction(&mut kernel, module, c"increase".as_ptr()).result()?;
    }
    Ok((module, kernel))
}

fn launch(kernel: CUfunction, stream: &Stream, mut words: CUdeviceptr) -> Result<()> {
    let (mut count, mut by) = (64_u32, 1_u32);
    let mut arguments = [(&raw mut words).cast(), (&raw mut count).cast(), (&raw mut by).cast()];
    let (stream, arguments) = (stream.raw(), arguments.as_mut_ptr());
    Ok(unsafe { cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, stream, arguments, null_mut()) }.result()?)
}

/// A kernel writes, and a shader reads.
fn kernel(vulkan: &Vulkan, waits: bool) -> Result<()> {
    let (shared, (module, kernel)) = (Shared::new(vulkan)?, increase()?);
    launch(kernel, &shared.stream, shared.buffer.address)?;
    shared.signal(1)?;
    let used = shared.uses(Copy2, waits.then_some(1), 1)?;
    shared.wait(1)?;
    launch(kernel, &shared.stream, shared.buffer.address)?;
    shared.stream.synchronize()?;
    used.wait()?;
    Ok(unsafe { cuModuleUnload(module) }.result()?)
}

/// Three frames in one buffer: the kernel gets its beginning, and would know the frame by a number. Vulkan copies the frame.
fn ring_in_one_buffer(_: &Cuda, vulkan: &Vulkan) -> Result<()> {
    const FRAME: u64 = SIZE / 4;
    let (shared, (module, kernel)) = (Shared::new(vulkan)?, increase()?);
    let mut copied: Vec<Submission<'_>> = Vec::new();
    for frame in 0..6 {
        shared.wait((frame + 1_u64).saturating_sub(3))?;
        launch(kernel, &shared.stream, shared.buffer.address)?;
        shared.signal(frame + 1)?;
        let (waits, signals) = ([(&shared.written.vulkan, frame + 1)], [(&shared.read.vulkan, frame + 1)]);
        copied.push(vulkan.submit(&waits, &signals, |commands| {
            let offset = frame % 3 * FRAME;
            let region = vk::BufferCopy::default().src_offset(offset).dst_offset(offset).size(FRAME);
            shared.buffer.buffer.acquire(commands);
            let from = shared.buffer.buffer.raw;
            unsafe { vulkan.device.cmd_copy_buffer(commands, from, shared.host.raw, &[region]) };
            shared.buffer.buffer.release(commands);
        })?);
    }
    copied.into_iter().try_for_each(Submission::wait)?;
    shared.stream.synchronize()?;
    Ok(unsafe { cuModuleUnload(module) }.result()?)
}
