//! The layer: the functions that it exports in the driver's place, and what it knows of the program.
//!
//! Below is the data: `site`, `objects`, `graphs`, `events` and `report`, and `state`, which has all of it behind one lock. Above
//! it are the rules, one file for each part of the family: `fds`, `handles`, `imports`, `mappings`, `images`, `transfers`,
//! `semaphores`, `graph`. On top are `exports`, which calls the rules and the driver, and `lifecycle`.

mod driver;
mod events;
mod exports;
mod fds;
mod graph;
mod graphs;
mod handles;
mod images;
mod imports;
mod lifecycle;
mod mappings;
mod objects;
mod report;
mod semaphores;
mod site;
mod state;
mod transfers;

/// By which the preloaded library tells the layer from the driver.
#[cfg_attr(feature = "library", unsafe(no_mangle))]
#[allow(non_upper_case_globals)]
pub static cuda_external_check_layer: u8 = 0;

/// The names of the functions that the layer wraps, in the order in which the journal numbers them, from 1 on.
pub fn functions() -> impl Iterator<Item = &'static str> {
    exports::wrapped().filter_map(|wrapped| wrapped.name.to_str().ok())
}
