//! Handles, contexts and processes.

use std::ptr::null_mut;
use std::thread;

use cuda_external_check::rules::Rule;
use cuda_external_sys::*;

use super::calls::*;
use super::{Case, breaks, case};

pub const CASES: &[Case] = &[
    breaks(Rule::HandleUnknown, || {
        context();
        assert_eq!(destroy(null_mut()), CUDA_ERROR_INVALID_HANDLE);
    }),
    case("a-null-semaphore", &[Rule::HandleUnknown], || {
        context();
        assert_eq!(signal(null_mut(), 1, null_mut()), CUDA_ERROR_INVALID_HANDLE);
    }),
    // A driver refuses a handle that it did not make as a value.
    case("handles-that-no-import-returned", &[Rule::HandleUnknown], || {
        context();
        let zeros = Box::leak(Box::new([0_u64; 512])).as_mut_ptr();
        assert_ne!(signal(zeros.cast(), 1, null_mut()), CUDA_SUCCESS);
        assert!(try_map(zeros.cast(), 0, SIZE).is_err());
    }),
    breaks(Rule::HandleDestroyed, || {
        context();
        let memory = import();
        ok(destroy(memory));
        assert_eq!(try_map(memory, 0, SIZE), Err(CUDA_ERROR_INVALID_HANDLE));
    }),
    case("signal-of-a-destroyed-semaphore", &[Rule::HandleDestroyed], || {
        context();
        let semaphore = timeline();
        ok(destroy_semaphore(semaphore));
        assert_eq!(signal(semaphore, 1, null_mut()), CUDA_ERROR_INVALID_HANDLE);
    })
    .without_gpu(),
    breaks(Rule::HandleDestroyedTwice, || {
        context();
        let memory = import();
        ok(destroy(memory));
        assert_eq!(destroy(memory), CUDA_ERROR_INVALID_HANDLE);
    }),
    case("array-and-semaphore-destroyed-twice", &[Rule::HandleDestroyedTwice], || {
        context();
        let (memory, semaphore) = (import(), timeline());
        let array = map_array(memory);
        ok(destroy_array(array));
        assert_eq!(destroy_array(array), CUDA_ERROR_INVALID_HANDLE);
        ok(destroy_semaphore(semaphore));
        assert_eq!(destroy_semaphore(semaphore), CUDA_ERROR_INVALID_HANDLE);
        ok(destroy(memory));
    })
    .without_gpu(),
    breaks(Rule::HandleWrongKind, || {
        with_memory(|memory| {
            assert_eq!(signal(memory.cast(), 1, null_mut()), CUDA_ERROR_INVALID_HANDLE);
            assert_eq!(destroy_semaphore(memory.cast()), CUDA_ERROR_INVALID_HANDLE);
        });
    }),
    case("each-as-what-it-is", &[], || {
        with_memory(|_| with_timeline(|semaphore| ok(signal(semaphore, 1, null_mut()))));
    })
    .without_gpu(),
    breaks(Rule::HandleOtherContext, || {
        let first = context();
        let semaphore = timeline();
        let second = new_context();
        ok(signal(semaphore, 1, null_mut()));
        ok(destroy_context(second));
        ok(set_current(first));
        end(semaphore);
    })
    .without_gpu(),
    case("in-its-context-beside-another", &[], || {
        let first = context();
        let second = new_context();
        ok(set_current(first));
        with_timeline(|semaphore| ok(signal(semaphore, 1, null_mut())));
        ok(destroy_context(second));
    })
    .without_gpu(),
    breaks(Rule::HandleContextGone, || {
        context();
        let memory = import();
        ok(release(0));
        assert_eq!(destroy(memory), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    })
    .also(&[Rule::NotFreed]),
    case("a-mapping-freed-after-its-context", &[Rule::HandleContextGone, Rule::NotFreed], || {
        context();
        let address = map_all(import());
        ok(release(0));
        assert_ne!(free(address), CUDA_SUCCESS);
    }),
    case("not-freed-at-the-end-of-the-context", &[Rule::NotFreed], || {
        context();
        map_all(import());
        ok(release(0));
    }),
    case("context-retained-twice-and-released-twice", &[], || {
        [context(), context()].iter().for_each(|context| assert!(!context.is_null()));
        let memory = import();
        ok(release(0));
        ok(destroy(memory));
        ok(release(0));
    }),
    breaks(Rule::AfterFork, || {
        context();
        let fd = export();
        // A real driver refuses it.
        in_child(|| import_as(&description(fd)).into_iter().for_each(|memory| ok(destroy(memory))));
    }),
    case("in-a-child-of-a-process-without-cuda", &[], || in_child(|| with_mapping(|_| {}))),
    // A new thread has no current context.
    breaks(Rule::NoCurrentContext, || {
        context();
        let fd = export();
        in_thread(move || assert_eq!(import_as(&description(fd)), Err(CUDA_ERROR_INVALID_CONTEXT)));
    }),
    case("mapped-signaled-and-freed-without-a-current-context", &[], || {
        context();
        let (memory, semaphore, stream) = (import(), timeline(), stream());
        ok(set_current(null_mut()));
        let address = try_map(memory, 0, SIZE).expect("the mapping");
        ok(signal(semaphore, 1, stream));
        wait(semaphore, 1, stream);
        ok(unsafe { cuStreamSynchronize(stream) });
        ok(free(address));
        ok(destroy(memory));
        ok(destroy_semaphore(semaphore));
    }),
    case("the-context-made-current-in-a-thread", &[], || {
        let (context, fd) = (context().addr(), export());
        in_thread(move || {
            ok(set_current(context as CUcontext));
            ok(destroy(import_fd(fd)));
        });
    }),
];

pub fn in_thread(run: impl FnOnce() + Send + 'static) {
    thread::spawn(run).join().expect("it ends");
}

fn in_child(run: impl FnOnce()) {
    // SAFETY: this process has one thread, or those of a driver that the child does not use.
    match unsafe { libc::fork() } {
        0 => {
            run();
            unsafe { libc::_exit(0) }
        }
        child => assert_eq!(unsafe { libc::waitpid(child, null_mut(), 0) }, child),
    }
}
