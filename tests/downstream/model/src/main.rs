//! Prints the newest CUDA release that the driver supports.

fn main() {
    #[cfg(any(feature = "load", feature = "link"))]
    println!("{:?}", model::version());
}
