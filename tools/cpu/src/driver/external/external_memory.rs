//! Imports memory, and maps it as buffers and arrays. An import maps the whole file and closes the file descriptor.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::os::fd::{AsRawFd, FromRawFd, RawFd};

use crate::driver::addresses::address_ranges::AddressSpan;
use crate::driver::driver_prelude::*;
use crate::driver::images::cuda_arrays::{MIPMAPS, check_array_desc, map_array};
use crate::shared_files::{MemoryFileHeader, SemaphorePage, is_open_fd, memory_file};

struct ImportedMemory {
    mapping: Arc<MmapRegion>,
    /// Where the data begins in the mapping.
    data: u64,
    /// How much of the data may be mapped: the smaller of `allocated` and `claimed`.
    size: u64,
    allocated: u64,
    /// The size in the program's `CUDA_EXTERNAL_MEMORY_HANDLE_DESC`.
    claimed: u64,
    /// Whether an image needs as much memory as on a GPU: if `claimed < allocated`, or for a semaphore's file.
    is_tight: bool,
    dedicated: bool,
    charge: Arc<MemoryCharge>,
    context: ContextId,
}

static IMPORTS: HandleRegistry<ImportedMemory> = HandleRegistry::new(4, CUDA_ERROR_INVALID_VALUE);

pub fn take_over_fd(fd: RawFd) -> Option<File> {
    // SAFETY: the descriptor is open, and the program hands it over to the import, which then owns the descriptor.
    is_open_fd(fd).then(|| unsafe { File::from_raw_fd(fd) })
}

/// Returns the data's offset and size in a file with Mesa's header, or in a dma-buf, which some Mesa versions export.
fn data_range_of_file(mut file: &File) -> Option<(u64, u64)> {
    if let Some(header) = MemoryFileHeader::read_header(file) {
        return Some((header.offset, header.data_size()));
    }
    let name = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()?;
    let is_dma_buf = name.as_os_str().as_encoded_bytes().starts_with(b"/dmabuf:");
    is_dma_buf.then(|| file.seek(SeekFrom::End(0)).ok()).flatten().map(|size| (0, size))
}

/// Checks an import's handle type: `fds` lists the supported types; 0 and numbers above `last` are invalid.
pub fn check_handle_type(type_: u32, fds: &[u32], last: u32) -> CudaResult {
    match type_ {
        type_ if fds.contains(&type_) => Ok(()),
        type_ if type_ == 0 || type_ > last => Err(CUDA_ERROR_INVALID_VALUE),
        _ => Err(CUDA_ERROR_NOT_SUPPORTED),
    }
}

fn check_flags_of_type(type_: CUexternalMemoryHandleType, dedicated: bool) -> CudaResult {
    ensure_valid(match type_ {
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE
        | CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE
        | CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT => dedicated,
        CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF | CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD => !dedicated,
        _ => true,
    })
}

/// NVIDIA's driver imports a semaphore's file as memory of this size.
const SIZE_OF_SEMAPHORE: u64 = 4096;

fn import_memory(desc: &CUDA_EXTERNAL_MEMORY_HANDLE_DESC, context: &Context) -> CudaResult<ImportedMemory> {
    ensure_valid(desc.flags & !CUDA_EXTERNAL_MEMORY_DEDICATED == 0)?;
    ensure_valid(desc.reserved == [0; 16] && desc.size > 0)?;
    let dedicated = desc.flags == CUDA_EXTERNAL_MEMORY_DEDICATED;
    check_flags_of_type(desc.type_, dedicated)?;
    // SAFETY: every bit pattern of the union is a valid `int`.
    let fd = unsafe { desc.handle.fd };
    ensure_valid(desc.type_ != CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD || fd != -1)?;
    let opaque = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD.0;
    check_handle_type(desc.type_.0, &[opaque], CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD.0)?;
    // From here on, this function closes the file descriptor, even if the import fails.
    let file = take_over_fd(fd).ok_or(CUDA_ERROR_UNKNOWN)?;
    let scratch;
    let mut is_tight = false;
    let (file, data, size) = match data_range_of_file(&file) {
        Some((data, size)) => (Some(&file), data, size),
        // NVIDIA's driver imports a semaphore as memory, too. This driver makes new memory for such an import.
        None if SemaphorePage::open_page_file(&file).is_some() => {
            is_tight = true;
            scratch = memory_file(c"cuda-external-cpu semaphore", SIZE_OF_SEMAPHORE, false);
            (Some(scratch.as_ref().map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?), 0, SIZE_OF_SEMAPHORE)
        }
        None => return Err(CUDA_ERROR_UNKNOWN),
    };
    let mapping = MmapRegion::new(file, 0, (data + size) as usize).map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?;
    let (mapping, charge) = (Arc::new(mapping), MemoryCharge::charge_imported_memory(context.device, size));
    is_tight |= desc.size < size;
    let (allocated, size, claimed, context) = (size, size.min(desc.size), desc.size, context.id);
    Ok(ImportedMemory { mapping, data, size, allocated, claimed, is_tight, dedicated, charge, context })
}

/// NVIDIA's driver maps memory in pages of this size.
const PAGE: u128 = 2 << 20;

/// Checks a buffer's range. The codes and the order of the checks are an H100's (measured: 580.159, 17,496 cases).
fn check_mapped_range(import: &ImportedMemory, offset: u64, size: u64) -> CudaResult {
    let end = u128::from(offset) + u128::from(size);
    // NVIDIA's driver compares only the lower 64 bits of the sum.
    ensure_valid(size > 0 && offset < import.claimed && end as u64 <= import.claimed)?;
    // A dedicated import is mapped from its start only.
    ensure_valid(!import.dedicated || offset == 0)?;
    if end <= import.allocated.into() {
        return Ok(());
    }
    let (first, last) = (u128::from(offset) / PAGE * PAGE, end.next_multiple_of(PAGE));
    ensure(last - first < 1 << 47, CUDA_ERROR_OUT_OF_MEMORY)?;
    ensure_valid(last as u64 <= import.allocated)?;
    Err(CUDA_ERROR_UNKNOWN)
}

/// Returns an import. Aborts if the program has destroyed the import: NVIDIA's driver crashes then.
fn find_import(memory: CUexternalMemory) -> CudaResult<Arc<ImportedMemory>> {
    IMPORTS.find_object_or_abort(memory, "the imported memory is destroyed")
}

fn map_buffer(memory: CUexternalMemory, desc: &CUDA_EXTERNAL_MEMORY_BUFFER_DESC) -> CudaResult<u64> {
    ensure_valid(desc.flags == 0 && desc.reserved == [0; 16] && desc.size > 0)?;
    let import = find_import(memory)?;
    check_mapped_range(&import, desc.offset, desc.size)?;
    let mut mapping = import.mapping.clone();
    let mut start = mapping.start_address() + import.data + desc.offset;
    let span = AddressSpan::new(start, desc.size)?;
    // Without this lock, two threads could give overlapping buffers the same addresses.
    static FIRST_ADDRESSES: Mutex<()> = Mutex::new(());
    let _turn = lock(&FIRST_ADDRESSES);
    // cuMemFree finds a buffer by the buffer's address, so two buffers must not have the same addresses. A buffer that
    // would overlap an earlier buffer gets a duplicate of the import's mapping. Any other buffer uses the import's
    // mapping itself, since a mapping cannot be duplicated under Valgrind.
    if address_ranges::overlaps_known_range(span, |_| true) {
        mapping = Arc::new(mapping.duplicate_mapping().map_err(|_| CUDA_ERROR_OUT_OF_MEMORY)?);
        start = mapping.start_address() + import.data + desc.offset;
    }
    let charge = Some(import.charge.clone());
    address_ranges::add_range((start, desc.size), RangeKind::Imported, Some(import.context), mapping, charge);
    Ok(start)
}

functions! {
    Init fn cuImportExternalMemory: PFN_cuImportExternalMemory, (memory, desc) {
        let context = current_context_outside_capture()?;
        IMPORTS.create_object(memory, Some(context.id), || import_memory(read_param(desc)?, &context))
    }
    Init fn cuDestroyExternalMemory: PFN_cuDestroyExternalMemory, (memory) {
        refuse_during_capture()?;
        match IMPORTS.remove_object(memory) {
            HandleLookup::Live(_) => Ok(()),
            HandleLookup::Null => Err(CUDA_ERROR_INVALID_VALUE),
            _ => abort_as_driver_crashes("not imported memory, or destroyed"),
        }
    }
    Init fn cuExternalMemoryGetMappedBuffer: PFN_cuExternalMemoryGetMappedBuffer, (address, memory, desc) {
        write_created(address, || map_buffer(memory, read_param(desc)?))
    }
    Init fn cuExternalMemoryGetMappedMipmappedArray: PFN_cuExternalMemoryGetMappedMipmappedArray,
        (mipmap, memory, desc) {
        ensure_valid(!mipmap.is_null())?;
        let desc = read_param(desc)?;
        let import = find_import(memory)?;
        MIPMAPS.create_object(mipmap, Some(import.context), || {
            // A dedicated import is mapped from its start only.
            ensure_valid(!(import.dedicated && desc.offset > 0))?;
            if desc.numLevels == 0 && desc.offset < import.claimed && desc.reserved == [0; 16] {
                check_array_desc(&desc.arrayDesc)?;
                abort_as_driver_crashes("an array without levels");
            }
            map_array((&import.mapping, import.data, import.size), desc, import.is_tight)
        })
    }
}
