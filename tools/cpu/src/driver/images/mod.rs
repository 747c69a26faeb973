pub mod cuda_arrays;
#[cfg(feature = "kernels")]
pub mod kernel_images;
pub mod textures_and_surfaces;
