//! How the layer's functions precede those of the next layer.

pub mod device_record;
pub mod intercept_macro;
