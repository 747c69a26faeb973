pub mod context_calls;
pub mod device_calls;
