//! The other side: a Vulkan layer in the same library, so that one state has Vulkan's exports and CUDA's imports. A
//! file uses only the files above it:
//!
//! ```text
//! formats, handles         facts about formats; Vulkan's handles
//! timelines                data: the values of a semaphore
//! orders, accesses         data: in which order the work of both comes; what it does to shared memory
//! shaders                  what a shader's code reads and writes
//! resources, recorded      data: what commands use memory by; what command buffers do
//! records, descriptors     data: what Vulkan made, which the state has; what descriptors name of it
//! pairs                    rules: both sides of an import
//! signals, hand_over       rules: what both signal and wait for, and what they read and write
//! tables                   the devices that are alive, and how functions stand before those of the next layer
//! device, host_waits       these functions: of devices, and by which the host waits
//! objects, transfers, bindings, draws   what makes views, sets and pipelines; what command buffers do
//! pools                    what was recorded ends with a pool
//! loader                   what Vulkan's loader asks for
//! ```

mod accesses;
mod bindings;
mod descriptors;
mod device;
mod draws;
mod formats;
pub mod hand_over;
mod handles;
mod host_waits;
mod loader;
mod objects;
mod orders;
pub mod pairs;
mod pools;
mod recorded;
pub mod records;
mod resources;
mod shaders;
mod signals;
mod tables;
mod timelines;
mod transfers;

pub use loader::{functions, vkNegotiateLoaderLayerInterfaceVersion};
