//! The layer: the functions that it exports in the driver's place, and what it knows of the program.

mod driver;
mod events;
mod exports;
mod fds;
mod graph;
mod handles;
mod images;
mod imports;
mod mappings;
mod objects;
mod report;
mod semaphores;
mod state;
mod transfers;

/// By which the preloaded library tells the layer from the driver.
#[unsafe(no_mangle)]
pub static cuda_external_check_layer: u8 = 0;

/// The names of the functions that the layer wraps, in the order in which the journal numbers them, from 1 on.
pub fn functions() -> impl Iterator<Item = &'static str> {
    exports::wrapped().filter_map(|wrapped| wrapped.name.to_str().ok())
}
