//! Importing, mapping and destroying external memory and semaphores.

use cuda_external_sys::*;

use super::trace::{pointee, traced};
use super::wrap;
use crate::layer::objects::Kind;
use crate::layer::{imports, mappings};

// SAFETY, for each of them: the program's arguments are as the driver needs them.
wrap! {
    cuImportExternalMemory: PFN_cuImportExternalMemory(
        out: *mut CUexternalMemory,
        desc: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC,
    ) |call, real| traced(
        call,
        None,
        || unsafe { format!("{}, {}", pointee(out), shown_memory(desc)) },
        || unsafe { imports::import_memory(call, out, desc, real) },
    );
    cuExternalMemoryGetMappedBuffer: PFN_cuExternalMemoryGetMappedBuffer(
        address: *mut CUdeviceptr,
        memory: CUexternalMemory,
        desc: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC,
    ) |call, real| traced(
        call,
        None,
        || unsafe { format!("{}, {memory:?}, {}", pointee(address), shown_buffer(desc)) },
        || unsafe { mappings::map_buffer(call, address, memory, desc, real) },
    );
    cuExternalMemoryGetMappedMipmappedArray: PFN_cuExternalMemoryGetMappedMipmappedArray(
        array: *mut CUmipmappedArray,
        memory: CUexternalMemory,
        desc: *const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC,
    ) |call, real| traced(
        call,
        None,
        || unsafe { format!("{}, {memory:?}, {}", pointee(array), shown_array(desc)) },
        || unsafe { mappings::map_array(call, array, memory, desc, real) },
    );
    cuDestroyExternalMemory: PFN_cuDestroyExternalMemory(memory: CUexternalMemory) |call, real| traced(
        call,
        None,
        || format!("{memory:?}"),
        || imports::destroy(call, Kind::Memory, memory.addr() as u64, real),
    );
    cuImportExternalSemaphore: PFN_cuImportExternalSemaphore(
        out: *mut CUexternalSemaphore,
        desc: *const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
    ) |call, real| traced(
        call,
        None,
        || unsafe { format!("{}, {}", pointee(out), shown_semaphore(desc)) },
        || unsafe { imports::import_semaphore(call, out, desc, real) },
    );
    cuDestroyExternalSemaphore: PFN_cuDestroyExternalSemaphore(semaphore: CUexternalSemaphore) |call, real| traced(
        call,
        None,
        || format!("{semaphore:?}"),
        || imports::destroy(call, Kind::Semaphore, semaphore.addr() as u64, real),
    );
}

unsafe fn shown_memory(desc: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC) -> String {
    // SAFETY: null or valid; any bytes are a number.
    unsafe { desc.as_ref().map(|desc| (desc, desc.handle.fd)) }.map_or("null".to_owned(), |(desc, fd)| {
        format!("{{ type: {:?}, fd: {fd}, size: {}, flags: {:#x} }}", desc.type_, desc.size, desc.flags)
    })
}

unsafe fn shown_semaphore(desc: *const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) -> String {
    // SAFETY: as above.
    unsafe { desc.as_ref().map(|desc| (desc, desc.handle.fd)) }.map_or("null".to_owned(), |(desc, fd)| {
        format!("{{ type: {:?}, fd: {fd}, flags: {:#x} }}", desc.type_, desc.flags)
    })
}

unsafe fn shown_buffer(desc: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC) -> String {
    // SAFETY: null or valid.
    unsafe { desc.as_ref() }.map_or("null".to_owned(), |desc| {
        format!("{{ offset: {}, size: {}, flags: {:#x} }}", desc.offset, desc.size, desc.flags)
    })
}

unsafe fn shown_array(desc: *const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC) -> String {
    // SAFETY: null or valid.
    unsafe { desc.as_ref() }.map_or("null".to_owned(), |desc| {
        format!("{{ offset: {}, {:?}, numLevels: {} }}", desc.offset, desc.arrayDesc, desc.numLevels)
    })
}
