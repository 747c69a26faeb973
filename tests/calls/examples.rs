//! The examples that share file descriptors between Vulkan and CUDA, but for those with OpenGL, a kernel or a second
//! process.

use interop::Result;

macro_rules! examples {
    ($($file:literal $name:ident: $example:path,)*) => {
        $(
            #[allow(dead_code, clippy::duplicate_mod)] // `main`, and two have the same module
            #[path = $file]
            mod $name;
        )*

        pub const ALL: &[(&str, fn() -> Result<()>)] = &[$((stringify!($name), $example),)*];
    };
}

examples! {
    "../../examples/cuda_to_vulkan.rs" cuda_to_vulkan: cuda_to_vulkan::linux::example,
    "../../examples/dma_buf.rs" dma_buf: dma_buf::linux::example,
    "../../examples/graph_semaphores.rs" graph_semaphores: graph_semaphores::linux::example,
    "../../examples/vulkan_buffer.rs" vulkan_buffer: vulkan_buffer::buffer::example,
    "../../examples/vulkan_image.rs" vulkan_image: vulkan_image::image::example,
    "../../examples/vulkan_semaphores.rs" vulkan_semaphores: vulkan_semaphores::example,
}
