pub mod context_calls;
pub mod context_settings;
pub mod device_calls;
