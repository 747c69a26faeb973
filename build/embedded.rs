//! The bindings that come with the crate: one text for every target.

pub fn text() -> &'static str {
    include_str!("../src/bindings/embedded.rs")
}

/// The release that they were generated from: (13, 5) for 13.5.
pub fn version() -> (u32, u32) {
    let (_, rest) = text().split_once("const CUDA_VERSION: u32 = ").expect("the bindings have their version");
    let number: u32 = rest.split(';').next().and_then(|number| number.parse().ok()).expect("a number");
    (number / 1000, number % 1000 / 10)
}
