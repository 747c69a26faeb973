//! Invalid arguments for the functions of external semaphores.

use std::ffi::{c_int, c_void};
use std::os::fd::IntoRawFd;
use std::ptr::{null, null_mut};

use cuda_external_sys::*;
use interop::Result;
use interop::cuda::import_semaphore;
use interop::vulkan::Semaphore;

use super::invalid::{COLUMNS, case, imported, not_a_handle, share};
use super::teardown::idle;
use crate::case::{Case, Group, answer};
use crate::gpu::{cuda, stream, vulkan};

const BINARY: CUexternalSemaphoreHandleType = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
const TIMELINE: CUexternalSemaphoreHandleType = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;

/// A timeline that stands at 1, of Vulkan and imported. It lives until the process ends.
pub fn timeline() -> Result<CUexternalSemaphore> {
    let semaphore = Semaphore::timeline(vulkan(0)?, 1)?;
    let imported = import_semaphore(semaphore.export()?, TIMELINE)?;
    std::mem::forget(semaphore);
    Ok(imported)
}

fn binary() -> Result<CUexternalSemaphore> {
    let semaphore = Semaphore::binary(vulkan(0)?)?;
    let imported = import_semaphore(semaphore.export()?, BINARY)?;
    std::mem::forget(semaphore);
    Ok(imported)
}

pub fn destroyed() -> Result<CUexternalSemaphore> {
    let semaphore = timeline()?;
    // SAFETY: imported above, and not used.
    unsafe { cuDestroyExternalSemaphore(semaphore) }.result()?;
    Ok(semaphore)
}

/// A case whose call is in a stream: it answers with the code, and with that at the end of the stream.
fn in_stream(name: String, call: impl Fn(CUstream) -> Result<CUresult> + Send + Sync + 'static) -> Case {
    Case::new(name, move || {
        cuda(0)?;
        let stream = stream()?;
        answer(format!("{:?}", call(stream)?));
        answer(format!("{:?}", idle(stream)));
        Ok(())
    })
}

// SAFETY, of every call here: it is made in a process of its own, and what it is given is invalid on purpose.

/// The cases of a function that signals or waits, which differ in the parameters' type alone.
macro_rules! operation {
    ($cases:ident, $function:ident, $params:ident, $value:expr) => {{
        let params = || {
            let mut params = $params::default();
            params.params.fence.value = $value;
            params
        };
        let mut add = |what: &str, call: fn($params, CUstream) -> Result<CUresult>| {
            let name = format!("{}: {what}", stringify!($function));
            $cases.push(in_stream(name, move |stream| call(params(), stream)));
        };
        add("valid", |params, stream| Ok(unsafe { $function(&timeline()?, &params, 1, stream) }));
        add("null for the semaphores", |params, stream| Ok(unsafe { $function(null(), &params, 1, stream) }));
        add("null for the parameters", |_, stream| Ok(unsafe { $function(&timeline()?, null(), 1, stream) }));
        add("zero semaphores", |params, stream| Ok(unsafe { $function(&timeline()?, &params, 0, stream) }));
        add("zero semaphores, null for both lists", |_, stream| {
            Ok(unsafe { $function(null(), null(), 0, stream) })
        });
        add("a null semaphore", |params, stream| Ok(unsafe { $function(&null_mut(), &params, 1, stream) }));
        add("a destroyed semaphore", |params, stream| {
            Ok(unsafe { $function(&destroyed()?, &params, 1, stream) })
        });
        add("not a handle", |params, stream| Ok(unsafe { $function(&not_a_handle(), &params, 1, stream) }));
        add("a handle of memory", |params, stream| {
            let memory: CUexternalSemaphore = imported()?.cast();
            Ok(unsafe { $function(&memory, &params, 1, stream) })
        });
        add("the second of two semaphores null", |params, stream| {
            let (semaphores, params) = ([timeline()?, null_mut()], [params; 2]);
            Ok(unsafe { $function(semaphores.as_ptr(), params.as_ptr(), 2, stream) })
        });
        add("an unknown flag", |mut params, stream| {
            params.flags = 1 << 31;
            Ok(unsafe { $function(&timeline()?, &params, 1, stream) })
        });
        add("the flag for NvSciSync", |mut params, stream| {
            params.flags = 1;
            Ok(unsafe { $function(&timeline()?, &params, 1, stream) })
        });
        add("a reserved field that is not zero", |mut params, stream| {
            params.reserved[0] = 1;
            Ok(unsafe { $function(&timeline()?, &params, 1, stream) })
        });
        add("value 0 of a timeline", |mut params, stream| {
            params.params.fence.value = 0;
            Ok(unsafe { $function(&timeline()?, &params, 1, stream) })
        });
        add("a binary semaphore, with a value", |mut params, stream| {
            params.params.fence.value = 77;
            Ok(unsafe { $function(&binary()?, &params, 1, stream) })
        });
        add("the null stream", |params, _| Ok(unsafe { $function(&timeline()?, &params, 1, null_mut()) }));
        add("a destroyed stream", |params, _| {
            let (semaphore, other) = (timeline()?, stream()?);
            unsafe { cuStreamDestroy_v2(other) }.result()?;
            Ok(unsafe { $function(&semaphore, &params, 1, other) })
        });
        add("no current context", |params, stream| {
            let semaphore = timeline()?;
            unsafe { cuCtxSetCurrent(null_mut()) }.result()?;
            let code = unsafe { $function(&semaphore, &params, 1, stream) };
            cuda(0)?;
            Ok(code)
        });
    }};
}

pub fn group() -> Group {
    let mut cases = imports();
    operation!(cases, cuSignalExternalSemaphoresAsync, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, 2);
    operation!(cases, cuSignalExternalSemaphoresAsync_ptsz, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, 2);
    cases.push(in_stream("cuSignalExternalSemaphoresAsync: a value below the timeline's".into(), |stream| {
        let semaphore = timeline()?;
        let mut params = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default();
        params.params.fence.value = 5;
        unsafe { cuSignalExternalSemaphoresAsync(&semaphore, &params, 1, stream) }.result()?;
        params.params.fence.value = 3;
        Ok(unsafe { cuSignalExternalSemaphoresAsync(&semaphore, &params, 1, stream) })
    }));
    cases.push(in_stream("cuSignalExternalSemaphoresAsync: a binary semaphore twice".into(), |stream| {
        let (semaphore, params) = (binary()?, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default());
        unsafe { cuSignalExternalSemaphoresAsync(&semaphore, &params, 1, stream) }.result()?;
        Ok(unsafe { cuSignalExternalSemaphoresAsync(&semaphore, &params, 1, stream) })
    }));
    operation!(cases, cuWaitExternalSemaphoresAsync, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, 1);
    operation!(cases, cuWaitExternalSemaphoresAsync_ptsz, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, 1);
    cases.push(in_stream("cuWaitExternalSemaphoresAsync: a value that nobody signals".into(), |stream| {
        let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
        params.params.fence.value = 2;
        Ok(unsafe { cuWaitExternalSemaphoresAsync(&timeline()?, &params, 1, stream) })
    }));
    cases.extend(ends());
    Group {
        name: "invalid-semaphores",
        title: "Invalid arguments: external semaphores",
        note: NOTE_STREAM,
        columns: COLUMNS,
        repeatable: true,
        cases: cases.into_iter().map(share).collect(),
    }
}

const NOTE_STREAM: &str = "Everything else of the call is valid; where no other is named, the semaphore is a timeline that \
                           stands at 1, which is signaled to 2 or waited for at 1. A binary semaphore is not signaled \
                           before. \"Afterwards\" is `cuStreamQuery` of the call's stream at its end or after a second, and \
                           `cuCtxSynchronize` after a call that takes no stream.";

fn imports() -> Vec<Case> {
    let desc = |type_| -> Result<CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC> {
        let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { type_, ..Default::default() };
        desc.handle.fd = Semaphore::timeline(vulkan(0)?, 0)?.export()?.into_raw_fd();
        Ok(desc)
    };
    vec![
        case("cuImportExternalSemaphore: null for the handle", move || {
            Ok(unsafe { cuImportExternalSemaphore(null_mut(), &desc(TIMELINE)?) })
        }),
        case("cuImportExternalSemaphore: null for the description", || {
            cuda(0)?;
            Ok(unsafe { cuImportExternalSemaphore(&mut null_mut(), null()) })
        }),
        case("cuImportExternalSemaphore: a description of zeros", || {
            cuda(0)?;
            let zeros = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC::default();
            Ok(unsafe { cuImportExternalSemaphore(&mut null_mut(), &zeros) })
        }),
        case("cuImportExternalSemaphore: flags 0xffffffff", move || {
            let desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { flags: u32::MAX, ..desc(TIMELINE)? };
            Ok(unsafe { cuImportExternalSemaphore(&mut null_mut(), &desc) })
        }),
    ]
}

fn ends() -> Vec<Case> {
    let mut cases = vec![
        case("cuDestroyExternalSemaphore: null", || {
            cuda(0)?;
            Ok(unsafe { cuDestroyExternalSemaphore(null_mut()) })
        }),
        case("cuDestroyExternalSemaphore: a destroyed semaphore", || {
            Ok(unsafe { cuDestroyExternalSemaphore(destroyed()?) })
        }),
        case("cuDestroyExternalSemaphore: not a handle", || {
            cuda(0)?;
            Ok(unsafe { cuDestroyExternalSemaphore(not_a_handle()) })
        }),
        case("cuDestroyExternalSemaphore: a handle of memory", || {
            Ok(unsafe { cuDestroyExternalSemaphore(imported()?.cast()) })
        }),
    ];
    // Readable memory, should the driver look into a list of attributes.
    let list = || not_a_handle::<c_void>();
    let signal = CUDA_NVSCISYNC_ATTR_SIGNAL as c_int;
    let mut add = |what: &str, is_null: bool, device: fn() -> Result<CUdevice>, flags: c_int| {
        cases.push(case(&format!("cuDeviceGetNvSciSyncAttributes: {what}"), move || {
            let list = if is_null { null_mut() } else { list() };
            let device = device()?;
            Ok(unsafe { cuDeviceGetNvSciSyncAttributes(list, device, flags) })
        }));
    };
    let here = || Ok(cuda(0)?.device);
    let nowhere = || {
        cuda(0)?;
        Ok(-1)
    };
    add("flag SIGNAL", false, here, signal);
    add("flag WAIT", false, here, CUDA_NVSCISYNC_ATTR_WAIT as c_int);
    add(
        "flags SIGNAL and WAIT",
        false,
        here,
        (CUDA_NVSCISYNC_ATTR_SIGNAL | CUDA_NVSCISYNC_ATTR_WAIT) as c_int,
    );
    add("no flag", false, here, 0);
    add("an unknown flag", false, here, 4);
    add("null for the list", true, here, signal);
    add("device -1", false, nowhere, signal);
    cases
}
