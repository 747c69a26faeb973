//! How the layer's functions run before those of the next layer.

pub mod device_record;
pub mod intercept_macro;
