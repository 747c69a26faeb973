//! cudarc for the context, a stream and copies; this crate for the import. Their handles are the same pointers.
//!
//! CUDA exports memory as a file descriptor and imports it again through this crate. This crate fills the mapping in a
//! stream of cudarc's; cudarc copies it, in a stream of this crate's, through a slice over the mapping, both ways. Without a
//! GPU the program says so and exits with 0.

mod page;

use std::error::Error;
use std::ptr;

use cuda_external_sys::*;
use cudarc::driver::CudaContext;

const COUNT: usize = 1 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    // cudarc panics where there is no driver, so this crate is asked first.
    if let Err(error) = load() {
        println!("There is no driver here: {error}");
        return Ok(());
    }
    // SAFETY: it takes no pointer.
    match unsafe { cuInit(0) } {
        CUDA_ERROR_NO_DEVICE => println!("There is a driver here, and no GPU."),
        code => {
            page::driver_error(code).map_or(Ok(()), Err)?;
            code.result()?;
            share()?;
            println!("{COUNT} words, written by either crate, read by the other: all are right.");
        }
    }
    Ok(())
}

fn share() -> Result<(), Box<dyn Error>> {
    // cudarc's: the primary context, current in this thread; and a stream.
    let context = CudaContext::new(0).map_err(|error| format!("cudarc returned {:?}", page::code(error)))?;
    let stream = context.new_stream()?;

    let prop = CUmemAllocationProp {
        type_: CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        location: CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 },
        ..Default::default()
    };
    let (mut granularity, mut allocation, mut fd) = (0, 0, -1);
    let (mut import, mut mapped, mut own_stream) = (ptr::null_mut(), 0, ptr::null_mut());
    // SAFETY: the pointers are to variables here, and each handle is used before it is destroyed.
    let borrowed = unsafe {
        let which = CU_MEM_ALLOC_GRANULARITY_MINIMUM;
        cuMemGetAllocationGranularity(&mut granularity, &prop, which).result()?;
        let bytes = (COUNT * 4).next_multiple_of(granularity);
        cuMemCreate(&mut allocation, bytes, &prop, 0).result()?;
        let kind = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        cuMemExportToShareableHandle((&raw mut fd).cast(), allocation, kind, 0).result()?;

        let size = bytes as u64;
        let desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
            type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
            handle: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle { fd },
            size,
            ..Default::default()
        };
        cuImportExternalMemory(&mut import, &desc).result()?;
        let range = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { size, ..Default::default() };
        cuExternalMemoryGetMappedBuffer(&mut mapped, import, &range).result()?;

        cuMemsetD32Async(mapped, 40, COUNT, page::to_external(&stream)).result()?;
        stream.synchronize()?;
        cuStreamCreate(&mut own_stream, CU_STREAM_NON_BLOCKING.into()).result()?;
        page::to_cudarc(&context, own_stream)
    };

    // SAFETY: the mapping has COUNT words, and is unmapped below.
    let mut slice = unsafe { page::as_slice::<u32>(&borrowed, mapped, COUNT) };
    let filled = borrowed.clone_dtoh(&*slice)?;
    borrowed.memcpy_htod(&vec![44; COUNT], &mut *slice)?;
    borrowed.synchronize()?;
    page::release(slice);
    drop(borrowed);
    context.check_err()?;

    let mut copied = vec![0_u32; COUNT];
    // SAFETY: the vector and the mapping have COUNT words; nothing uses the stream and the mapping any more.
    unsafe {
        cuMemcpyDtoH(copied.as_mut_ptr().cast(), mapped, COUNT * 4).result()?;
        cuStreamDestroy(own_stream).result()?;
        cuMemFree(mapped).result()?;
        cuDestroyExternalMemory(import).result()?;
        cuMemRelease(allocation).result()?;
    }
    assert!(filled.iter().all(|word| *word == 40), "what this crate wrote");
    assert!(copied.iter().all(|word| *word == 44), "what cudarc wrote");
    Ok(())
}
