//! Pages to read: what spans several items, and what goes wrong.
//!
//! The rules of each topic are on its module's page: [`memory`], [`semaphore`],
//! [`graph`], [`device`].

#[cfg(doc)]
use crate::*; // for the links

#[doc = include_str!("../docs/vulkan-image.md")]
pub mod vulkan_image {}

#[doc = include_str!("../docs/vulkan-buffer.md")]
pub mod vulkan_buffer {}

#[doc = include_str!("../docs/first-aid.md")]
pub mod first_aid {}

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

#[doc = include_str!("../docs/cudarc.md")]
pub mod cudarc {}

#[doc = include_str!("../docs/replace-declarations.md")]
pub mod replace_declarations {}

#[doc = include_str!("../docs/verified.md")]
pub mod verified {}

/// Who closes the file descriptor after an import, case by case.
///
/// The rules that follow from this are on [the memory page](crate::memory#who-owns-the-file-descriptor).
#[doc = include_str!("../docs/fd-ownership.md")]
pub mod file_descriptors {}

/// What orders of teardown do, case by case.
///
/// The rules that follow from this are on [the memory page](crate::memory#other-orders-of-teardown), and [the order to
/// keep](crate#teardown) is on the front page. Where an object is used after its end, nothing is promised.
#[doc = include_str!("../docs/teardown.md")]
pub mod teardown {}

/// What drivers do, case by case: handle types, attributes, sizes, images, two GPUs, invalid arguments, and what a
/// hand-over takes.
///
/// The manual leaves most of this open. Where an argument is invalid or an object is used after its end, nothing is
/// promised, and another driver may differ.
#[doc = include_str!("../docs/measured.md")]
pub mod measured {}

/// Which release of CUDA each item came with, and which driver has each function.
///
/// Every item is there in every build, whatever toolkit the machine has. At run time a function or a value needs a
/// driver of its release. What is not listed was there in CUDA 11.7 already.
#[doc = include_str!("../docs/since.md")]
pub mod releases {}
