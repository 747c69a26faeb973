//! Buffers and arrays of imported memory.

use super::external_memory::{DESTROYED_IMPORTS, IMPORTS, ImportedMemory, check_mapped_range};
use crate::driver::addresses::address_ranges::AddressSpan;
use crate::driver::driver_prelude::*;
use crate::driver::images::cuda_arrays::{MIPMAPS, check_array_desc, map_array};

/// Returns an import. A destroyed one makes NVIDIA's driver crash, unless the range was outside of it.
fn find_import(memory: CUexternalMemory, offset: u64, size: u64) -> CudaResult<Arc<ImportedMemory>> {
    match IMPORTS.look_up(memory) {
        HandleLookup::Live(import) => Ok(import),
        HandleLookup::Destroyed => {
            let destroyed = lock(&DESTROYED_IMPORTS);
            if let Some((_, claimed, dedicated)) = destroyed.iter().find(|of| of.0 == memory.handle_number())
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
    check_mapped_range(&import, desc.offset, desc.size)?;
    let mut mapping = import.mapping.clone();
    let mut start = mapping.start_address() + import.data + desc.offset;
    let span = AddressSpan::new(start, desc.size)?;
    // Each mapping has separate addresses, which tell cuMemFree which one to free. The first one is not duplicated:
    // Valgrind cannot duplicate a mapping.
    if address_ranges::is_range_in(span, |_| true) {
        mapping = Arc::new(mapping.duplicate_mapping().map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?);
        start = mapping.start_address() + import.data + desc.offset;
    }
    let (backing, charge) = (RangeBacking::Kept(mapping), Some(import.charge.clone()));
    address_ranges::add_range((start, desc.size), RangeKind::Imported, Some(import.context), backing, charge);
    Ok(start)
}

functions! {
    Init fn cuExternalMemoryGetMappedBuffer: PFN_cuExternalMemoryGetMappedBuffer, (address, memory, desc) {
        write_created(address, || map_buffer(memory, read_param(desc)?))
    }
    Init fn cuExternalMemoryGetMappedMipmappedArray: PFN_cuExternalMemoryGetMappedMipmappedArray,
        (mipmap, memory, desc) {
        ensure_valid(!mipmap.is_null())?;
        let desc = read_param(desc)?;
        let import = find_import(memory, desc.offset, 1)?;
        MIPMAPS.create_object(mipmap, Some(import.context), || {
            // A dedicated import is mapped from its start only.
            ensure_valid(!(import.dedicated && desc.offset > 0))?;
            if desc.numLevels == 0 && desc.offset < import.claimed && desc.reserved == [0; 16] {
                check_array_desc(&desc.arrayDesc).ok_or(CUDA_ERROR_INVALID_VALUE)?;
                abort_as_driver_crashes("an array without levels");
            }
            map_array((&import.mapping, import.data, import.size), desc, import.is_tight)
        })
    }
}
