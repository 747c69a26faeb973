//! Copies between memory of the host, memory of the device and arrays. Every function's copy is one between two ends in three
//! dimensions.

use std::ptr::{null, null_mut, with_exposed_provenance_mut};

use super::array::ARRAYS;
use super::prelude::*;
use super::ranges::{self, Keep};
use super::work::Work;
use super::{capture, context, stream};

/// Where one end of a copy begins, and how far it is from a row and a slice to the next.
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

    /// Finds memory for which the copy is inside.
    fn locate(&self, extent: [usize; 3]) -> Answer<Located> {
        let ([x, y, z], [width, height, depth]) = (self.at, extent);
        let invalid = CUDA_ERROR_INVALID_VALUE;
        require(self.lod == 0)?;
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
            require(inside)?;
            let start = array.place.start + (x + y * array.place.row + z * array.place.slice) as u64;
            let place = Place { start, ..array.place };
            return Ok(Located { place, _keep: vec![array.mapping.clone()], is_pageable: false });
        }
        let row = if self.pitch == 0 { width } else { self.pitch };
        require(self.pitch == 0 || fits(x, width, row))?;
        let slice = row.checked_mul(if self.height == 0 { height } else { self.height }).ok_or(invalid)?;
        let first = x + y * row + z * slice;
        let length = ((depth - 1) * slice + (height - 1) * row + width) as u64;
        let base = match self.kind {
            CU_MEMORYTYPE_HOST => self.host.expose_provenance() as u64,
            CU_MEMORYTYPE_DEVICE | CU_MEMORYTYPE_UNIFIED => self.device,
            _ => return Err(invalid),
        };
        require(base != 0)?;
        let start = base.checked_add(first as u64).ok_or(invalid)?;
        let place = Place { start, row, slice };
        let kept = match self.kind {
            CU_MEMORYTYPE_HOST => ranges::pinned(start, length),
            _ => Some(ranges::check_use(start, length)?),
        };
        Ok(Located { place, is_pageable: kept.is_none(), _keep: kept.unwrap_or_default() })
    }
}

#[derive(Default)]
struct Located {
    place: Place,
    _keep: Keep,
    /// Whether it is memory of the program that is not pinned.
    is_pageable: bool,
}

pub struct Copy {
    from: Located,
    to: Located,
    /// The width is in bytes.
    extent: [usize; 3],
}

impl Copy {
    fn new(from: &End, to: &End, extent: [usize; 3]) -> Answer<Self> {
        context::current()?;
        if extent.contains(&0) {
            return Ok(Self { from: Located::default(), to: Located::default(), extent });
        }
        Ok(Self { from: from.locate(extent)?, to: to.locate(extent)?, extent })
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

    /// Returns the work, and with `staged` reads the source now.
    pub fn work(mut self, staged: bool) -> Work {
        let (extent, mut bytes) = (self.extent, Vec::new());
        if staged {
            bytes.resize(extent.iter().product(), 0_u8);
            let start = bytes.as_mut_ptr().expose_provenance() as u64;
            let own = Place { start, row: extent[0], slice: extent[0] * extent[1] };
            // SAFETY: checked in `locate`, and kept; the program's own memory is as it says, here and below.
            unsafe { copy_rows(self.from.place, own, extent) };
            self.from.place = own;
        }
        Work::new(CU_GRAPH_NODE_TYPE_MEMCPY, move || {
            let _ = &bytes;
            unsafe { copy_rows(self.from.place, self.to.place, extent) }
        })
    }

    /// Enqueues the copy. As in NVIDIA's driver, memory that is not pinned is read before the call returns, and written too.
    fn enqueue(self, stream: CUstream) -> Answer {
        let stream = stream::find(stream)?;
        if capture::is_capturing(&stream) {
            return stream.enqueue(self.work(false));
        }
        let (staged, is_waited_for) = (self.from.is_pageable, self.to.is_pageable);
        stream.context.usable()?;
        let end = stream.enqueue_now(self.work(staged), Vec::new())?;
        if is_waited_for {
            end.wait();
        }
        stream.context.usable()
    }

    fn run(self) -> Answer {
        context::current()?.legacy()?.run(self.work(false))
    }
}

unsafe fn copy_rows(from: Place, to: Place, [width, height, depth]: [usize; 3]) {
    for (z, y) in (0..depth).flat_map(|z| (0..height).map(move |y| (z, y))) {
        // SAFETY: by this function's own condition: both have as many rows.
        unsafe { to.at(y, z).copy_from(from.at(y, z), width) };
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
