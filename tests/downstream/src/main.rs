//! Prints the newest CUDA release that the driver supports, and where the bindings come from.

fn main() {
    #[cfg(any(feature = "load", feature = "link"))]
    println!("{:?}, {}", model::driver_version(), cuda_external_sys::BINDINGS_SOURCE);
}
