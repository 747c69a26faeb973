//! Copies between memory of the host, memory of the device and arrays. Every function's copy is one between two ends in three
//! dimensions.

use std::ptr::{null, null_mut, with_exposed_provenance_mut};

use super::array::ARRAYS;
use super::prelude::*;
use super::ranges::{self, Keep};
use super::work::Work;
use super::{capture, context, stream};

/// Where one end of a copy begins, and its rows and slices.
#[derive(Clone, Copy, Default)]
pub struct Place {
    pub start: u64,
    pub row: usize,
    pub slice: usize,
}

impl Place {
    fn at(&self, y: usize, z: usize) -> *mut u8 {
        with_exposed_provenance_mut(self.start as usize + z * self.slice + y * self.row)
    }
}

/// One end of a copy as the program describes it.
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

/// An end in cuda.h's description: its fields, and those that 2D has not.
macro_rules! end {
    ($c:ident: $kind:ident $host:ident $device:ident $array:ident $pitch:ident $x:ident $y:ident,
     z $z:expr, height $height:expr, lod $lod:expr) => {{
        let (kind, host, device, array) = ($c.$kind, $c.$host.cast::<c_void>(), $c.$device, $c.$array);
        End {
            kind,
            host,
            device,
            array,
            pitch: $c.$pitch,
            height: $height,
            at: [$c.$x, $c.$y, $z],
            lod: $lod,
        }
    }};
}

impl End {
    fn linear(kind: CUmemorytype, host: *const c_void, device: CUdeviceptr) -> Self {
        Self { kind, host, device, array: null_mut(), pitch: 0, height: 0, at: [0; 3], lod: 0 }
    }

    fn host(address: *const c_void) -> Self {
        Self::linear(CU_MEMORYTYPE_HOST, address, 0)
    }

    fn device(address: CUdeviceptr) -> Self {
        Self::linear(CU_MEMORYTYPE_DEVICE, null(), address)
    }

    /// Returns the place, what it keeps, and whether it is memory of the program that is not pinned.
    fn place(&self, extent: [usize; 3]) -> Answer<(Place, Keep, bool)> {
        let ([x, y, z], [width, height, depth]) = (self.at, extent);
        let invalid = CUDA_ERROR_INVALID_VALUE;
        check(self.lod == 0, invalid)?;
        let fits =
            |at: usize, count: usize, size: usize| at.checked_add(count).is_some_and(|end| end <= size);
        if self.kind == CU_MEMORYTYPE_ARRAY {
            let array = ARRAYS.find(self.array)?;
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
        let length = ((depth - 1) * slice + (height - 1) * row + width) as u64;
        let base = match self.kind {
            CU_MEMORYTYPE_HOST => self.host.expose_provenance() as u64,
            CU_MEMORYTYPE_DEVICE | CU_MEMORYTYPE_UNIFIED => self.device,
            _ => return Err(invalid),
        };
        check(base != 0, invalid)?;
        let start = base.checked_add(first as u64).ok_or(invalid)?;
        let place = Place { start, row, slice };
        if self.kind == CU_MEMORYTYPE_HOST {
            let pinned = ranges::pinned(start, length);
            let is_pageable = pinned.is_none();
            return Ok((place, pinned.unwrap_or_default(), is_pageable));
        }
        Ok((place, ranges::check_use(start, length)?, false))
    }
}

pub struct Copy {
    from: Place,
    to: Place,
    /// The width is in bytes.
    extent: [usize; 3],
    _keep: Keep,
    /// Which ends are memory of the program that is not pinned.
    from_pageable: bool,
    to_pageable: bool,
}

impl Copy {
    fn new(from: &End, to: &End, extent: [usize; 3]) -> Answer<Self> {
        context::current()?;
        if extent.contains(&0) {
            let (from, to, _keep) = Default::default();
            return Ok(Self { from, to, extent, _keep, from_pageable: false, to_pageable: false });
        }
        let (from, mut keep, from_pageable) = from.place(extent)?;
        let (to, kept, to_pageable) = to.place(extent)?;
        keep.extend(kept);
        Ok(Self { from, to, extent, _keep: keep, from_pageable, to_pageable })
    }

    fn linear(from: &End, to: &End, size: usize) -> Answer<Self> {
        Self::new(from, to, [size, 1, 1])
    }

    fn of_2d(c: &CUDA_MEMCPY2D) -> Answer<Self> {
        let from =
            end!(c: srcMemoryType srcHost srcDevice srcArray srcPitch srcXInBytes srcY, z 0, height 0, lod 0);
        let to =
            end!(c: dstMemoryType dstHost dstDevice dstArray dstPitch dstXInBytes dstY, z 0, height 0, lod 0);
        Self::new(&from, &to, [c.WidthInBytes, c.Height, 1])
    }

    pub fn of_3d(c: &CUDA_MEMCPY3D) -> Answer<Self> {
        let from = end!(c: srcMemoryType srcHost srcDevice srcArray srcPitch srcXInBytes srcY,
                        z c.srcZ, height c.srcHeight, lod c.srcLOD);
        let to = end!(c: dstMemoryType dstHost dstDevice dstArray dstPitch dstXInBytes dstY,
                      z c.dstZ, height c.dstHeight, lod c.dstLOD);
        Self::new(&from, &to, [c.WidthInBytes, c.Height, c.Depth])
    }

    /// Calls with each row's place in both ends and in a buffer without gaps.
    fn rows(&self, mut each: impl FnMut(*mut u8, *mut u8, usize)) {
        let [width, height, depth] = self.extent;
        for (z, y) in (0..depth).flat_map(|z| (0..height).map(move |y| (z, y))) {
            each(self.from.at(y, z), self.to.at(y, z), (z * height + y) * width);
        }
    }

    pub fn work(self) -> Work {
        let width = self.extent[0];
        // SAFETY: the ranges were checked in `place`, and are kept; the program's own memory is as it says.
        let run = move || self.rows(|from, to, _| unsafe { to.copy_from(from, width) });
        Work::new(CU_GRAPH_NODE_TYPE_MEMCPY, run)
    }

    /// As [`Self::work`], but reads the source now.
    fn staged(self) -> Work {
        let width = self.extent[0];
        let mut bytes = vec![0_u8; self.extent.iter().product()];
        // SAFETY: as in `work`, here and below.
        self.rows(|from, _, at| unsafe { from.copy_to(bytes[at..].as_mut_ptr(), width) });
        let run = move || self.rows(|_, to, at| unsafe { to.copy_from(bytes[at..].as_ptr(), width) });
        Work::new(CU_GRAPH_NODE_TYPE_MEMCPY, run)
    }

    /// Enqueues the copy. As in NVIDIA's driver, memory that is not pinned is read before the call returns, and written too.
    fn enqueue(self, stream: CUstream) -> Answer {
        let stream = stream::find(stream)?;
        if capture::is_capturing(&stream) {
            return stream.enqueue(self.work());
        }
        let is_waited_for = self.to_pageable;
        let work = if self.from_pageable { self.staged() } else { self.work() };
        stream.context.usable()?;
        let end = stream.enqueue_now(work, Vec::new())?;
        if is_waited_for {
            end.wait();
        }
        stream.context.usable()
    }

    fn run(self) -> Answer {
        context::current()?.legacy()?.run(self.work())
    }
}

functions! {
    Init fn cuMemcpyHtoD_v2: PFN_cuMemcpyHtoD_v2, (to, from, size) {
        Copy::linear(&End::host(from), &End::device(to), size)?.run()
    }
    Init fn cuMemcpyDtoH_v2: PFN_cuMemcpyDtoH_v2, (to, from, size) {
        Copy::linear(&End::device(from), &End::host(to), size)?.run()
    }
    Init fn cuMemcpy | cuMemcpyDtoD_v2: PFN_cuMemcpyDtoD_v2, (to, from, size) {
        Copy::linear(&End::device(from), &End::device(to), size)?.run()
    }
    Init fn cuMemcpyHtoDAsync_v2: PFN_cuMemcpyHtoDAsync_v2, (to, from, size, stream) {
        Copy::linear(&End::host(from), &End::device(to), size)?.enqueue(stream)
    }
    Init fn cuMemcpyDtoHAsync_v2: PFN_cuMemcpyDtoHAsync_v2, (to, from, size, stream) {
        Copy::linear(&End::device(from), &End::host(to), size)?.enqueue(stream)
    }
    Init fn cuMemcpyDtoDAsync_v2: PFN_cuMemcpyDtoDAsync_v2, (to, from, size, stream) {
        Copy::linear(&End::device(from), &End::device(to), size)?.enqueue(stream)
    }
    Init fn cuMemcpy2D_v2 | cuMemcpy2DUnaligned_v2: PFN_cuMemcpy2D_v2, (copy) { Copy::of_2d(given(copy)?)?.run() }
    Init fn cuMemcpy2DAsync_v2: PFN_cuMemcpy2DAsync_v2, (copy, stream) { Copy::of_2d(given(copy)?)?.enqueue(stream) }
    Init fn cuMemcpy3D_v2: PFN_cuMemcpy3D_v2, (copy) { Copy::of_3d(given(copy)?)?.run() }
    Init fn cuMemcpy3DAsync_v2: PFN_cuMemcpy3DAsync_v2, (copy, stream) { Copy::of_3d(given(copy)?)?.enqueue(stream) }
}
