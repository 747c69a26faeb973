//! Compiles C code that calls the driver, and leaves libcuda to the crate beside it.

fn main() {
    println!("cargo::rerun-if-changed=import.c");
    if std::env::var_os("CARGO_FEATURE_C").is_some() {
        cc::Build::new().file("import.c").compile("import");
    }
}
