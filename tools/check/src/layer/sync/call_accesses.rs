//! Describes the memory and the arrays that a call certainly accesses.

use cuda_external_sys::*;

use crate::layer::state_tracker::tracked_objects::{AccessKind, ObjectLookup, ObjectTable};

/// Rows of bytes that begin `pitch` bytes apart, in slices that begin `slice_pitch` bytes apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryRows {
    pub start: u64,
    pub row_bytes: u64,
    pub pitch: u64,
    pub rows: u64,
    pub slice_pitch: u64,
    pub slices: u64,
}

impl MemoryRows {
    /// If there are gaps between rows, at most this many rows count: the first, the last, and some in between.
    const MOST: u64 = 16;

    /// Returns ranges that the rows certainly touch, each as its first address and its size.
    pub fn certainly_touched_ranges(&self) -> Vec<(u64, u64)> {
        let Self { start, mut row_bytes, pitch, mut rows, slice_pitch, mut slices } = *self;
        if rows == 1 || pitch == row_bytes {
            (row_bytes, rows) = (row_bytes.saturating_mul(rows), 1);
        }
        if rows == 1 && (slices == 1 || slice_pitch == row_bytes) {
            (row_bytes, slices) = (row_bytes.saturating_mul(slices), 1);
        }
        let count = rows.saturating_mul(slices);
        let looked_at = count.min(Self::MOST);
        let places = (0..looked_at).map(|at| (count - 1) * at / (looked_at - 1).max(1));
        let offset = |at: u64| {
            let (slice, row) = (at / rows, at % rows);
            slice.saturating_mul(slice_pitch).saturating_add(row.saturating_mul(pitch))
        };
        places.map(|at| (start.saturating_add(offset(at)), row_bytes)).collect()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TouchedMemory {
    #[default]
    Nothing,
    Rows(MemoryRows),
    /// An array, or a level of a mipmapped array.
    Array(u64),
    Mipmapped(u64),
}

impl TouchedMemory {
    /// Returns the mapping that contains the start of this memory, and the first address if the memory is not an array.
    pub fn find_touched_mapping(self, objects: &ObjectTable) -> (ObjectLookup, Option<u64>) {
        match self {
            Self::Nothing => (ObjectLookup::Unknown, None),
            Self::Rows(of) if of.row_bytes == 0 || of.rows == 0 || of.slices == 0 => {
                (ObjectLookup::Unknown, None)
            }
            Self::Rows(MemoryRows { start, .. }) => (objects.find_buffer_by_address(start), Some(start)),
            Self::Array(array) => (objects.find_array_by_level(array), None),
            Self::Mipmapped(array) => (objects.find_object_by_handle(array), None),
        }
    }
}

/// Memory that a call names. `kind` is `None` if the call itself does not access the memory, as in cuTexObjectCreate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryAccess {
    pub memory: TouchedMemory,
    pub kind: Option<AccessKind>,
}

pub fn write(memory: TouchedMemory) -> MemoryAccess {
    MemoryAccess { memory, kind: Some(AccessKind::Write) }
}

pub fn read(memory: TouchedMemory) -> MemoryAccess {
    MemoryAccess { memory, kind: Some(AccessKind::Read) }
}

pub fn linear(start: CUdeviceptr, bytes: usize) -> TouchedMemory {
    pitched(start, bytes, 1, bytes, 1)
}

/// Returns `rows` rows of `width` elements. `element` is the size of an element in bytes.
pub fn pitched(start: CUdeviceptr, pitch: usize, element: usize, width: usize, rows: usize) -> TouchedMemory {
    let [row_bytes, pitch, rows] = [width.saturating_mul(element), pitch, rows].map(|number| number as u64);
    TouchedMemory::Rows(MemoryRows { start, row_bytes, pitch, rows, slice_pitch: 0, slices: 1 })
}

pub fn part_of_array(array: CUarray, bytes: usize) -> TouchedMemory {
    if bytes == 0 { TouchedMemory::Nothing } else { TouchedMemory::Array(array.addr() as u64) }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopyAccesses {
    pub all: [MemoryAccess; 2],
    /// Whether both sides are certainly in device memory. By default the host does not wait for such a copy.
    pub is_on_device: bool,
}

/// Describes the memory of one side of a copy. The brackets name the side's fields. A 2D copy has one slice.
macro_rules! copy_side {
    (
        $copy:ident, [$x:ident $y:ident $kind:ident $device:ident $array:ident $pitch:ident]
        $slice:expr, $height:expr, $slices:expr
    ) => {{
        let (row_bytes, pitch) = ($copy.WidthInBytes as u64, $copy.$pitch as u64);
        let slice_pitch = pitch.saturating_mul($height as u64);
        let skipped =
            pitch.saturating_mul($copy.$y as u64).saturating_add(slice_pitch.saturating_mul($slice as u64));
        let start = $copy.$device.saturating_add(skipped).saturating_add($copy.$x as u64);
        let (rows, slices) = ($copy.Height as u64, $slices as u64);
        let all = MemoryRows { start, row_bytes, pitch, rows, slice_pitch, slices };
        match $copy.$kind {
            CU_MEMORYTYPE_ARRAY => part_of_array($copy.$array, $copy.WidthInBytes),
            CU_MEMORYTYPE_DEVICE | CU_MEMORYTYPE_UNIFIED => TouchedMemory::Rows(all),
            _ => TouchedMemory::Nothing,
        }
    }};
}

fn copy_accesses(to: TouchedMemory, from: TouchedMemory, kinds: [CUmemorytype; 2]) -> CopyAccesses {
    let is_on_device = kinds.iter().all(|kind| [CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_ARRAY].contains(kind));
    CopyAccesses { all: [write(to), read(from)], is_on_device }
}

pub fn copy_2d_accesses(copy: Option<&CUDA_MEMCPY2D>) -> CopyAccesses {
    let Some(copy) = copy else { return CopyAccesses::default() };
    let to = copy_side!(copy, [dstXInBytes dstY dstMemoryType dstDevice dstArray dstPitch] 0, 0, 1);
    let from = copy_side!(copy, [srcXInBytes srcY srcMemoryType srcDevice srcArray srcPitch] 0, 0, 1);
    copy_accesses(to, from, [copy.dstMemoryType, copy.srcMemoryType])
}

pub fn copy_3d_accesses(copy: Option<&CUDA_MEMCPY3D>) -> CopyAccesses {
    let Some(copy) = copy else { return CopyAccesses::default() };
    let to = copy_side!(copy, [dstXInBytes dstY dstMemoryType dstDevice dstArray dstPitch]
        copy.dstZ, copy.dstHeight, copy.Depth);
    let from = copy_side!(copy, [srcXInBytes srcY srcMemoryType srcDevice srcArray srcPitch]
        copy.srcZ, copy.srcHeight, copy.Depth);
    copy_accesses(to, from, [copy.dstMemoryType, copy.srcMemoryType])
}

pub fn memory_of_resource(resource: Option<&CUDA_RESOURCE_DESC>) -> TouchedMemory {
    let Some(CUDA_RESOURCE_DESC { resType: kind, res, .. }) = resource else { return TouchedMemory::Nothing };
    // SAFETY: `resType` selects the union field that is read.
    unsafe {
        match *kind {
            CU_RESOURCE_TYPE_ARRAY => TouchedMemory::Array(res.array.hArray.addr() as u64),
            CU_RESOURCE_TYPE_MIPMAPPED_ARRAY => {
                TouchedMemory::Mipmapped(res.mipmap.hMipmappedArray.addr() as u64)
            }
            CU_RESOURCE_TYPE_LINEAR => linear(res.linear.devPtr, 1),
            CU_RESOURCE_TYPE_PITCH2D => linear(res.pitch2D.devPtr, 1),
            _ => TouchedMemory::Nothing,
        }
    }
}

pub fn memset_access(params: Option<&CUDA_MEMSET_NODE_PARAMS>) -> MemoryAccess {
    write(params.map_or(TouchedMemory::Nothing, |of| {
        pitched(of.dst, of.pitch, of.elementSize as usize, of.width, of.height)
    }))
}

#[test]
fn rows_without_gaps_are_one_range_and_of_others_some_are_certain() {
    let rows = |pitch, rows, slice_pitch, slices| {
        MemoryRows { start: 1000, row_bytes: 16, pitch, rows, slice_pitch, slices }.certainly_touched_ranges()
    };
    assert_eq!(rows(0, 1, 0, 1), [(1000, 16)]);
    assert_eq!(rows(16, 4, 64, 2), [(1000, 128)]);
    assert_eq!(rows(16, 4, 100, 2), [(1000, 64), (1100, 64)]);
    assert_eq!(rows(20, 2, 100, 2), [(1000, 16), (1020, 16), (1100, 16), (1120, 16)]);
    let many = rows(32, 1000, 0, 1);
    assert_eq!((many.len(), many[0], many[15]), (16, (1000, 16), (1000 + 999 * 32, 16)));
}
