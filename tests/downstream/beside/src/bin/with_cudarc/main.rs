//! cudarc for the context, a stream and copies; this crate for an address. Their handles are the same pointers.
//!
//! This crate fills memory in a cudarc stream; cudarc copies it, in a stream of this crate, through a slice over the
//! address, both ways. Without a GPU the program says so and exits with 0. The example package `cudarc` imports memory.

#[path = "../../../../../../examples/cudarc/src/handles.rs"]
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

    let (mut address, mut own_stream) = (0, ptr::null_mut());
    // SAFETY: the pointers are to variables here, and the memory has COUNT words.
    let borrowed = unsafe {
        cuMemAlloc(&mut address, COUNT * 4).result()?;
        cuMemsetD32Async(address, 40, COUNT, page::to_external(&stream)).result()?;
        stream.synchronize()?;
        cuStreamCreate(&mut own_stream, CU_STREAM_NON_BLOCKING.into()).result()?;
        page::to_cudarc(&context, own_stream)
    };

    // SAFETY: the memory is freed below.
    let mut slice = unsafe { page::as_slice::<u32>(&borrowed, address, COUNT) };
    let filled = borrowed.clone_dtoh(&*slice)?;
    borrowed.memcpy_htod(&vec![44; COUNT], &mut *slice)?;
    borrowed.synchronize()?;
    page::release(slice);
    drop(borrowed);
    context.check_err()?;

    let mut copied = vec![0_u32; COUNT];
    // SAFETY: the vector and the memory have COUNT words; nothing uses the stream and the memory any more.
    unsafe {
        cuMemcpyDtoH(copied.as_mut_ptr().cast(), address, COUNT * 4).result()?;
        cuStreamDestroy(own_stream).result()?;
        cuMemFree(address).result()?;
    }
    assert!(filled.iter().all(|word| *word == 40), "what this crate wrote");
    assert!(copied.iter().all(|word| *word == 44), "what cudarc wrote");
    Ok(())
}
