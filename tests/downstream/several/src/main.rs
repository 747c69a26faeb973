//! Of its libraries one takes the crate with `load`, one with `link`, and one with its default features.

fn main() {
    // SAFETY: nothing of Vulkan is used after its library is closed.
    let vulkan = unsafe { ash::Entry::load() };
    println!("Vulkan: {:?}", vulkan.map(|_| "found"));
    println!("{:?}, {}", modes::version(), cuda_external_sys::BINDINGS_SOURCE);
}
