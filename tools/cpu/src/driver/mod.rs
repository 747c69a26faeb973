//! The driver. A file uses only files of its own directory, and of directories that come later in this list:
//!
//! | directory | content |
//! |---|---|
//! | (here) | fault_api.rs: injected faults; symbol_table.rs: look-ups; absent_calls.rs: functions not implemented |
//! | contexts | contexts and devices |
//! | graphs | the functions for graphs and nodes, and instantiated graphs |
//! | modules | PTX, fat binaries, the linker, kernels and launches |
//! | external | imported memory, memory that an IPC handle names, and the calls for imported semaphores |
//! | memory | allocations, pools, reserved addresses, pointer attributes, copies, fills, stream memory operations |
//! | images | arrays, textures and surfaces |
//! | (here) | driver_prelude.rs: names that most files of the directories above use |
//! | streams | queues and their threads, events, captures, definitions of graphs, host functions, work for semaphores |
//! | addresses | known address ranges, checked access to their bytes, reuse of freed addresses |
//! | base | what every function uses |
//!
//! Locks are taken in this order: first `ENQUEUE_ORDER` in stream_queue.rs, if the call enqueues work in a stream, then
//! the lock of one stream's queue, then that of an event's record. The locks of the registries, of the ranges and of
//! the lists of streams are held only while these are read or changed. No lock is held while work runs, while a thread
//! waits, or while a function of the program is called.
//!
//! # A call
//!
//! 1. `functions!` (base/functions_macro.rs) declares each function. `run_call` refuses most calls before `cuInit`, in
//!    a child of fork, at exit and in a stream's callback, and applies the injected faults. symbol_table.rs has the
//!    functions for `load_with`, and the shared library exports them.
//! 2. Handles are numbers that are not reused (handle_registry.rs), so a wrong handle is recognized. Device addresses
//!    are addresses of the process. address_ranges.rs lists the ranges, each with its kind and its memory's owner.
//! 3. Work (queued_work.rs) is enqueued in a stream, which has a thread (stream_queue.rs). One lock orders all
//!    enqueueing: a wait for a stream or an event is only for work that was enqueued before. A captured stream adds
//!    nodes to a graph instead (capture_state.rs), and a launch of the graph enqueues its work (executable_graphs.rs).
//!    accessible_memory.rs checks the addresses of copies, fills and stream memory operations. kernel_launch.rs
//!    checks the addresses that a kernel uses.
//! 4. An external semaphore is a file with one page. Each process that uses the semaphore maps the page (shared_files).
//!    Exported memory is a dma-buf of a newer lavapipe, or a file with the header that Mesa's lavapipe writes. The
//!    Vulkan layer keeps the values of lavapipe's semaphores and of these pages equal.

mod addresses;
#[macro_use]
pub mod base;
mod absent_calls;
mod contexts;
mod driver_prelude;
mod external;
pub mod fault_api;
mod graphs;
mod images;
mod memory;
#[cfg(feature = "kernels")]
mod modules;
mod streams;
pub mod symbol_table;
