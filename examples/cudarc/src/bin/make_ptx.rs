//! Compiles kernels.cu with NVRTC and prints the PTX, which is what kernels.ptx holds.

use std::process::ExitCode;

use cudarc::nvrtc::{CompileOptions, compile_ptx_with_opts};

fn main() -> ExitCode {
    let options = CompileOptions { arch: Some("compute_75"), ..Default::default() };
    match compile_ptx_with_opts(include_str!("../kernels.cu"), options) {
        Ok(ptx) => {
            print!("{}", ptx.to_src());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
