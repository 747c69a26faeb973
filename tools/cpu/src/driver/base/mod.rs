pub mod active_faults;
pub mod current_context;
pub mod device_ids;
#[macro_use]
pub mod functions_macro;
pub mod init_state;
pub mod prelude;
pub mod registry;
pub mod results;
pub mod unsupported_notices;
