//! The jobs: each method sets a job up, measures it, checks its bytes and tears it down.

use std::ffi::{CStr, c_uint};
use std::os::fd::AsRawFd;
use std::ptr;
use std::time::Instant;

use ash::vk;
use cuda_external_sys::*;

use crate::harness::{Bench, Unit};
use crate::work::{self, Job, Work};
use interop::Result;
use interop::bytes::pattern;
use interop::cuda::{self, DeviceMemory};
use interop::shared::{SharedBuffer, SharedImage, SharedSemaphore};
use interop::vulkan::{Buffer, Image, Kind, Memory, Placement, Prepared, Shape, Vulkan};
use test_support::bench::Summary;

const MIB: u64 = 1 << 20;

// SAFETY, of every call here: the pointers are to variables of the right type, and what a method
// makes lives until its end.

impl Bench {
    /// Import, map, unmap and destroy, and what each step takes of it. The memory is Vulkan's: on a host with two H200s
    /// and driver 580.159 an import of CUDA's own memory ends the process from 512 MiB on.
    pub fn imports(&self, vulkan: &Vulkan) -> Result<()> {
        for size in [2 * MIB, 1024 * MIB] {
            let (_buffer, memory) = Buffer::with_memory(vulkan, size, false)?;
            // The job duplicates the descriptor, since an import takes it.
            let fd = memory.export()?;
            let mut work = Work { fd: fd.as_raw_fd(), size, ..self.empty() };
            let name = format!("import, map, unmap, destroy {} MiB", size / MIB);
            self.compare(&name, c"import", work::import, &mut work, 100, Unit::Time)?;
            self.steps(&memory)?;
        }
        Ok(())
    }

    fn steps(&self, exported: &Memory) -> Result<()> {
        let mut times = [const { Vec::new() }; 4];
        for _ in 0..self.rounds {
            let fd = exported.export()?;
            let start = Instant::now();
            let memory = cuda::import_memory(fd, exported.size, false)?;
            let imported = start.elapsed();
            let address = cuda::map_buffer(memory, 0, exported.size)?;
            let mapped = start.elapsed();
            unsafe { cuMemFree_v2(address) }.result()?;
            let unmapped = start.elapsed();
            unsafe { cuDestroyExternalMemory(memory) }.result()?;
            let steps = [imported, mapped - imported, unmapped - mapped, start.elapsed() - unmapped];
            times.iter_mut().zip(steps).for_each(|(its, step)| its.push(step.as_secs_f64() * 1e6));
        }
        let [import, map, unmap, destroy] = times.map(|its| Summary::of(its).median);
        println!("  us: import {import:.1}, map {map:.1}, unmap {unmap:.1}, destroy {destroy:.1}");
        Ok(())
    }

    /// Copies within imported memory, and within memory of cuMemAlloc.
    pub fn copies(&self, vulkan: &Vulkan) -> Result<()> {
        let size = 512 * MIB;
        let imported = SharedBuffer::new(vulkan, 2 * size, false)?;
        let allocated = DeviceMemory::new(2 * size as usize)?;
        // Not zeros: copying those can be faster.
        let bytes = pattern(1, size as usize);
        let mut speeds = Vec::new();
        for (name, from) in [("imported", imported.address), ("cuMemAlloc", allocated.address)] {
            cuda::write(from, &bytes)?;
            unsafe { cuMemsetD8_v2(from + size, 0xAA, size as usize) }.result()?;
            let mut work = Work { from, to: from + size, size, ..self.empty() };
            let name = format!("copy 512 MiB within {name} memory");
            let unit = Unit::Bytes(2 * size);
            speeds.push(self.compare(&name, c"copy", work::copy, &mut work, 40, unit)?);
            assert!(cuda::read(work.to, size as usize)? == bytes, "{name}: the copy is the original");
        }
        println!(
            "  imported memory's time over cuMemAlloc's: {:.3}",
            Summary::of_ratios(&speeds[0], &speeds[1])
        );
        Ok(())
    }

    /// Every level of a Vulkan image that CUDA has mapped, from linear memory and back.
    pub fn images(&self, vulkan: &Vulkan) -> Result<()> {
        let (side, levels, texel) = (4096, 3, 16);
        let usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        let extent = vk::Extent3D { width: side, height: side, depth: 1 };
        let shape = Shape { view: vk::ImageViewType::TYPE_2D, extent, layers: 1, levels };
        let image = Image::new(vulkan, shape, vk::Format::R32G32B32A32_SFLOAT, usage, Placement::OwnMemory)?;
        let desc = CUDA_ARRAY3D_DESCRIPTOR {
            Width: side as usize,
            Height: side as usize,
            Format: CU_AD_FORMAT_FLOAT,
            NumChannels: 4,
            ..Default::default()
        };
        let size = (0..levels).map(|level| image.level_size(level)).sum::<usize>();
        let shared = SharedImage::map(image, desc)?;
        let linear = DeviceMemory::new(2 * size)?;
        let bytes = pattern(1, size);
        cuda::write(linear.address, &bytes)?;
        let mut work = Work {
            from: linear.address,
            to: linear.address + size as u64,
            levels,
            width: side,
            height: side,
            texel,
            ..self.empty()
        };
        let mut own = ptr::null_mut();
        unsafe { cuMipmappedArrayCreate(&mut own, &desc, levels).result() }?;
        let mut times = Vec::new();
        for (name, image) in [("Vulkan's", shared.mipmap), ("CUDA's own", own)] {
            work.image = image;
            unsafe { cuMemsetD8_v2(work.to, 0xAA, size) }.result()?;
            let name = format!("{name} image, {side} x {side} RGBA32F, {levels} levels, there and back");
            let unit = Unit::Bytes(4 * size as u64);
            times.push(self.compare(&name, c"copy_image", work::copy_image, &mut work, 10, unit)?);
            assert!(cuda::read(work.to, size)? == bytes, "{name} gives back what it got");
        }
        println!("  Vulkan's time over CUDA's own: {:.3}", Summary::of_ratios(&times[0], &times[1]));
        Ok(unsafe { cuMipmappedArrayDestroy(own) }.result()?)
    }

    /// From CUDA to Vulkan and back: each seen by the CPU before the next, and all in a queue.
    pub fn hand_overs(&self, vulkan: &Vulkan) -> Result<()> {
        // On a transfer queue a hand-over takes microseconds, so that a difference between the languages is visible.
        let queue = vulkan.transfer_queue().unwrap_or(vulkan.queue());
        for kind in [Kind::Binary, Kind::Timeline] {
            let to_vulkan = SharedSemaphore::new(vulkan, kind)?;
            let to_cuda = SharedSemaphore::new(vulkan, kind)?;
            let mut value = 0_u64;
            let value: *mut u64 = &mut value;
            // The job writes the value, and the driver reads it, between two uses of it.
            let submission = Prepared::new((to_vulkan.vulkan.raw, value), None, (to_cuda.vulkan.raw, value));
            let mut work = Work {
                to_vulkan: to_vulkan.cuda.raw(),
                to_cuda: to_cuda.cuda.raw(),
                submit: Some(vulkan.device.fp_v1_0().queue_submit),
                queue: queue.raw,
                submission: submission.info().cast(),
                value,
                ..self.empty()
            };
            let jobs: [(&str, &CStr, Job); 3] = [
                ("CUDA to Vulkan to CUDA, seen by the CPU", c"hand_over_and_see", work::hand_over_and_see),
                ("CUDA to Vulkan to CUDA, 200 in a queue", c"hand_over_all", work::hand_over_all),
                ("CUDA to itself, 200 in a queue", c"signal_and_wait", work::signal_and_wait),
            ];
            for (job, c, rust) in jobs {
                let name = format!("{} semaphore, {job}", kind.name());
                self.compare(&name, c, rust, &mut work, 200, Unit::Time)?;
            }
            unsafe { vulkan.device.queue_wait_idle(queue.raw) }?;
        }
        Ok(())
    }
}

cuda_external_sys::extern_driver! {
    /// Creates a mipmapped array of CUDA's own, which this crate does not bind.
    fn cuMipmappedArrayCreate(array: *mut CUmipmappedArray, desc: *const CUDA_ARRAY3D_DESCRIPTOR, levels: c_uint) -> CUresult;
}
