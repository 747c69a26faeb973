//! Runs the PTX of CUDA kernels on the CPU, for tests without a GPU.
//!
//! A [`Module`] is loaded from PTX, which NVRTC, nvcc, clang, GCC or rustc can generate. The module's [`Kernel`]s run
//! on memory that the caller's [`DeviceMemory`] describes. `cuda-external-cpu` is the CUDA driver that uses this crate.
//!
//! ```
//! # use cuda_external_ptx::{DeviceMemory, LaunchParams, Module};
//! # use std::ops::Range;
//! struct Host(Range<u64>);
//! // SAFETY: the range is the array below, which outlives the launch.
//! unsafe impl DeviceMemory for Host {
//!     fn accessible_range(&self, address: u64) -> Option<Range<u64>> {
//!         self.0.contains(&address).then(|| self.0.clone())
//!     }
//! }
//!
//! let module = Module::load_ptx(
//!     ".version 8.0 .target sm_75 .address_size 64
//!      .visible .entry square(.param .u64 words) {
//!          .reg .b32 %r<3>; .reg .b64 %rd<4>;
//!          ld.param.u64 %rd1, [words];
//!          mov.u32 %r1, %tid.x;
//!          mul.wide.u32 %rd2, %r1, 4;
//!          add.u64 %rd3, %rd1, %rd2;
//!          mul.lo.u32 %r2, %r1, %r1;
//!          st.global.u32 [%rd3], %r2;
//!          ret;
//!      }",
//! )?;
//! let mut words = [0_u32; 64];
//! let start = words.as_mut_ptr().expose_provenance() as u64;
//! let arguments = [&start.to_ne_bytes()[..]];
//! let launch = LaunchParams { grid: [1; 3], block: [64, 1, 1], shared_bytes: 0, arguments: &arguments, workers: 1 };
//! module.kernel("square").unwrap().map_err(Clone::clone)?.run(&launch, &Host(start..start + 256))?;
//! assert_eq!(words[9], 81);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The modules
//!
//! - `ptx_module` loads a module.
//! - `parse` splits a text into declarations and statements.
//! - `lower` turns statements into operations, and refuses an opcode that no row of a table allows.
//! - `program` contains the operations, address spaces, special registers, images and memory that kernels use.
//! - `run` runs a kernel: its blocks and their warps in turns (`block_scheduler`), the 32 threads of a warp together
//!   (`warp_execution`), and their loads and stores (`memory_access`).
//! - `alu` computes the results of instructions on registers alone.
//!
//! # What is refused
//!
//! A kernel is refused if the kernel, or a function that the kernel may call, has one of these:
//!
//! - a directive for clusters
//! - a call of a function of libcudadevrt
//! - an unsupported instruction, operand or variable
//! - more than 65,536 registers
//!
//! [`Module::load_ptx`] lists why a module is refused.

mod alu;
mod lower;
mod parse;
mod program;
mod ptx_module;
mod run;

#[doc(hidden)]
pub use lower::select_every_alu_op;
pub use parse::load_error::{LoadError, LoadErrorKind};
pub use program::image_sampling::{AddressMode, ChannelFormat, Image, MipLevel, SamplerState};
pub use program::operations::{Kernel, KernelParameter, MAX_SHARED_BYTES};
pub use ptx_module::{Module, ptx_version_of};
pub use run::{DeviceMemory, FaultKind, KernelFault, LaunchParams};
