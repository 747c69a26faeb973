//! cudarc for the context, the stream and the kernel; this crate for the import. Their handles are the same pointers.
//!
//! CUDA exports memory as a file descriptor and imports it again through this crate. A kernel that cudarc launches works
//! on the mapping, in a stream of cudarc's and in one of this crate's; cudarc copies the result through a slice over the
//! mapping. Without a GPU the program says so and exits with 0.

mod page;

use std::error::Error;
use std::process::ExitCode;
use std::ptr;

use cuda_external_sys::*;
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;

const COUNT: u32 = 1 << 20;

/// Adds a number to each of `count` words.
const KERNEL: &str = "
.version 7.0
.target sm_75
.address_size 64

.visible .entry add(.param .u64 words, .param .u32 count, .param .u32 number)
{
    .reg .pred %beyond;
    .reg .b32 %index, %size, %block, %thread, %count, %number, %word;
    .reg .b64 %words, %address;

    ld.param.u64 %words, [words];
    ld.param.u32 %count, [count];
    ld.param.u32 %number, [number];
    cvta.to.global.u64 %words, %words;
    mov.u32 %size, %ntid.x;
    mov.u32 %block, %ctaid.x;
    mov.u32 %thread, %tid.x;
    mad.lo.u32 %index, %block, %size, %thread;
    setp.ge.u32 %beyond, %index, %count;
    @%beyond bra done;
    mad.wide.u32 %address, %index, 4, %words;
    ld.global.u32 %word, [%address];
    add.u32 %word, %word, %number;
    st.global.u32 [%address], %word;
done:
    ret;
}
";

fn main() -> ExitCode {
    // cudarc panics where there is no driver, so this crate is asked first.
    if let Err(error) = load() {
        println!("There is no driver here: {error}");
        return ExitCode::SUCCESS;
    }
    // SAFETY: it takes no pointer.
    if unsafe { cuInit(0) } == CUDA_ERROR_NO_DEVICE {
        println!("There is a driver here, and no GPU.");
        return ExitCode::SUCCESS;
    }
    match share() {
        Ok(()) => {
            println!(
                "{COUNT} words, written by this crate, changed by cudarc's kernel, read again: all are right."
            );
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("failed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn check(what: &str, code: CUresult) -> Result<(), Box<dyn Error>> {
    match (code, page::driver_error(code)) {
        (CUDA_SUCCESS, _) => Ok(()),
        (_, Some(error)) => Err(format!("{what}: {error}").into()),
        (_, None) => Err(format!("{what}: {code:?}").into()),
    }
}

fn share() -> Result<(), Box<dyn Error>> {
    // cudarc's: the primary context, current in this thread; a stream; a kernel.
    let context = CudaContext::new(0).map_err(|error| format!("cudarc returned {:?}", page::code(error)))?;
    let stream = context.new_stream()?;
    let add = context.load_module(Ptx::from_src(KERNEL))?.load_function("add")?;
    // The same stream, for this crate's functions.
    let raw_stream = page::to_external(&stream);
    println!("cudarc's context on {}", context.name()?);

    let prop = CUmemAllocationProp {
        type_: CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        location: CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: 0 },
        ..Default::default()
    };
    let (mut allocation, mut fd) = (0, -1);
    let (mut import, mut mapped) = (ptr::null_mut(), 0);
    let bytes = COUNT as usize * 4;
    let mut granularity = 0;
    // SAFETY: the pointers are to variables here, and each handle is used before it is given back.
    unsafe {
        let which = CU_MEM_ALLOC_GRANULARITY_MINIMUM;
        check("granularity", cuMemGetAllocationGranularity(&mut granularity, &prop, which))?;
        let size = bytes.next_multiple_of(granularity);
        check("cuMemCreate", cuMemCreate(&mut allocation, size, &prop, 0))?;
        let kind = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        check("export", cuMemExportToShareableHandle((&raw mut fd).cast(), allocation, kind, 0))?;

        let desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
            type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
            handle: CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle { fd },
            size: size as u64,
            ..Default::default()
        };
        check("cuImportExternalMemory", cuImportExternalMemory(&mut import, &desc))?;
        let range = CUDA_EXTERNAL_MEMORY_BUFFER_DESC { size: size as u64, ..Default::default() };
        check("mapping", cuExternalMemoryGetMappedBuffer(&mut mapped, import, &range))?;
        println!("imported {size} bytes, mapped at {mapped:#x}");

        check("memset", cuMemsetD32Async(mapped, 40, COUNT as usize, raw_stream))?;
    }

    // A kernel of cudarc's on this crate's mapping, in cudarc's stream: an address is a number to both.
    let number = 2_u32;
    let mut launch = stream.launch_builder(&add);
    launch.arg(&mapped).arg(&COUNT).arg(&number);
    // SAFETY: the kernel takes these three, and the mapping has COUNT words.
    unsafe { launch.launch(LaunchConfig::for_num_elems(COUNT)) }?;
    stream.synchronize()?;

    // The same in a stream of this crate's.
    let mut own_stream = ptr::null_mut();
    // SAFETY: the stream is destroyed below, after cudarc's last use of it.
    let borrowed = unsafe {
        check("cuStreamCreate", cuStreamCreate(&mut own_stream, CU_STREAM_NON_BLOCKING.into()))?;
        page::to_cudarc(&context, own_stream)
    };
    let mut launch = borrowed.launch_builder(&add);
    launch.arg(&mapped).arg(&COUNT).arg(&number);
    // SAFETY: as above.
    unsafe { launch.launch(LaunchConfig::for_num_elems(COUNT)) }?;

    // cudarc's copy, from a slice over the mapping that does not free it.
    // SAFETY: the mapping has COUNT words, and is unmapped below.
    let slice = unsafe { page::as_slice::<u32>(&borrowed, mapped, COUNT as usize) };
    let words = borrowed.clone_dtoh(&*slice)?;
    borrowed.synchronize()?;
    page::release(slice);
    drop(borrowed);
    context.check_err()?;

    // SAFETY: nothing uses the stream and the mapping any more.
    unsafe {
        check("cuStreamDestroy", cuStreamDestroy_v2(own_stream))?;
        check("cuMemFree", cuMemFree_v2(mapped))?;
        check("cuDestroyExternalMemory", cuDestroyExternalMemory(import))?;
        check("cuMemRelease", cuMemRelease(allocation))?;
    }
    match words.iter().position(|word| *word != 44) {
        Some(at) => Err(format!("word {at} is {}, not 44", words[at]).into()),
        None => Ok(()),
    }
}
