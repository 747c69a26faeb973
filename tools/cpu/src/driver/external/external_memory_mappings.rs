//! Buffers and arrays of imported memory.

use super::external_memory::{self, DESTROYED_IMPORTS, IMPORTS, ImportedMemory};
use crate::driver::addresses::address_ranges::{self, AddressRange, AddressSpan, KeptBy, RangeKind};
use crate::driver::base::prelude::*;
use crate::driver::images::arrays;

/// Returns an import. A destroyed one makes NVIDIA's driver crash, where it had what is asked for.
fn find_import(memory: CUexternalMemory, offset: u64, size: u64) -> CudaResult<Arc<ImportedMemory>> {
    match IMPORTS.look_up(memory) {
        HandleLookup::Live(import) => Ok(import),
        HandleLookup::Destroyed => {
            if let Some((_, claimed, dedicated)) =
                lock(&DESTROYED_IMPORTS).iter().find(|(handle, ..)| *handle == memory.handle_number())
            {
                let has = offset.checked_add(size).is_some_and(|end| end <= *claimed);
                ensure_valid(has && !(*dedicated && offset > 0))?;
            }
            abort_as_driver_crashes("the imported memory is destroyed")
        }
        _ => Err(CUDA_ERROR_INVALID_VALUE),
    }
}

fn map_buffer(memory: CUexternalMemory, desc: &CUDA_EXTERNAL_MEMORY_BUFFER_DESC) -> CudaResult<u64> {
    ensure_valid(desc.flags == 0 && desc.reserved == [0; 16] && desc.size > 0)?;
    let import = find_import(memory, desc.offset, desc.size)?;
    external_memory::check_mapped_range(&import, desc.offset, desc.size)?;
    let mut mapping = import.mapping.clone();
    let mut start = mapping.start_address() + import.data + desc.offset;
    let span = AddressSpan::new(start, desc.size)?;
    // Each mapping has separate addresses: they say which one is freed. (Valgrind cannot map again.)
    if address_ranges::find_range(|range| range.overlaps_range(span)).is_some() {
        mapping = Arc::new(mapping.duplicate_mapping().map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?);
        start = mapping.start_address() + import.data + desc.offset;
    }
    let (backing, _charge, context) =
        (KeptBy::Kept(mapping), Some(import.charge.clone()), Some(import.context));
    let (size, kind) = (desc.size, RangeKind::Imported);
    address_ranges::add_range(AddressRange { start, size, kind, context, backing, _charge });
    Ok(start)
}

functions! {
    Init fn cuExternalMemoryGetMappedBuffer: PFN_cuExternalMemoryGetMappedBuffer, (address, memory, desc) {
        ensure_valid(!address.is_null())?;
        write_out(address, map_buffer(memory, read_param(desc)?)?)
    }
    Init fn cuExternalMemoryGetMappedMipmappedArray: PFN_cuExternalMemoryGetMappedMipmappedArray,
        (mipmap, memory, desc)
    {
        ensure_valid(!mipmap.is_null())?;
        let desc = read_param(desc)?;
        let import = find_import(memory, desc.offset, 1)?;
        arrays::MIPMAPS.create_owned(mipmap, import.context, || {
            // Like a buffer, it can be mapped from its start only.
            ensure_valid(!(import.dedicated && desc.offset > 0))?;
            if desc.numLevels == 0 && desc.offset < import.claimed && desc.reserved == [0; 16] {
                arrays::check_array_desc(&desc.arrayDesc).ok_or(CUDA_ERROR_INVALID_VALUE)?;
                abort_as_driver_crashes("an array without levels");
            }
            arrays::map_array((&import.mapping, import.data, import.size), desc, import.is_tight)
        })
    }
}
