//! The driver. Of the driver's files, a file uses only those in its own row of this table and in later rows:
//!
//! | directory | content |
//! |---|---|
//! | driver | fault_api.rs: injected faults; symbol_table.rs: look-ups; absent_calls.rs: functions not implemented |
//! | contexts | contexts and devices |
//! | graphs | the functions for graphs and nodes, and instantiated graphs |
//! | modules | PTX, fat binaries, the linker, kernels and launches |
//! | external | imported memory, memory that an IPC handle names, and the calls for imported semaphores |
//! | memory | allocations, pools, reserved addresses, pointer attributes, copies, fills, stream memory operations |
//! | images | arrays, textures and surfaces |
//! | driver | driver_prelude.rs: names that most files of the directories above use |
//! | streams | queues and their threads, events, captures, definitions of graphs, host functions, work for semaphores |
//! | addresses | known address ranges, checked access to their bytes, reuse of freed addresses |
//! | base | what the other directories use |
//!
//! - A thread takes locks in this order: `ENQUEUE_ORDER` (stream_queue.rs), a stream's queue, an event's record.
//! - A thread holds the lock of a registry, of the address ranges or of a stream list only to read or change what the
//!   lock protects.
//! - A thread holds no lock while it runs work, waits for work, or calls a function of the program.
//!
//! # A call
//!
//! 1. `run_call` (base/driver_call.rs) refuses most calls before `cuInit`, in a callback, in a child of fork
//!    and at exit. It also applies injected faults.
//! 2. The call looks up its handles (handle_registry.rs) and its device addresses (address_ranges.rs). The driver never
//!    reuses a handle, except a primary context's. Device addresses are addresses of the process.
//! 3. A call that has work enqueues the work in a stream. The stream's thread runs the work (stream_queue.rs). If the
//!    stream is captured, the work becomes a node of a graph instead (capture_state.rs).
//! 4. An external semaphore is a memory page that processes share (shared_files). If Vulkan uses the semaphore too, the
//!    Vulkan layer keeps the value of lavapipe's semaphore and the value in the page equal.

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
