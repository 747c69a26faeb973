//! Pages to read. Begin with [the Vulkan image](vulkan_image) or [the Vulkan buffer](vulkan_buffer), which walk through a
//! whole program. [First aid](first_aid) has symptoms and their causes, and [`cuda-external-check`](check) reports
//! mistakes while a program runs.
//!
//! The rules of each topic are on its module's page: [`memory`], [`semaphore`], [`graph`], [`device`].

#[cfg(doc)]
use crate::*; // for the links

#[doc = include_str!("../docs/vulkan-image.md")]
pub mod vulkan_image {}

#[doc = include_str!("../docs/vulkan-buffer.md")]
pub mod vulkan_buffer {}

#[doc = include_str!("../docs/first-aid.md")]
pub mod first_aid {}

#[doc = include_str!("../docs/check.md")]
pub mod check {}

#[doc = include_str!("../docs/platforms.md")]
pub mod platforms {}

#[doc = include_str!("../docs/building.md")]
pub mod building {}

#[doc = include_str!("../docs/direct3d.md")]
pub mod direct3d {}

#[doc = include_str!("../docs/nvsci.md")]
pub mod nvsci {}

#[doc = include_str!("../docs/runtime-api.md")]
pub mod runtime_api {}

#[doc = include_str!("../docs/dlpack.md")]
pub mod dlpack {}

#[doc = include_str!("../docs/cudarc.md")]
pub mod cudarc {}

#[doc = include_str!("../docs/replace-declarations.md")]
pub mod replace_declarations {}

#[doc = include_str!("../docs/verified.md")]
pub mod verified {}

/// Who closes the file descriptor after an import, case by case.
///
/// The rules that follow are on [the memory page](crate::memory#who-owns-the-file-descriptor).
#[doc = include_str!("../docs/fd-ownership.md")]
pub mod file_descriptors {}

/// The effects of different orders of teardown, case by case.
///
/// [The order to keep](crate#teardown) is on the front page, and the rules that follow are on [the memory
/// page](crate::memory#other-orders-of-teardown). Where an object is used after its end, nothing is promised.
#[doc = include_str!("../docs/teardown.md")]
pub mod teardown {}

/// What drivers do, case by case: handle types, attributes, sizes, images, two GPUs, invalid arguments, and the time of a
/// hand-over.
///
/// The manual does not define most of this. Where an argument is invalid or an object is used after its end, nothing is
/// promised, and another driver may differ.
#[doc = include_str!("../docs/measured.md")]
pub mod measured {}

/// The release of CUDA that brought each item, and the drivers that have each function.
///
/// Every build has every item, whatever toolkit the machine has. At run time a function or a value needs a driver of its
/// release. Items that are not listed were in CUDA 11.7 already.
#[doc = include_str!("../docs/since.md")]
pub mod releases {}
