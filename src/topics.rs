//! The topics of the driver API: a module for each topic, with the topic's types, constants and functions.

/// Exports functions, which exist only if the feature `load` or `link` is on.
macro_rules! export_functions {
    ($($export:item)*) => {
        $(
            #[cfg(any(feature = "load", feature = "link"))]
            $export
        )*
    };
}

pub mod allocation;
pub mod array;
pub mod capture;
pub mod cig;
pub mod context;
pub mod device;
pub mod error;
pub mod event;
pub mod graph;
pub mod graphics;
pub mod init;
pub mod ipc;
pub mod kernel;
pub mod memory;
pub mod semaphore;
pub mod stream;
pub mod texture;
pub mod transfer;
pub mod vmm;

#[doc(no_inline)]
pub use {
    allocation::*, array::*, capture::*, cig::*, context::*, device::*, error::*, event::*,
    graph::node_params::*, graph::*, graphics::*, init::*, ipc::*, kernel::*, memory::*, semaphore::*,
    stream::*, texture::*, transfer::*, vmm::*,
};
