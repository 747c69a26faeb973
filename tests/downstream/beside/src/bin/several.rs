//! Its libraries ask for `load`, for `link` and for the default features; Vulkan's loader is beside them.

fn main() {
    // SAFETY: nothing of Vulkan is used after its library is closed.
    let vulkan = unsafe { ash::Entry::load() };
    println!("Vulkan: {:?}", vulkan.map(|_| "found"));
    println!("{:?}, {}", model::version(), cuda_external_sys::BINDINGS_SOURCE);
}
