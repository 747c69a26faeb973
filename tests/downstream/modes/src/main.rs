//! Prints the newest CUDA release that the driver supports.

fn main() {
    println!("{:?}", modes::version());
}
