//! Copies between memory of the host, memory of the device and arrays.

use std::ffi::c_void;
use std::ptr::with_exposed_provenance_mut;
use std::sync::Arc;

use cuda_external_sys::*;

use super::array::ARRAYS;
use super::call::{Answer, check, functions, given};
use super::ranges::{self, Keep};
use super::work::Work;
use super::{capture, context, stream};

/// Where one end of a copy begins, and its rows and slices.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place {
    pub start: u64,
    pub row: usize,
    pub slice: usize,
}

#[derive(Clone)]
pub struct Copy {
    from: Place,
    to: Place,
    /// The width is in bytes.
    extent: [usize; 3],
    _keep: Keep,
    /// What was read from the program's memory when the copy was enqueued.
    staged: Option<Arc<Vec<u8>>>,
}

impl Copy {
    fn linear(to: u64, from: u64, size: usize, keep: Keep) -> Self {
        let place = |start| Place { start, row: size, slice: size };
        Self { from: place(from), to: place(to), extent: [size, 1, 1], _keep: keep, staged: None }
    }

    pub fn run(&self) {
        let [width, height, depth] = self.extent;
        let staged = self.staged.as_ref().map(|bytes| bytes.as_ptr().expose_provenance());
        for (z, y) in (0..depth).flat_map(|z| (0..height).map(move |y| (z, y))) {
            let at = |place: &Place| place.start as usize + z * place.slice + y * place.row;
            let from = staged.map_or(at(&self.from), |start| start + (z * height + y) * width);
            let to = with_exposed_provenance_mut::<u8>(at(&self.to));
            // SAFETY: the range was checked when the copy was made, and is kept; the program's own memory is as it says.
            unsafe { to.copy_from(with_exposed_provenance_mut(from), width) };
        }
    }

    /// Reads the source now.
    fn stage(&mut self) {
        let mut bytes = vec![0; self.extent.iter().product()];
        let [width, height, _] = self.extent;
        let to =
            Place { start: bytes.as_mut_ptr().expose_provenance() as u64, row: width, slice: width * height };
        Self { to, staged: None, _keep: Keep::new(), ..*self }.run();
        self.staged = Some(Arc::new(bytes));
    }
}

/// A copy, and which of its ends are memory of the program that is not pinned.
struct Planned {
    copy: Copy,
    from_pageable: bool,
    to_pageable: bool,
}

impl Planned {
    /// Enqueues the copy. As in NVIDIA's driver, memory that is not pinned is read before the call returns, and written too.
    fn enqueue(mut self, stream: CUstream) -> Answer {
        let stream = stream::find(stream)?;
        let capturing = capture::is_capturing(&stream);
        if self.from_pageable && !capturing {
            self.copy.stage();
        }
        if self.to_pageable && !capturing {
            stream.enqueue_now(Work::Copy(self.copy))?.wait();
            return stream.context.usable();
        }
        stream.enqueue(Work::Copy(self.copy))
    }

    fn run(self) -> Answer {
        context::current()?.legacy().run(Work::Copy(self.copy))
    }
}

/// Returns what a copy keeps of the host's memory, and whether that is not pinned.
fn host(address: u64, size: usize) -> (Keep, bool) {
    let pinned = ranges::pinned(address, size as u64);
    let pageable = size > 0 && pinned.is_none();
    (pinned.unwrap_or_default(), pageable)
}

fn host_to_device(to: u64, from: *const c_void, size: usize) -> Answer<Planned> {
    context::current()?;
    let from = from.expose_provenance() as u64;
    check(size == 0 || from != 0, CUDA_ERROR_INVALID_VALUE)?;
    let (mut keep, from_pageable) = host(from, size);
    keep.extend(ranges::check_use(to, size as u64)?);
    Ok(Planned { copy: Copy::linear(to, from, size, keep), from_pageable, to_pageable: false })
}

fn device_to_host(to: *mut c_void, from: u64, size: usize) -> Answer<Planned> {
    context::current()?;
    let to = to.expose_provenance() as u64;
    check(size == 0 || to != 0, CUDA_ERROR_INVALID_VALUE)?;
    let (mut keep, to_pageable) = host(to, size);
    keep.extend(ranges::check_use(from, size as u64)?);
    Ok(Planned { copy: Copy::linear(to, from, size, keep), from_pageable: false, to_pageable })
}

fn device_to_device(to: u64, from: u64, size: usize) -> Answer<Planned> {
    context::current()?;
    let mut keep = ranges::check_use(from, size as u64)?;
    keep.extend(ranges::check_use(to, size as u64)?);
    Ok(Planned { copy: Copy::linear(to, from, size, keep), from_pageable: false, to_pageable: false })
}

/// One end of a 3D copy.
struct End {
    kind: CUmemorytype,
    host: *const c_void,
    device: CUdeviceptr,
    array: CUarray,
    pitch: usize,
    height: usize,
    at: [usize; 3],
    lod: usize,
}

impl End {
    /// Returns the place, what it keeps, and whether it is memory of the program that is not pinned.
    fn place(&self, extent: [usize; 3]) -> Answer<(Place, Keep, bool)> {
        let ([x, y, z], [width, height, depth]) = (self.at, extent);
        let invalid = CUDA_ERROR_INVALID_VALUE;
        check(self.lod == 0, invalid)?;
        let fits =
            |at: usize, count: usize, size: usize| at.checked_add(count).is_some_and(|end| end <= size);
        if self.kind == CU_MEMORYTYPE_ARRAY {
            let array = ARRAYS.find(self.array).or(CUDA_ERROR_INVALID_HANDLE)?;
            if array.misaligned {
                // The copy of a GPU fails, and with it the context.
                context::lose_current();
                return Err(CUDA_ERROR_LAUNCH_FAILED);
            }
            let [columns, rows, slices] = array.extent;
            let inside =
                fits(x, width, columns * array.texel) && fits(y, height, rows) && fits(z, depth, slices);
            check(inside, invalid)?;
            let start = array.place.start + (x + y * array.place.row + z * array.place.slice) as u64;
            return Ok((Place { start, ..array.place }, vec![array.mapping.clone()], false));
        }
        let row = if self.pitch == 0 { width } else { self.pitch };
        check(self.pitch == 0 || fits(x, width, row), invalid)?;
        let slice = row.checked_mul(if self.height == 0 { height } else { self.height }).ok_or(invalid)?;
        let first = x + y * row + z * slice;
        let length = (depth - 1) * slice + (height - 1) * row + width;
        let base = match self.kind {
            CU_MEMORYTYPE_HOST => self.host.expose_provenance() as u64,
            CU_MEMORYTYPE_DEVICE | CU_MEMORYTYPE_UNIFIED => self.device,
            _ => return Err(invalid),
        };
        check(base != 0, invalid)?;
        let start = base.checked_add(first as u64).ok_or(invalid)?;
        let place = Place { start, row, slice };
        if self.kind == CU_MEMORYTYPE_HOST {
            let (keep, pageable) = host(start, length);
            return Ok((place, keep, pageable));
        }
        Ok((place, ranges::check_use(start, length as u64)?, false))
    }
}

fn plan(c: &CUDA_MEMCPY3D) -> Answer<Planned> {
    context::current()?;
    let extent = [c.WidthInBytes, c.Height, c.Depth];
    if extent.contains(&0) {
        let copy =
            Copy { from: Place::default(), to: Place::default(), extent, _keep: Keep::new(), staged: None };
        return Ok(Planned { copy, from_pageable: false, to_pageable: false });
    }
    let from = End {
        kind: c.srcMemoryType,
        host: c.srcHost,
        device: c.srcDevice,
        array: c.srcArray,
        pitch: c.srcPitch,
        height: c.srcHeight,
        at: [c.srcXInBytes, c.srcY, c.srcZ],
        lod: c.srcLOD,
    };
    let to = End {
        kind: c.dstMemoryType,
        host: c.dstHost,
        device: c.dstDevice,
        array: c.dstArray,
        pitch: c.dstPitch,
        height: c.dstHeight,
        at: [c.dstXInBytes, c.dstY, c.dstZ],
        lod: c.dstLOD,
    };
    let (from, mut keep, from_pageable) = from.place(extent)?;
    let (to, kept, to_pageable) = to.place(extent)?;
    keep.extend(kept);
    Ok(Planned { copy: Copy { from, to, extent, _keep: keep, staged: None }, from_pageable, to_pageable })
}

/// The work of a graph's node.
pub fn node(copy: &CUDA_MEMCPY3D) -> Answer<Work> {
    Ok(Work::Copy(plan(copy)?.copy))
}

fn of_2d(c: &CUDA_MEMCPY2D) -> CUDA_MEMCPY3D {
    CUDA_MEMCPY3D {
        srcXInBytes: c.srcXInBytes,
        srcY: c.srcY,
        srcMemoryType: c.srcMemoryType,
        srcHost: c.srcHost,
        srcDevice: c.srcDevice,
        srcArray: c.srcArray,
        srcPitch: c.srcPitch,
        dstXInBytes: c.dstXInBytes,
        dstY: c.dstY,
        dstMemoryType: c.dstMemoryType,
        dstHost: c.dstHost,
        dstDevice: c.dstDevice,
        dstArray: c.dstArray,
        dstPitch: c.dstPitch,
        WidthInBytes: c.WidthInBytes,
        Height: c.Height,
        Depth: 1,
        ..Default::default()
    }
}

functions! {
    Init fn cuMemcpy: PFN_cuMemcpy, (to: CUdeviceptr, from: CUdeviceptr, size: usize) {
        device_to_device(to, from, size)?.run()
    }
    Init fn cuMemcpyHtoD_v2: PFN_cuMemcpyHtoD_v2, (to: CUdeviceptr, from: *const c_void, size: usize) {
        host_to_device(to, from, size)?.run()
    }
    Init fn cuMemcpyDtoH_v2: PFN_cuMemcpyDtoH_v2, (to: *mut c_void, from: CUdeviceptr, size: usize) {
        device_to_host(to, from, size)?.run()
    }
    Init fn cuMemcpyDtoD_v2: PFN_cuMemcpyDtoD_v2, (to: CUdeviceptr, from: CUdeviceptr, size: usize) {
        device_to_device(to, from, size)?.run()
    }
    Init fn cuMemcpyHtoDAsync_v2: PFN_cuMemcpyHtoDAsync_v2,
        (to: CUdeviceptr, from: *const c_void, size: usize, stream: CUstream)
    {
        host_to_device(to, from, size)?.enqueue(stream)
    }
    Init fn cuMemcpyDtoHAsync_v2: PFN_cuMemcpyDtoHAsync_v2,
        (to: *mut c_void, from: CUdeviceptr, size: usize, stream: CUstream)
    {
        device_to_host(to, from, size)?.enqueue(stream)
    }
    Init fn cuMemcpyDtoDAsync_v2: PFN_cuMemcpyDtoDAsync_v2,
        (to: CUdeviceptr, from: CUdeviceptr, size: usize, stream: CUstream)
    {
        device_to_device(to, from, size)?.enqueue(stream)
    }
    Init fn cuMemcpy2D_v2: PFN_cuMemcpy2D_v2, (copy: *const CUDA_MEMCPY2D) { plan(&of_2d(given(copy)?))?.run() }
    Init fn cuMemcpy2DUnaligned_v2: PFN_cuMemcpy2DUnaligned_v2, (copy: *const CUDA_MEMCPY2D) {
        plan(&of_2d(given(copy)?))?.run()
    }
    Init fn cuMemcpy2DAsync_v2: PFN_cuMemcpy2DAsync_v2, (copy: *const CUDA_MEMCPY2D, stream: CUstream) {
        plan(&of_2d(given(copy)?))?.enqueue(stream)
    }
    Init fn cuMemcpy3D_v2: PFN_cuMemcpy3D_v2, (copy: *const CUDA_MEMCPY3D) { plan(given(copy)?)?.run() }
    Init fn cuMemcpy3DAsync_v2: PFN_cuMemcpy3DAsync_v2, (copy: *const CUDA_MEMCPY3D, stream: CUstream) {
        plan(given(copy)?)?.enqueue(stream)
    }
}
