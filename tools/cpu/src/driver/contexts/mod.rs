//! Contexts and devices, as programs create them and ask for them.

pub mod context_calls;
pub mod context_settings;
pub mod device_calls;
