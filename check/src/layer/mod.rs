//! The layer: the functions that it exports in the driver's place, and what it knows of the program.
//!
//! Below is the data: `call`, `description`, `objects`, `graphs`, `events`, `turns` and `report`, and `state`, which has it behind the lock
//! of `lock`, where the discipline is written down. Above it are the rules, one file for each part of the family: `fds`,
//! `handles`, `imports`, `mappings`, `images`, `transfers`, `semaphores`, `graph`. On top is `exports`, which calls the rules
//! and the driver.

mod call;
mod description;
mod driver;
mod events;
mod exports;
mod fds;
mod graph;
mod graphs;
mod handles;
mod images;
mod imports;
mod lock;
mod mappings;
mod objects;
mod process;
mod report;
mod semaphores;
mod state;
mod transfers;
mod turns;
mod vulkan;

/// The name of a wrapped function, by its number in what is shared, from 1 on.
pub fn function(number: u64) -> Option<&'static str> {
    exports::wrapped().nth(usize::try_from(number).ok()?.checked_sub(1)?)?.real.name.to_str().ok()
}

pub use images::KNOWN_FLAGS;
pub use vulkan::vkNegotiateLoaderLayerInterfaceVersion;
