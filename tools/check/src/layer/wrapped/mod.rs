//! The functions that the layer exports in place of the driver's. All other functions are found in the driver, which is
//! searched after the layer. The macro in `wrap_macro` exports the layer's functions. `get_proc_address` lists them.

mod copy_functions;
mod external_objects;
mod get_proc_address;
mod graph_calls;
mod launch_functions;
mod lifetime_functions;
#[cfg(all(test, not(miri)))]
mod not_wrapped;
mod sync_calls;
mod wrap_macro;

pub use get_proc_address::wrapped_functions;
