//! Passes invalid arguments to the functions of external memory and of its mappings.

use std::os::fd::IntoRawFd;
use std::ptr::{null, null_mut};

use cuda_external_sys::*;
use example_support::Result;
use example_support::cuda::map_mipmapped_array;

use super::fixtures::exported_memory::{ARRAY_2D, MemoryExporter, SIZE, map_first_bytes};
use super::fixtures::opened_devices::cuda_device;
use super::fixtures::question::{Question, QuestionGroup, print_code};

/// Returns a question that makes one call. The answer is the call's code, and the code of a later cuCtxSynchronize.
pub fn ask_one_call(name: &str, call: impl Fn(()) -> Result<CUresult> + Send + Sync + 'static) -> Question {
    Question::new(name, move || {
        cuda_device(0)?;
        print_code(call(())?);
        restore_current_context()?;
        print_code(unsafe { cuCtxSynchronize() });
        Ok(())
    })
}

/// Makes the first device's primary context current if the question has left the thread without a context.
pub fn restore_current_context() -> Result<()> {
    let mut context = null_mut();
    if unsafe { cuCtxGetCurrent(&mut context) } == CUDA_SUCCESS && context.is_null() {
        cuda_device(0)?;
    }
    Ok(())
}

pub fn clear_context() -> Result<()> {
    Ok(unsafe { cuCtxSetCurrent(null_mut()) }.result()?)
}

/// Adds the questions of a table. A row has a name, optional statements before the call, and the arguments.
macro_rules! call_questions {
    ($questions:ident, $question:path, $parameter:pat_param, $($function:ident {
        $($what:literal => $({ $($setup:tt)* })? ($($argument:expr),*);)*
    })*) => {$($(
        #[allow(unused_variables)] // some rows do not use the parameter
        $questions.push($question(concat!(stringify!($function), ": ", $what), move |$parameter| {
            $($($setup)*)?
            // SAFETY: the arguments may be invalid on purpose. A crash ends only this question's process.
            Ok(unsafe { $function($($argument),*) })
        }));
    )*)*};
}
pub(super) use call_questions;

/// Readable memory that is not a handle.
static NOTHING: [u64; 512] = [0; 512];

pub fn pointer_to_zeros<T>() -> *mut T {
    (&raw const NOTHING).cast_mut().cast()
}

/// Exports CUDA's memory, and imports it. The memory lives until the process ends.
pub fn imported_memory() -> Result<CUexternalMemory> {
    MemoryExporter::CUDA.leak_exported_memory(SIZE)?.import_into_cuda()
}

fn destroyed_memory() -> Result<CUexternalMemory> {
    let imported = imported_memory()?;
    unsafe { cuDestroyExternalMemory(imported) }.result()?;
    Ok(imported)
}

fn memory_handle_desc() -> Result<CUDA_EXTERNAL_MEMORY_HANDLE_DESC> {
    let memory = MemoryExporter::CUDA.leak_exported_memory(SIZE)?;
    let (type_, size) = (CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, memory.allocation_size());
    let mut desc = CUDA_EXTERNAL_MEMORY_HANDLE_DESC { type_, size, ..Default::default() };
    desc.handle.fd = memory.export_fd()?.into_raw_fd();
    Ok(desc)
}

const WHOLE: CUDA_EXTERNAL_MEMORY_BUFFER_DESC =
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset: 0, size: SIZE, flags: 0, reserved: [0; 16] };

fn mipmapped_array_desc(levels: u32) -> CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC { arrayDesc: ARRAY_2D, numLevels: levels, ..Default::default() }
}

pub fn invalid_memory_questions() -> QuestionGroup {
    let mut questions = Vec::new();
    call_questions! { questions, ask_one_call, (),
        cuImportExternalMemory {
            "null for the handle" => (null_mut(), &memory_handle_desc()?);
            "null for the description" => (&mut null_mut(), null());
            "a description of zeros" => (&mut null_mut(), &Default::default());
            "flags 0xffffffff" => { let mut desc = memory_handle_desc()?; desc.flags = u32::MAX; }
                (&mut null_mut(), &desc);
        }
        cuExternalMemoryGetMappedBuffer {
            "null for the address" => (null_mut(), imported_memory()?, &WHOLE);
            "null for the memory" => (&mut 0, null_mut(), &WHOLE);
            "null for the description" => (&mut 0, imported_memory()?, null());
            "destroyed memory" => (&mut 0, destroyed_memory()?, &WHOLE);
            "not a handle" => (&mut 0, pointer_to_zeros(), &WHOLE);
            "a description of zeros" => (&mut 0, imported_memory()?, &Default::default());
            "flags 0xffffffff" =>
                (&mut 0, imported_memory()?, &CUDA_EXTERNAL_MEMORY_BUFFER_DESC { flags: u32::MAX, ..WHOLE });
            "no current context" => { let memory = imported_memory()?; clear_context()?; } (&mut 0, memory, &WHOLE);
        }
        cuExternalMemoryGetMappedMipmappedArray {
            "null for the array" => (null_mut(), imported_memory()?, &mipmapped_array_desc(1));
            "null for the memory" => (&mut null_mut(), null_mut(), &mipmapped_array_desc(1));
            "null for the description" => (&mut null_mut(), imported_memory()?, null());
            "destroyed memory" => (&mut null_mut(), destroyed_memory()?, &mipmapped_array_desc(1));
            "not a handle" => (&mut null_mut(), pointer_to_zeros(), &mipmapped_array_desc(1));
            "a description of zeros" => (&mut null_mut(), imported_memory()?, &Default::default());
            "zero levels" => (&mut null_mut(), imported_memory()?, &mipmapped_array_desc(0));
            "2^32 - 1 levels" => (&mut null_mut(), imported_memory()?, &mipmapped_array_desc(u32::MAX));
        }
    }
    let lacking = "cuExternalMemoryGetMappedMipmappedArray: a level that the array lacks";
    questions.push(ask_one_call(lacking, |()| {
        // The memory of a Vulkan buffer, in which CUDA can map a mipmapped array.
        let imported = MemoryExporter::VULKAN.leak_exported_memory(SIZE)?.import_into_cuda()?;
        let mipmap = unsafe { map_mipmapped_array(imported, 0, mipmapped_array_desc(1).arrayDesc, 1) }?;
        Ok(unsafe { cuMipmappedArrayGetLevel(&mut null_mut(), mipmap, 1) })
    }));
    call_questions! { questions, ask_one_call, (),
        cuDestroyExternalMemory {
            "null" => (null_mut());
            "destroyed memory" => (destroyed_memory()?);
            "not a handle" => (pointer_to_zeros());
            "no current context" => { let memory = imported_memory()?; clear_context()?; } (memory);
        }
        cuMemFree {
            "null" => (0);
            "an address inside a mapping" => (map_first_bytes(imported_memory()?, SIZE)? + 4096);
        }
        cuMemUnmap { "an imported mapping" => (map_first_bytes(imported_memory()?, SIZE)?, SIZE as usize); }
        cuMipmappedArrayDestroy { "null" => (null_mut()); }
    }
    QuestionGroup::new("invalid-memory", questions)
}
