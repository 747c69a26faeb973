//! The calls that a random program is made of.

use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::os::fd::{IntoRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::ptr::{null, null_mut};

use cuda_external_sys::*;
use interop::Result;
use interop::vulkan::Semaphore;

use crate::case::{answer, begin};
use crate::gpu::{cuda, vulkan};
use crate::groups::shared::{Exported, Exporter, SIZE, array_2d, idle, signal, wait};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ word >> 31) % end as u64) as usize
    }

    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    /// Returns the right value, and a wrong one in one of `rarity` cases.
    fn mostly<T: Copy>(&mut self, right: T, rarity: usize, wrong: &[T]) -> T {
        if self.below(rarity) == 0 { self.of(wrong) } else { right }
    }
}

/// What was created, and whether it still lives.
struct Pool<T>(Vec<(T, bool)>);

impl<T: Copy> Pool<T> {
    fn add(&mut self, code: CUresult, created: T) -> String {
        if code == CUDA_SUCCESS {
            self.0.push((created, true));
        }
        code.0.to_string()
    }

    /// Returns one that lives, rarely another one. `None` where none lives.
    fn pick(&mut self, random: &mut Random) -> Option<(usize, T)> {
        let dead = random.below(60) == 0;
        let found: Vec<usize> = (0..self.0.len()).filter(|index| dead || self.0[*index].1).collect();
        (!found.is_empty()).then(|| random.of(&found)).map(|index| (index, self.0[index].0))
    }

    fn live(&self) -> Vec<T> {
        self.0.iter().filter_map(|(one, lives)| lives.then_some(*one)).collect()
    }

    /// Returns an error of the function, or success.
    fn end_all(&mut self, end: impl Fn(T) -> CUresult) -> CUresult {
        let codes = self.live().into_iter().map(end);
        codes.fold(CUDA_SUCCESS, |all, code| if code == CUDA_SUCCESS { all } else { code })
    }

    fn end(&mut self, index: usize, code: CUresult) -> String {
        self.0[index].1 &= code != CUDA_SUCCESS;
        code.0.to_string()
    }
}

/// A semaphore of Vulkan: the value of the last signal that was enqueued.
struct Shared {
    semaphore: ManuallyDrop<Semaphore<'static>>,
    value: u64,
}

macro_rules! program {
    ($($pool:ident: $type:ty),*) => {
        struct Program {
            random: Random,
            memory: Vec<&'static Exported>,
            /// A binary semaphore and a timeline.
            shared: [Shared; 2],
            $($pool: Pool<$type>),*
        }
        impl Program {
            fn new(random: Random, memory: Vec<&'static Exported>, shared: [Shared; 2]) -> Self {
                Self { random, memory, shared, $($pool: Pool(Vec::new())),* }
            }
        }
    };
}
program! {
    imports: (CUexternalMemory, bool), mappings: (CUdeviceptr, bool), mipmaps: CUmipmappedArray, arrays: CUarray,
    semaphores: (CUexternalSemaphore, Option<usize>), streams: CUstream, events: CUevent, graphs: CUgraph,
    executables: CUgraphExec, own: CUdeviceptr, host: *mut c_void, allocations: CUmemGenericAllocationHandle,
    reserved: CUdeviceptr, surfaces: CUsurfObject
}

/// Says what is called, and calls it. `None` where the program has not created what it needs.
type Call = fn(&mut Program) -> Option<String>;

fn say(what: String) {
    begin(&what).expect("stdout is a file");
}

/// Picks one of a pool, and returns `None` where it is empty.
macro_rules! pick {
    ($program:ident.$pool:ident) => {
        $program.$pool.pick(&mut $program.random)?
    };
}

const CALLS: &[(usize, Call)] = &[
    (9, |p| {
        let source = p.random.of(&[0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 6]);
        let type_ = p.random.mostly(1, 8, &[0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 77]);
        let size = p.random.mostly(SIZE, 4, &[0, 1, 4096, 65536, SIZE + 1, SIZE * 2, 1 << 60, u64::MAX]);
        let flags = p.random.mostly(u32::from(source == 2), 8, &[0, 1, 2, 1 << 31]);
        let fd: OwnedFd = match source {
            0..=2 => p.memory[source].fd(),
            3 | 4 => p.shared[source - 3].semaphore.export(),
            5 => std::fs::File::open("/dev/null").map(Into::into).map_err(Into::into),
            _ => UnixStream::pair().map(|(one, _)| one.into()).map_err(Into::into),
        }
        .ok()?;
        say(format!("import memory {source} type {type_} size {size} flags {flags}"));
        let type_ = CUexternalMemoryHandleType(type_);
        let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { type_, size, flags, ..Default::default() };
        desc.handle.fd = fd.into_raw_fd();
        let (mut memory, fd) = (null_mut(), unsafe { desc.handle.fd });
        let code = unsafe { cuImportExternalMemory(&mut memory, &desc) };
        Some(p.imports.add(code, (memory, source < 3)) + of_descriptor(fd))
    }),
    (9, |p| {
        let (index, (memory, usable)) = pick!(p.imports);
        let offset = p.random.mostly(0, 4, &[1, 4096, 65536, SIZE / 2, SIZE, u64::MAX - 4095]);
        let size = p.random.mostly(4096, 2, &[0, 1, 65536, SIZE / 2, SIZE, SIZE, SIZE + 1, 1 << 40, 8192]);
        let flags = p.random.mostly(0, 20, &[1, 1 << 31]);
        say(format!("map {index} offset {offset} size {size} flags {flags}"));
        let (mut address, reserved) = (0, [0; 16]);
        let desc = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset, size, flags, reserved };
        let code = unsafe { cuExternalMemoryGetMappedBuffer(&mut address, memory, &desc) };
        Some(p.mappings.add(code, (address, usable && size >= 4096)))
    }),
    (8, |p| {
        let (index, (memory, _)) = pick!(p.imports);
        let format = p.random.of(&[1, 1, 2, 3, 8, 9, 10, 16, 32, 32, 0xc0, 0xc2, 0xc8, 0x50, 0x7f]);
        let channels = p.random.mostly(4, 4, &[1, 2, 3, 0]);
        let mut array = array_2d(0, 0, (CUarray_format(format), channels));
        (array.Width, array.Height) =
            (p.random.mostly(64, 4, &[0, 1, 100, 4096]), p.random.mostly(64, 3, &[0, 1, 100, 4096]));
        (array.Depth, array.Flags) = (
            p.random.mostly(0, 4, &[1, 4, 6]),
            p.random.of(&[0, 0, 2, 2, 1, 3, 4, 5, 8, 16, 32, 34, 64, 128, 1 << 31]),
        );
        let offset = p.random.mostly(0, 5, &[1, 512, 65536, SIZE]);
        let levels = p.random.mostly(1, 4, &[0, 2, 7, 8]);
        say(format!("array in {index} offset {offset} levels {levels} {array:?}"));
        let desc = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
            offset,
            arrayDesc: array,
            numLevels: levels,
            ..Default::default()
        };
        let mut mipmap = null_mut();
        let code = unsafe { cuExternalMemoryGetMappedMipmappedArray(&mut mipmap, memory, &desc) };
        Some(p.mipmaps.add(code, mipmap))
    }),
    (4, |p| {
        let ((index, mipmap), level) = (pick!(p.mipmaps), p.random.mostly(0, 3, &[1, 6, 7]));
        say(format!("level {level} of {index}"));
        let (mut array, mut desc) = (null_mut(), CUDA_ARRAY3D_DESCRIPTOR::default());
        let code = unsafe { cuMipmappedArrayGetLevel(&mut array, mipmap, level) };
        let described = unsafe { cuArray3DGetDescriptor_v2(&mut desc, array) };
        Some(format!("{}, {}, {desc:?}", p.arrays.add(code, array), described.0))
    }),
    (4, |p| {
        let (index, array) = pick!(p.arrays);
        say(format!("surface of {index}"));
        let mut resource = CUDA_RESOURCE_DESC { resType: CU_RESOURCE_TYPE_ARRAY, ..Default::default() };
        resource.res.array.hArray = array;
        let mut surface = 0;
        let code = unsafe { cuSurfObjectCreate(&mut surface, &resource) };
        Some(p.surfaces.add(code, surface))
    }),
    (1, |p| {
        let (index, surface) = pick!(p.surfaces);
        say(format!("destroy surface {index}"));
        Some(p.surfaces.end(index, unsafe { cuSurfObjectDestroy(surface) }))
    }),
    (2, |p| {
        let (index, mipmap) = pick!(p.mipmaps);
        say(format!("destroy array {index}"));
        Some(p.mipmaps.end(index, unsafe { cuMipmappedArrayDestroy(mipmap) }))
    }),
    (3, |p| {
        let (index, (memory, _)) = pick!(p.imports);
        say(format!("destroy import {index}"));
        Some(p.imports.end(index, unsafe { cuDestroyExternalMemory(memory) }))
    }),
    (4, |p| {
        let ((index, (address, _)), inside) = (pick!(p.mappings), p.random.mostly(0, 20, &[64, 4096]));
        say(format!("free mapping {index} + {inside}"));
        Some(p.mappings.end(index, unsafe { cuMemFree_v2(address + inside) }))
    }),
    (7, |p| {
        // What is written is read again, in one stream.
        let ((index, (address, usable)), stream) = (pick!(p.mappings), p.streams.pick(&mut p.random));
        let (stream_index, stream) = stream.filter(|_| usable)?;
        let (size, value) = (p.random.of(&[0, 1, 64, 4096]), p.random.below(256) as u8);
        say(format!("fill {index} with {value} × {size} in stream {stream_index}, and read"));
        let mut byte = value;
        let fill = unsafe { cuMemsetD8Async(address, value, size, stream) };
        let end = idle(stream);
        let read = unsafe { cuMemcpyDtoH_v2((&raw mut byte).cast(), address, size.min(1)) };
        Some(format!(
            "{} {} {} {}",
            fill.0,
            end.0,
            read.0,
            byte == value || fill != CUDA_SUCCESS || end != CUDA_SUCCESS
        ))
    }),
    (6, |p| {
        let (source, flags) = (p.random.of(&[0, 1, 1]), p.random.mostly(0, 12, &[1, 1 << 31]));
        let type_ = p.random.mostly([1, 9][source], 8, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
        let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
            type_: CUexternalSemaphoreHandleType(type_),
            flags,
            ..Default::default()
        };
        desc.handle.fd = p.shared[source].semaphore.export().ok()?.into_raw_fd();
        say(format!("import semaphore {source} type {type_} flags {flags}"));
        let (mut semaphore, fd) = (null_mut(), unsafe { desc.handle.fd });
        let code = unsafe { cuImportExternalSemaphore(&mut semaphore, &desc) };
        let right = (type_ == [1, 9][source]).then_some(source);
        Some(p.semaphores.add(code, (semaphore, right)) + of_descriptor(fd))
    }),
    (8, |p| {
        let ((index, (semaphore, source)), stream) = (pick!(p.semaphores), pick!(p.streams));
        let shared = &mut p.shared[source?];
        // A binary semaphore is signaled and waited for in turns. Nobody waits for what nobody has enqueued.
        let is_signal = if source == Some(0) { shared.value % 2 == 0 } else { p.random.below(2) == 0 };
        let value = shared.value + u64::from(is_signal);
        say(format!(
            "{} {index} value {value} in stream {}",
            ["wait", "signal"][usize::from(is_signal)],
            stream.0
        ));
        let call = if is_signal { signal } else { wait };
        let code = call(semaphore, value, stream.1);
        if code == CUDA_SUCCESS && !is_capturing(stream.1) {
            shared.value += u64::from(is_signal || source == Some(0));
        }
        Some(format!("{} {}", code.0, idle(stream.1).0))
    }),
    (2, |p| {
        let (index, (semaphore, _)) = pick!(p.semaphores);
        say(format!("destroy semaphore {index}"));
        Some(p.semaphores.end(index, unsafe { cuDestroyExternalSemaphore(semaphore) }))
    }),
    (5, |p| {
        let flags = p.random.mostly(1, 3, &[0, 0, 0, 2, 3]);
        say(format!("stream {flags}"));
        let mut stream = null_mut();
        let code = unsafe { cuStreamCreate(&mut stream, flags) };
        Some(p.streams.add(code, stream))
    }),
    (1, |p| {
        let (index, stream) = pick!(p.streams);
        say(format!("destroy stream {index}"));
        Some(p.streams.end(index, unsafe { cuStreamDestroy_v2(stream) }))
    }),
    (3, |p| {
        let flags = p.random.of(&[0, 0, 1, 2, 2, 3, 4, 6, 8]);
        say(format!("event {flags}"));
        let mut event = null_mut();
        let code = unsafe { cuEventCreate(&mut event, flags) };
        Some(p.events.add(code, event))
    }),
    (4, |p| {
        let ((index, event), (stream_index, stream)) = (pick!(p.events), pick!(p.streams));
        say(format!("record {index} in stream {stream_index}, end, query"));
        let codes = unsafe { [cuEventRecord(event, stream), cuEventSynchronize(event), cuEventQuery(event)] };
        Some(format!("{:?}", codes.map(|code| code.0)))
    }),
    (4, |p| {
        let ((index, event), (stream_index, stream)) = (pick!(p.events), pick!(p.streams));
        let flags = p.random.mostly(0, 4, &[1, 2]);
        say(format!("stream {stream_index} waits for event {index}, flags {flags}"));
        Some(unsafe { cuStreamWaitEvent(stream, event, flags) }.0.to_string())
    }),
    (1, |p| {
        let (index, event) = pick!(p.events);
        say(format!("destroy event {index}"));
        Some(p.events.end(index, unsafe { cuEventDestroy_v2(event) }))
    }),
    (2, |p| {
        let ((index, stream), mode) = (pick!(p.streams), p.random.of(&[0, 1, 2, 2, 3]));
        say(format!("capture stream {index} mode {mode}"));
        Some(unsafe { cuStreamBeginCapture_v2(stream, CUstreamCaptureMode(mode)) }.0.to_string())
    }),
    (4, |p| {
        let (index, stream) = pick!(p.streams);
        let (mut graph, mut nodes) = (null_mut(), 0);
        say(format!("end of the capture of stream {index}"));
        let code = unsafe { cuStreamEndCapture(stream, &mut graph) };
        if !graph.is_null() {
            unsafe { cuGraphGetNodes(graph, null_mut(), &mut nodes) }.result().ok()?;
        }
        Some(format!("{} {nodes}", p.graphs.add(code, graph)))
    }),
    (2, |p| {
        let flags = p.random.mostly(0, 4, &[1]);
        say(format!("graph {flags}"));
        let mut graph = null_mut();
        let code = unsafe { cuGraphCreate(&mut graph, flags) };
        Some(p.graphs.add(code, graph))
    }),
    (4, |p| {
        // A wait node for 0 never waits; a signal node's value is the one that the timeline has.
        let ((index, graph), (of, (semaphore, source))) = (pick!(p.graphs), pick!(p.semaphores));
        source.filter(|source| *source == 1)?;
        say(format!("node of {of} in graph {index}"));
        let wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
        let params = CUDA_EXT_SEM_WAIT_NODE_PARAMS {
            extSemArray: &mut { semaphore },
            paramsArray: &wait,
            numExtSems: 1,
        };
        let code =
            unsafe { cuGraphAddExternalSemaphoresWaitNode(&mut null_mut(), graph, null(), 0, &params) };
        Some(code.0.to_string())
    }),
    (3, |p| {
        let ((index, graph), flags) = (pick!(p.graphs), p.random.mostly(0, 4, &[1, 2, 64, 4]));
        say(format!("instantiate {index} flags {flags}"));
        let mut executable = null_mut();
        let code = unsafe { cuGraphInstantiateWithFlags(&mut executable, graph, flags) };
        Some(p.executables.add(code, executable))
    }),
    (3, |p| {
        let ((index, executable), (stream_index, stream)) = (pick!(p.executables), pick!(p.streams));
        say(format!("launch {index} in stream {stream_index}"));
        let code = unsafe { cuGraphLaunch(executable, stream) };
        Some(format!("{} {}", code.0, idle(stream).0))
    }),
    (1, |p| {
        let (index, graph) = pick!(p.graphs);
        say(format!("destroy graph {index}"));
        Some(p.graphs.end(index, unsafe { cuGraphDestroy(graph) }))
    }),
    (4, |p| {
        let size = p.random.mostly(4096, 3, &[0, 1, 1 << 50, usize::MAX]);
        say(format!("allocate {size}"));
        let mut address = 0;
        let code = unsafe { cuMemAlloc_v2(&mut address, size) };
        Some(p.own.add(code, address))
    }),
    (2, |p| {
        let ((index, address), inside) = (pick!(p.own), p.random.mostly(0, 8, &[256]));
        say(format!("free {index} + {inside}"));
        Some(p.own.end(index, unsafe { cuMemFree_v2(address + inside) }))
    }),
    (2, |p| {
        let size = p.random.mostly(4096, 4, &[0, 1]);
        say(format!("allocate {size} of the host"));
        let mut address = null_mut();
        let code = unsafe { cuMemAllocHost_v2(&mut address, size) };
        Some(p.host.add(code, address))
    }),
    (1, |p| {
        let (index, address) = pick!(p.host);
        say(format!("free {index} of the host"));
        Some(p.host.end(index, unsafe { cuMemFreeHost(address) }))
    }),
    (3, |p| {
        let size = p.random.mostly(SIZE as usize, 3, &[0, 1, 4096, 3 << 20]);
        let [type_, handle] =
            [p.random.mostly(1, 6, &[0, 2, 3]), p.random.mostly(1, 3, &[0, 0, 2, 3, 8, 77])];
        let (location, id) = (p.random.mostly(1, 6, &[0, 2, 3, 9]), p.random.mostly(0, 4, &[99, -1]));
        say(format!("create {size} type {type_} handle {handle} location {location} device {id}"));
        let prop = CUmemAllocationProp {
            type_: CUmemAllocationType(type_),
            requestedHandleTypes: CUmemAllocationHandleType(handle),
            location: CUmemLocation { type_: CUmemLocationType(location), id },
            ..Default::default()
        };
        let mut allocation = 0;
        let code = unsafe { cuMemCreate(&mut allocation, size, &prop, 0) };
        Some(p.allocations.add(code, allocation))
    }),
    (2, |p| {
        let (size, alignment) =
            (p.random.mostly(SIZE as usize, 4, &[0, 4096]), p.random.mostly(0, 4, &[3, 4096, 4 << 20]));
        say(format!("reserve {size} alignment {alignment}"));
        let mut address = 0;
        let code = unsafe { cuMemAddressReserve(&mut address, size, alignment, 0, 0) };
        Some(p.reserved.add(code, address))
    }),
    (3, |p| {
        let ((index, address), (of, allocation)) = (pick!(p.reserved), pick!(p.allocations));
        let (size, offset) =
            (p.random.mostly(SIZE as usize, 5, &[0, 4096]), p.random.mostly(0, 8, &[4096, SIZE as usize]));
        say(format!("map {size} of allocation {of} + {offset} at {index}"));
        Some(unsafe { cuMemMap(address, size, offset, allocation, 0) }.0.to_string())
    }),
    (2, |p| {
        let ((index, address), unmap) = (pick!(p.reserved), p.random.below(2) == 0);
        say(format!("{} {index}", if unmap { "unmap" } else { "free reserved" }));
        let end = if unmap { cuMemUnmap } else { cuMemAddressFree };
        let code = unsafe { end(address, SIZE as usize) };
        Some(if unmap { code.0.to_string() } else { p.reserved.end(index, code) })
    }),
    (2, |p| {
        let (index, allocation) = pick!(p.allocations);
        say(format!("release {index}"));
        Some(p.allocations.end(index, unsafe { cuMemRelease(allocation) }))
    }),
    (2, |p| {
        let ((index, (address, _)), inside) = (pick!(p.mappings), p.random.mostly(100, 3, &[1, 64]));
        say(format!("range of mapping {index} + {inside}"));
        let (mut start, mut size) = (address + inside, 0);
        let code = unsafe { cuMemGetAddressRange_v2(&mut start, &mut size, address + inside) };
        let range = (code == CUDA_SUCCESS).then(|| address.wrapping_sub(start) as i64);
        Some(format!("{} {range:?}", code.0))
    }),
    (1, |_| {
        say("synchronize".to_owned());
        Some(unsafe { cuCtxSynchronize() }.0.to_string())
    }),
];

fn of_descriptor(fd: i32) -> &'static str {
    // SAFETY: only asks for flags.
    if unsafe { libc::fcntl(fd, libc::F_GETFD) } == -1 { ", closed" } else { ", open" }
}

fn is_capturing(stream: CUstream) -> bool {
    let mut status = CU_STREAM_CAPTURE_STATUS_NONE;
    let code = unsafe { cuStreamIsCapturing(stream, &mut status) };
    code != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_NONE
}

/// Runs programs in this process, until the driver has an error that stays.
pub fn run(programs: Range<u64>) -> Result<()> {
    let memory = [Exporter::CUDA, Exporter::VULKAN, Exporter::DEDICATED].map(|exporter| exporter.leak(SIZE));
    let memory = memory.into_iter().collect::<Result<Vec<_>>>()?;
    for number in programs {
        answer(format!("program {number} "));
        let vulkan = vulkan(0)?;
        let semaphores = [Semaphore::binary(vulkan)?, Semaphore::timeline(vulkan, 0)?];
        let shared = semaphores.map(|semaphore| Shared { semaphore: ManuallyDrop::new(semaphore), value: 0 });
        let mut program = Program::new(Random(number), memory.clone(), shared);
        program.run()?;
        if !program.clean() {
            return Ok(());
        }
    }
    Ok(())
}

impl Program {
    fn run(&mut self) -> Result<()> {
        let weights = CALLS.iter().map(|(weight, _)| weight).sum();
        let length = 20 + self.random.below(26);
        let (mut made, mut tried) = (0, 0);
        while made < length && tried < 1000 {
            tried += 1;
            let mut at = self.random.below(weights);
            let call =
                CALLS.iter().find(|(weight, _)| at.checked_sub(*weight).map(|rest| at = rest).is_none());
            let is_left = self.random.below(25) == 0;
            if is_left {
                unsafe { cuCtxSetCurrent(null_mut()) }.result()?;
                say("without a context: ".to_owned());
            }
            if let Some(result) = call.and_then(|(_, call)| call(self)) {
                made += 1;
                answer(result);
            } else if is_left {
                answer("nothing");
            }
            if is_left {
                cuda(0)?;
            }
        }
        Ok(())
    }

    /// Ends what lives. Returns whether the context works.
    fn clean(&mut self) -> bool {
        let mut graph = null_mut();
        unsafe {
            for stream in self.streams.live() {
                let _ = cuStreamEndCapture(stream, &mut graph);
            }
            let codes = [
                self.executables.end_all(|executable| cuGraphExecDestroy(executable)),
                self.graphs.end_all(|graph| cuGraphDestroy(graph)),
                self.surfaces.end_all(|surface| cuSurfObjectDestroy(surface)),
                self.mipmaps.end_all(|mipmap| cuMipmappedArrayDestroy(mipmap)),
                self.mappings.end_all(|(address, _)| cuMemFree_v2(address)),
                self.imports.end_all(|(import, _)| cuDestroyExternalMemory(import)),
                self.semaphores.end_all(|(semaphore, _)| cuDestroyExternalSemaphore(semaphore)),
                self.events.end_all(|event| cuEventDestroy_v2(event)),
                self.streams.end_all(|stream| cuStreamDestroy_v2(stream)),
                self.own.end_all(|address| cuMemFree_v2(address)),
                self.host.end_all(|address| cuMemFreeHost(address)),
                cuCtxSynchronize(),
            ];
            codes.iter().all(|code| *code == CUDA_SUCCESS)
        }
    }
}
