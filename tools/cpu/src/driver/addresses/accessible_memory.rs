//! Checks the addresses and sizes of copies, fills and stream memory operations, and runs the copies and the fills.

use std::ptr::with_exposed_provenance_mut;

use super::address_ranges::{self, AddressSpan, MemoryKeepAlive, RangeKind, ReadOrWrite};
use crate::driver::base::prelude::*;
use crate::shared_files::MmapRegion;

/// The rows and slices of a copy or a fill. [`Self::new`] does not check whether there is memory at the addresses.
#[derive(Clone, Copy)]
pub struct PitchedRows {
    span: AddressSpan,
    pitch: usize,
    slice: usize,
    extent: [usize; 3],
}

impl PitchedRows {
    /// Returns the rows from the position `at` in the memory at `base`. `at` and `extent` count bytes, rows and slices.
    /// `pitch` and `slice` are the distances in bytes from one row, or one slice, to the next one. Returns
    /// INVALID_VALUE for no rows, no slices or an end above `i64::MAX`.
    pub fn new(
        base: u64,
        at: [usize; 3],
        [pitch, slice]: [usize; 2],
        extent: [usize; 3],
    ) -> CudaResult<Self> {
        let offset = |[x, y, z]: [usize; 3]| {
            z.checked_mul(slice)?.checked_add(y.checked_mul(pitch)?)?.checked_add(x).map(|sum| sum as u64)
        };
        let rows = || {
            let [width, height, depth] = extent;
            let length = offset([width, height.checked_sub(1)?, depth.checked_sub(1)?])?;
            let span = AddressSpan::new(base.checked_add(offset(at)?)?, length).ok()?;
            Some(Self { span, pitch, slice, extent })
        };
        rows().ok_or(CUDA_ERROR_INVALID_VALUE)
    }
}

/// The bytes that an operation uses. Bytes in the driver's memory stay mapped while this value lives.
pub struct ByteSpan {
    rows: PitchedRows,
    _owners: Vec<MemoryKeepAlive>,
    pub is_pageable: bool,
    /// The access to check again when the operation runs, for memory of cuMemMap: the program may have revoked it.
    revocable_access: Option<ReadOrWrite>,
}

impl ByteSpan {
    fn new(rows: PitchedRows, _owners: Vec<MemoryKeepAlive>) -> Self {
        Self { rows, _owners, is_pageable: false, revocable_access: None }
    }

    /// Returns the span, or INVALID_VALUE if the addresses are unknown or the memory does not permit `access`.
    pub fn span_in_device(rows: PitchedRows, access: ReadOrWrite) -> CudaResult<Self> {
        let owners = address_ranges::check_memory_access(rows.span, access)?;
        let mapped = address_ranges::find_range_containing(rows.span.start, RangeKind::is_virtual);
        Ok(Self { revocable_access: mapped.map(|_| access), ..Self::new(rows, owners) })
    }

    /// Returns the span of host memory. The driver cannot check that the host memory is as large as the span.
    pub fn span_in_host(rows: PitchedRows) -> Self {
        match address_ranges::keep_alive_of_pinned_memory(rows.span) {
            Some(owners) => Self::new(rows, owners),
            None => Self { is_pageable: true, ..Self::new(rows, Vec::new()) },
        }
    }

    pub fn span_in_mapping(rows: PitchedRows, mapping: &Arc<MmapRegion>) -> CudaResult<Self> {
        ensure_valid(mapping.contains_addresses(rows.span.start, rows.span.end))?;
        Ok(Self::new(rows, vec![mapping.clone()]))
    }

    fn row_pointers(&self) -> impl Iterator<Item = *mut u8> {
        let PitchedRows { span, pitch, slice, extent: [_, height, depth] } = self.rows;
        let row = move |y, z| with_exposed_provenance_mut(span.start as usize + z * slice + y * pitch);
        (0..depth).flat_map(move |z| (0..height).map(move |y| row(y, z)))
    }

    pub fn first_byte(&self) -> CudaResult<*mut u8> {
        self.check_still_permitted()?;
        Ok(with_exposed_provenance_mut(self.rows.span.start as usize))
    }

    /// Returns ILLEGAL_ADDRESS if the program has revoked the access since the call that enqueued the operation.
    fn check_still_permitted(&self) -> CudaResult {
        let Some(access) = self.revocable_access else { return Ok(()) };
        let found = address_ranges::check_memory_access(self.rows.span, access);
        found.map(drop).or(Err(CUDA_ERROR_ILLEGAL_ADDRESS))
    }

    pub fn copy_from(&self, from: &Self) -> CudaResult {
        self.check_still_permitted().and(from.check_still_permitted())?;
        assert_eq!(self.rows.extent, from.rows.extent, "a copy has one extent");
        for (to, from) in self.row_pointers().zip(from.row_pointers()) {
            // SAFETY: rows of this width are in the spans. The spans, or the program, keep the memory mapped.
            unsafe { to.copy_from(from, self.rows.extent[0]) };
        }
        Ok(())
    }

    pub fn fill_with(&self, element: &[u8]) -> CudaResult {
        self.check_still_permitted()?;
        for row in self.row_pointers() {
            // SAFETY: the row of this width is in the span. The span, or the program, keeps the memory mapped.
            let row = unsafe { std::slice::from_raw_parts_mut(row, self.rows.extent[0]) };
            match element {
                [byte] => row.fill(*byte),
                _ => row.chunks_exact_mut(element.len()).for_each(|to| to.copy_from_slice(element)),
            }
        }
        Ok(())
    }

    pub fn copy_to_staging_memory(&self) -> CudaResult<Self> {
        let extent = self.rows.extent;
        let slice = extent[0].checked_mul(extent[1]).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        let size = slice.checked_mul(extent[2]).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        let mapping = MmapRegion::new(None, 0, size).map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?;
        let rows = PitchedRows::new(mapping.start_address(), [0; 3], [extent[0], slice], extent)?;
        let staged = Self::span_in_mapping(rows, &Arc::new(mapping))?;
        staged.copy_from(self)?;
        Ok(staged)
    }
}
