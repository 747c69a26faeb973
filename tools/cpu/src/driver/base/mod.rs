pub mod active_faults;
pub mod cuda_result;
pub mod current_context;
pub mod device_count;
#[macro_use]
pub mod driver_call;
pub mod function_versions;
pub mod handle_registry;
pub mod init_state;
pub mod notices;
pub mod prelude;
