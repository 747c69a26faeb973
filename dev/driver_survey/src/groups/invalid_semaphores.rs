//! Passes invalid arguments to the functions of external semaphores.

use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::os::fd::IntoRawFd;
use std::ptr::{null, null_mut};

use cuda_external_sys::*;
use example_support::Result;
use example_support::vulkan::ExportableSemaphore;

use super::fixtures::exported_memory::{
    create_nonblocking_stream, import_exported_semaphore, poll_stream_until_end, signal_semaphore,
};
use super::fixtures::opened_devices::{cuda_device, vulkan_device};
use super::fixtures::question::{Question, QuestionGroup, print_code};
use super::invalid_memory::{
    ask_one_call, call_questions, clear_context, imported_memory, pointer_to_zeros, restore_current_context,
};

/// Imports a Vulkan timeline with the value 1. The timeline lives until the process ends.
pub fn imported_timeline() -> Result<CUexternalSemaphore> {
    import_exported_semaphore(&ManuallyDrop::new(ExportableSemaphore::new_timeline(vulkan_device(0)?, 1)?))
}

fn imported_binary() -> Result<CUexternalSemaphore> {
    import_exported_semaphore(&ManuallyDrop::new(ExportableSemaphore::new_binary(vulkan_device(0)?)?))
}

pub fn destroyed_semaphore() -> Result<CUexternalSemaphore> {
    let semaphore = imported_timeline()?;
    unsafe { cuDestroyExternalSemaphore(semaphore) }.result()?;
    Ok(semaphore)
}

/// Returns a question that makes one call in a new stream. The answer is the call's code and cuStreamQuery's last code.
fn ask_stream_call(
    name: &str,
    call: impl Fn(CUstream) -> Result<CUresult> + Send + Sync + 'static,
) -> Question {
    Question::new(name, move || {
        cuda_device(0)?;
        let stream = create_nonblocking_stream()?;
        print_code(call(stream)?);
        restore_current_context()?;
        print_code(poll_stream_until_end(stream));
        Ok(())
    })
}

/// Makes a question run alone if its stream waits forever. NVIDIA's driver takes long to end such a process, and
/// meanwhile other questions would count as hanging.
fn run_alone_if_it_waits(question: Question) -> Question {
    let waits = ["nobody signals", "binary semaphore"].iter().any(|part| question.name.contains(part));
    if question.name.starts_with("cuWait") && waits { question.mark_to_run_alone() } else { question }
}

fn destroyed_stream() -> Result<CUstream> {
    let stream = create_nonblocking_stream()?;
    unsafe { cuStreamDestroy(stream) }.result()?;
    Ok(stream)
}

/// Adds the questions about a function that signals or waits, and whose parameters have the type `$params`. `$value` is
/// valid for a timeline with the value 1.
macro_rules! stream_questions {
    ($questions:ident, $function:ident, $params:ident, $value:literal) => {{
        fn changed_params(change: fn(&mut $params)) -> $params {
            let mut params = $params::default();
            params.params.fence.value = $value;
            change(&mut params);
            params
        }
        let valid = || changed_params(|_| {});
        call_questions! { $questions, ask_stream_call, stream, $function {
            "valid" => (&imported_timeline()?, &valid(), 1, stream);
            "null for the semaphores" => (null(), &valid(), 1, stream);
            "null for the parameters" => (&imported_timeline()?, null(), 1, stream);
            "zero semaphores" => (&imported_timeline()?, &valid(), 0, stream);
            "zero semaphores, null for both lists" => (null(), null(), 0, stream);
            "a null semaphore" => (&null_mut(), &valid(), 1, stream);
            "a destroyed semaphore" => (&destroyed_semaphore()?, &valid(), 1, stream);
            "not a handle" => (&pointer_to_zeros(), &valid(), 1, stream);
            "a handle of memory" => (&imported_memory()?.cast(), &valid(), 1, stream);
            "the second of two semaphores null" =>
                ([imported_timeline()?, null_mut()].as_ptr(), [valid(); 2].as_ptr(), 2, stream);
            "an unknown flag" => (&imported_timeline()?, &changed_params(|params| params.flags = 1 << 31), 1, stream);
            "the flag for NvSciSync" => (&imported_timeline()?, &changed_params(|params| params.flags = 1), 1, stream);
            "a reserved field that is not zero" =>
                (&imported_timeline()?, &changed_params(|params| params.reserved[0] = 1), 1, stream);
            "value 0 of a timeline" =>
                (&imported_timeline()?, &changed_params(|params| params.params.fence.value = 0), 1, stream);
            "a binary semaphore, with a value" =>
                (&imported_binary()?, &changed_params(|params| params.params.fence.value = 77), 1, stream);
            "the null stream" => (&imported_timeline()?, &valid(), 1, null_mut());
            "a destroyed stream" => (&imported_timeline()?, &valid(), 1, destroyed_stream()?);
            "no current context" => { let timeline = imported_timeline()?; clear_context()?; }
                (&timeline, &valid(), 1, stream);
        }}
    }};
}

pub fn invalid_semaphore_questions() -> QuestionGroup {
    let value_2 = || {
        let mut params = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default();
        params.params.fence.value = 2;
        params
    };
    let desc = || -> Result<CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC> {
        let semaphore = ExportableSemaphore::new_timeline(vulkan_device(0)?, 0)?;
        let type_ = semaphore.handle_type();
        let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { type_, ..Default::default() };
        desc.handle.fd = semaphore.export_fd()?.into_raw_fd();
        Ok(desc)
    };
    let mut questions = Vec::new();
    call_questions! { questions, ask_one_call, (), cuImportExternalSemaphore {
        "null for the handle" => (null_mut(), &desc()?);
        "null for the description" => (&mut null_mut(), null());
        "a description of zeros" => (&mut null_mut(), &Default::default());
        "flags 0xffffffff" => { let desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { flags: u32::MAX, ..desc()? }; }
            (&mut null_mut(), &desc);
    }}
    stream_questions!(questions, cuSignalExternalSemaphoresAsync, CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, 2);
    stream_questions!(
        questions,
        cuSignalExternalSemaphoresAsync_ptsz,
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS,
        2
    );
    questions.push(ask_stream_call(
        "cuSignalExternalSemaphoresAsync: a value below the timeline's",
        |stream| {
            let semaphore = imported_timeline()?;
            signal_semaphore(semaphore, 5, stream).result()?;
            Ok(signal_semaphore(semaphore, 3, stream))
        },
    ));
    questions.push(ask_stream_call("cuSignalExternalSemaphoresAsync: a binary semaphore twice", |stream| {
        let semaphore = imported_binary()?;
        signal_semaphore(semaphore, 0, stream).result()?;
        Ok(signal_semaphore(semaphore, 0, stream))
    }));
    stream_questions!(questions, cuWaitExternalSemaphoresAsync, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, 1);
    stream_questions!(questions, cuWaitExternalSemaphoresAsync_ptsz, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, 1);
    call_questions! { questions, ask_stream_call, stream, cuWaitExternalSemaphoresAsync {
        "a value that nobody signals" => (&imported_timeline()?, &value_2(), 1, stream);
    }}
    // Readable zeros, in case the driver reads the list of attributes.
    let list = pointer_to_zeros::<c_void>;
    let device = || cuda_device(0).map(|cuda| cuda.device);
    let (by_signal, by_wait) = (CUDA_NVSCISYNC_ATTR_SIGNAL as c_int, CUDA_NVSCISYNC_ATTR_WAIT as c_int);
    call_questions! { questions, ask_one_call, (),
        cuDestroyExternalSemaphore {
            "null" => (null_mut());
            "a destroyed semaphore" => (destroyed_semaphore()?);
            "not a handle" => (pointer_to_zeros());
            "a handle of memory" => (imported_memory()?.cast());
        }
        cuDeviceGetNvSciSyncAttributes {
            "flag SIGNAL" => (list(), device()?, by_signal);
            "flag WAIT" => (list(), device()?, by_wait);
            "flags SIGNAL and WAIT" => (list(), device()?, by_signal | by_wait);
            "no flag" => (list(), device()?, 0);
            "an unknown flag" => (list(), device()?, 4);
            "null for the list" => (null_mut(), device()?, by_signal);
            "device -1" => (list(), -1, by_signal);
        }
    }
    QuestionGroup::new("invalid-semaphores", questions.into_iter().map(run_alone_if_it_waits))
}
