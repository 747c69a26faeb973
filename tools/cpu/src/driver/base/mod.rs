pub mod active_faults;
pub mod current_context;
pub mod device_count;
pub mod function_versions;
#[macro_use]
pub mod functions_macro;
pub mod handle_registry;
pub mod init_state;
pub mod prelude;
pub mod results_and_params;
pub mod unsupported_notices;
