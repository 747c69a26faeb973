//! Cases about handles, contexts and processes.

use std::ptr::null_mut;
use std::thread;

use cuda_external_check::rules::Rule;
use cuda_external_sys::*;

use super::call_helpers::*;
use super::{RuleCase, named_case, rule_case};

pub const CASES: &[RuleCase] = &[
    rule_case(Rule::HANDLE_UNKNOWN, || {
        assert_eq!(destroy_memory(null_mut()), CUDA_ERROR_INVALID_HANDLE);
    }),
    // These handles point to zeros: a driver returns an error for them and does not crash.
    named_case("handles-that-no-import-returned", &[Rule::HANDLE_UNKNOWN], || {
        let zeros = Box::leak(Box::new([0_u64; 512])).as_mut_ptr();
        assert_ne!(signal_semaphore(zeros.cast(), 1, null_mut()), CUDA_SUCCESS);
        assert!(try_map_buffer(zeros.cast(), 0, SIZE).is_err());
    }),
    rule_case(Rule::HANDLE_DESTROYED, || {
        let memory = import_memory();
        assert_ok(destroy_memory(memory));
        assert_eq!(try_map_buffer(memory, 0, SIZE), Err(CUDA_ERROR_INVALID_HANDLE));
    }),
    rule_case(Rule::HANDLE_DESTROYED_TWICE, || {
        let memory = import_memory();
        assert_ok(destroy_memory(memory));
        assert_eq!(destroy_memory(memory), CUDA_ERROR_INVALID_HANDLE);
    }),
    rule_case(Rule::HANDLE_WRONG_KIND, || {
        with_import(|memory| {
            assert_eq!(signal_semaphore(memory.cast(), 1, null_mut()), CUDA_ERROR_INVALID_HANDLE);
            assert_eq!(destroy_semaphore(memory.cast()), CUDA_ERROR_INVALID_HANDLE);
        });
    }),
    rule_case(Rule::HANDLE_CONTEXT_GONE, || {
        let memory = import_memory();
        assert_ok(release_primary_context(0));
        assert_eq!(destroy_memory(memory), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    })
    .also_breaks(&[Rule::NOT_FREED]),
    named_case("a-mapping-freed-after-its-context", &[Rule::HANDLE_CONTEXT_GONE, Rule::NOT_FREED], || {
        let address = map_whole_import(import_memory());
        assert_ok(release_primary_context(0));
        assert_ne!(free_buffer(address), CUDA_SUCCESS);
    }),
    named_case("context-retained-twice-and-released-twice", &[], || {
        retain_primary_context();
        let memory = import_memory();
        assert_ok(release_primary_context(0));
        assert_ok(destroy_memory(memory));
        assert_ok(release_primary_context(0));
    }),
    rule_case(Rule::AFTER_FORK, || {
        let fd = export_memory();
        // NVIDIA's driver refuses an import in a child of fork.
        run_in_child(|| {
            try_import(&desc_of_fd(fd)).into_iter().for_each(|memory| assert_ok(destroy_memory(memory)))
        });
    }),
    // A new thread has no current context.
    rule_case(Rule::NO_CURRENT_CONTEXT, || {
        let fd = export_memory();
        run_in_thread(move || assert_eq!(try_import(&desc_of_fd(fd)), Err(CUDA_ERROR_INVALID_CONTEXT)));
    }),
    named_case("mapped-signaled-and-freed-without-a-current-context", &[], || {
        let (memory, semaphore, stream) = (import_memory(), import_timeline(), create_stream());
        assert_ok(set_current(null_mut()));
        let address = try_map_buffer(memory, 0, SIZE).expect("the mapping");
        assert_ok(signal_semaphore(semaphore, 1, stream));
        wait_semaphore(semaphore, 1, stream);
        assert_ok(unsafe { cuStreamSynchronize(stream) });
        assert_ok(free_buffer(address));
        assert_ok(destroy_memory(memory));
        assert_ok(destroy_semaphore(semaphore));
    }),
];

pub const CASES_WITHOUT_GPU: &[RuleCase] = &[
    named_case("array-and-semaphore-destroyed-twice", &[Rule::HANDLE_DESTROYED_TWICE], || {
        let (memory, semaphore) = (import_memory(), import_timeline());
        let array = map_array(memory);
        assert_ok(destroy_array(array));
        assert_eq!(destroy_array(array), CUDA_ERROR_INVALID_HANDLE);
        assert_ok(destroy_semaphore(semaphore));
        assert_eq!(destroy_semaphore(semaphore), CUDA_ERROR_INVALID_HANDLE);
        assert_ok(destroy_memory(memory));
    }),
    rule_case(Rule::HANDLE_OTHER_CONTEXT, || {
        let first = retain_primary_context();
        let semaphore = import_timeline();
        let second = new_context();
        assert_ok(signal_semaphore(semaphore, 1, null_mut()));
        assert_ok(destroy_context(second));
        assert_ok(set_current(first));
        destroy_semaphore_after_work(semaphore);
    }),
    named_case("in-its-context-beside-another", &[], || {
        let first = retain_primary_context();
        let second = new_context();
        assert_ok(set_current(first));
        with_imported_timeline(|semaphore| assert_ok(signal_semaphore(semaphore, 1, null_mut())));
        assert_ok(destroy_context(second));
    }),
];

pub fn run_in_thread(run: impl FnOnce() + Send + 'static) {
    thread::spawn(run).join().expect("it ends");
}

fn run_in_child(run: impl FnOnce()) {
    // SAFETY: this process has one thread, or also the driver's threads. The driver then returns errors in the child.
    match unsafe { libc::fork() } {
        0 => {
            run();
            unsafe { libc::_exit(0) }
        }
        child => assert_eq!(unsafe { libc::waitpid(child, null_mut(), 0) }, child),
    }
}
