//! Prints the newest CUDA release that the driver supports.

use cuda_external_sys::cuDriverGetVersion;

fn main() {
    let mut version = 0;
    // SAFETY: the pointer is to a variable here.
    let result = unsafe { cuDriverGetVersion(&mut version) }.result();
    println!("{:?}", result.map(|()| version));
}
