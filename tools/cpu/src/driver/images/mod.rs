pub mod arrays;
#[cfg(feature = "kernels")]
pub mod textures_and_surfaces;
