//! Invalid arguments for the functions of external memory: null pointers, zeros, unknown flags, destroyed
//! handles, handles of other kinds.

use std::ptr::{null, null_mut};

use cuda_external_sys::*;
use interop::cuda::import_memory;
use interop::vulkan::Buffer;
use interop::{Result, cuda};

use crate::case::{Case, Group, answer};
use crate::gpu::{Exportable, cuda as open_cuda, vulkan};

/// How the tables of invalid arguments read.
pub const COLUMNS: &[&str] = &["call", "code", "afterwards"];

pub const NOTE: &str =
    "Everything else of the call is valid. \"Afterwards\" is `cuCtxSynchronize` after the call.";

/// A case: sets up, and makes the call.
pub fn case(name: &str, call: impl Fn() -> Result<CUresult> + Send + Sync + 'static) -> Case {
    Case::new(name, move || {
        answer(format!("{:?}", call()?));
        // SAFETY: takes nothing.
        answer(format!("{:?}", unsafe { cuCtxSynchronize() }));
        Ok(())
    })
}

/// Most calls with invalid arguments leave the process as it was. Not so where the driver may take a destroyed
/// handle, or a handle of another kind, for another object, or where the stream never comes to its end.
pub fn share(case: Case) -> Case {
    let has = |words: &[&str]| words.iter().any(|word| case.name.contains(word));
    if case.name.starts_with("cuWait") && has(&["nobody signals", "binary semaphore"]) {
        // The driver takes long to end a process whose stream waits, and other processes would count as hanging.
        case.alone()
    } else if has(&["destroyed", "not a handle", "handle of memory"]) {
        case
    } else {
        case.harmless()
    }
}

/// What no driver has made: readable memory that is not a handle.
static NOTHING: [u64; 512] = [0; 512];

pub fn not_a_handle<T>() -> *mut T {
    (&raw const NOTHING).cast_mut().cast()
}

const SIZE: u64 = 2 << 20;

/// CUDA's memory, exported and imported. It lives until the process ends.
pub fn imported() -> Result<CUexternalMemory> {
    let memory = Exportable::new(open_cuda(0)?, SIZE)?;
    let imported = import_memory(memory.fd()?, memory.size, false)?;
    std::mem::forget(memory);
    Ok(imported)
}

fn destroyed() -> Result<CUexternalMemory> {
    let imported = imported()?;
    // SAFETY: imported above, and nothing is mapped.
    unsafe { cuDestroyExternalMemory(imported) }.result()?;
    Ok(imported)
}

/// A description of memory that would be imported.
fn handle_desc() -> Result<CUDA_EXTERNAL_MEMORY_HANDLE_DESC> {
    let memory = Exportable::new(open_cuda(0)?, SIZE)?;
    let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
        type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
        size: memory.size,
        ..Default::default()
    };
    desc.handle.fd = std::os::fd::IntoRawFd::into_raw_fd(memory.fd()?);
    std::mem::forget(memory);
    Ok(desc)
}

const WHOLE: CUDA_EXTERNAL_MEMORY_BUFFER_DESC =
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset: 0, size: SIZE, flags: 0, reserved: [0; 16] };

fn array_desc() -> CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
    let array = CUDA_ARRAY3D_DESCRIPTOR {
        Width: 64,
        Height: 64,
        Format: CU_AD_FORMAT_UNSIGNED_INT8,
        NumChannels: 4,
        ..Default::default()
    };
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC { arrayDesc: array, numLevels: 1, ..Default::default() }
}

// SAFETY, of every call here: it is made in a process of its own, and what it is given is invalid on purpose.

pub fn group() -> Group {
    let mut cases = imports();
    cases.extend(buffers());
    cases.extend(arrays());
    cases.extend(ends());
    Group {
        name: "invalid-memory",
        title: "Invalid arguments: external memory",
        note: NOTE,
        columns: COLUMNS,
        repeatable: true,
        cases: cases.into_iter().map(share).collect(),
    }
}

fn imports() -> Vec<Case> {
    vec![
        case("cuImportExternalMemory: null for the handle", || {
            let desc = handle_desc()?;
            Ok(unsafe { cuImportExternalMemory(null_mut(), &desc) })
        }),
        case("cuImportExternalMemory: null for the description", || {
            open_cuda(0)?;
            Ok(unsafe { cuImportExternalMemory(&mut null_mut(), null()) })
        }),
        case("cuImportExternalMemory: a description of zeros", || {
            open_cuda(0)?;
            Ok(unsafe {
                cuImportExternalMemory(&mut null_mut(), &CUDA_EXTERNAL_MEMORY_HANDLE_DESC::default())
            })
        }),
        case("cuImportExternalMemory: flags 0xffffffff", || {
            let desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { flags: u32::MAX, ..handle_desc()? };
            Ok(unsafe { cuImportExternalMemory(&mut null_mut(), &desc) })
        }),
    ]
}

fn buffers() -> Vec<Case> {
    let map = |memory, desc: &CUDA_EXTERNAL_MEMORY_BUFFER_DESC| unsafe {
        cuExternalMemoryGetMappedBuffer(&mut 0, memory, desc)
    };
    vec![
        case("cuExternalMemoryGetMappedBuffer: null for the address", || {
            Ok(unsafe { cuExternalMemoryGetMappedBuffer(null_mut(), imported()?, &WHOLE) })
        }),
        case("cuExternalMemoryGetMappedBuffer: null for the memory", move || {
            open_cuda(0)?;
            Ok(map(null_mut(), &WHOLE))
        }),
        case("cuExternalMemoryGetMappedBuffer: null for the description", || {
            Ok(unsafe { cuExternalMemoryGetMappedBuffer(&mut 0, imported()?, null()) })
        }),
        case("cuExternalMemoryGetMappedBuffer: destroyed memory", move || Ok(map(destroyed()?, &WHOLE))),
        case("cuExternalMemoryGetMappedBuffer: not a handle", move || {
            open_cuda(0)?;
            Ok(map(not_a_handle(), &WHOLE))
        }),
        case("cuExternalMemoryGetMappedBuffer: a description of zeros", move || {
            Ok(map(imported()?, &CUDA_EXTERNAL_MEMORY_BUFFER_DESC::default()))
        }),
        case("cuExternalMemoryGetMappedBuffer: flags 0xffffffff", move || {
            Ok(map(imported()?, &CUDA_EXTERNAL_MEMORY_BUFFER_DESC { flags: u32::MAX, ..WHOLE }))
        }),
        case("cuExternalMemoryGetMappedBuffer: no current context", move || {
            let imported = imported()?;
            unsafe { cuCtxSetCurrent(null_mut()) }.result()?;
            let code = map(imported, &WHOLE);
            open_cuda(0)?;
            Ok(code)
        }),
    ]
}

fn arrays() -> Vec<Case> {
    let map = |memory, desc: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC| unsafe {
        cuExternalMemoryGetMappedMipmappedArray(&mut null_mut(), memory, desc)
    };
    vec![
        case("cuExternalMemoryGetMappedMipmappedArray: null for the array", || {
            Ok(unsafe { cuExternalMemoryGetMappedMipmappedArray(null_mut(), imported()?, &array_desc()) })
        }),
        case("cuExternalMemoryGetMappedMipmappedArray: null for the memory", move || {
            open_cuda(0)?;
            Ok(map(null_mut(), &array_desc()))
        }),
        case("cuExternalMemoryGetMappedMipmappedArray: null for the description", || {
            Ok(unsafe { cuExternalMemoryGetMappedMipmappedArray(&mut null_mut(), imported()?, null()) })
        }),
        case("cuExternalMemoryGetMappedMipmappedArray: destroyed memory", move || {
            Ok(map(destroyed()?, &array_desc()))
        }),
        case("cuExternalMemoryGetMappedMipmappedArray: not a handle", move || {
            open_cuda(0)?;
            Ok(map(not_a_handle(), &array_desc()))
        }),
        case("cuExternalMemoryGetMappedMipmappedArray: a description of zeros", move || {
            Ok(map(imported()?, &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC::default()))
        }),
        case("cuExternalMemoryGetMappedMipmappedArray: zero levels", move || {
            Ok(map(imported()?, &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC { numLevels: 0, ..array_desc() }))
        }),
        case("cuExternalMemoryGetMappedMipmappedArray: 2^32 - 1 levels", move || {
            Ok(map(
                imported()?,
                &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC { numLevels: u32::MAX, ..array_desc() },
            ))
        }),
        case("cuExternalMemoryGetMappedMipmappedArray: a level that the array lacks", || {
            open_cuda(0)?;
            let mut mipmap = null_mut();
            let desc = array_desc();
            // A Vulkan buffer's memory: an array can lie anywhere.
            let (buffer, memory) = Buffer::with_memory(vulkan(0)?, SIZE, false)?;
            let imported = import_memory(memory.export()?, memory.size, false)?;
            std::mem::forget((buffer, memory));
            unsafe {
                cuExternalMemoryGetMappedMipmappedArray(&mut mipmap, imported, &desc).result()?;
                Ok(cuMipmappedArrayGetLevel(&mut null_mut(), mipmap, 1))
            }
        }),
    ]
}

fn ends() -> Vec<Case> {
    vec![
        case("cuDestroyExternalMemory: null", || {
            open_cuda(0)?;
            Ok(unsafe { cuDestroyExternalMemory(null_mut()) })
        }),
        case("cuDestroyExternalMemory: destroyed memory", || {
            Ok(unsafe { cuDestroyExternalMemory(destroyed()?) })
        }),
        case("cuDestroyExternalMemory: not a handle", || {
            open_cuda(0)?;
            Ok(unsafe { cuDestroyExternalMemory(not_a_handle()) })
        }),
        case("cuDestroyExternalMemory: no current context", || {
            let imported = imported()?;
            unsafe { cuCtxSetCurrent(null_mut()) }.result()?;
            let code = unsafe { cuDestroyExternalMemory(imported) };
            open_cuda(0)?;
            Ok(code)
        }),
        case("cuMemFree: null", || {
            open_cuda(0)?;
            Ok(unsafe { cuMemFree_v2(0) })
        }),
        case("cuMemFree: an address inside a mapping", || {
            let address = cuda::map_buffer(imported()?, 0, SIZE)?;
            Ok(unsafe { cuMemFree_v2(address + 4096) })
        }),
        case("cuMemUnmap: an imported mapping", || {
            let address = cuda::map_buffer(imported()?, 0, SIZE)?;
            Ok(unsafe { cuMemUnmap(address, SIZE as usize) })
        }),
        case("cuMipmappedArrayDestroy: null", || {
            open_cuda(0)?;
            Ok(unsafe { cuMipmappedArrayDestroy(null_mut()) })
        }),
    ]
}
