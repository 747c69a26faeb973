//! Arrays, and the textures and surfaces that kernels read them by.

pub mod arrays;
#[cfg(feature = "kernels")]
pub mod textures_and_surfaces;
