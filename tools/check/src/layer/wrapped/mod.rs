//! The driver functions that the layer replaces. The dynamic loader finds all other functions in the driver.

mod copy_functions;
mod external_objects;
mod get_proc_address;
mod graph_calls;
mod launch_functions;
mod lifetime_functions;
mod sync_calls;

pub use get_proc_address::wrapped_functions;
