//! Building for another platform than the one that builds.

use std::fs::remove_dir_all;

use crate::drawn::{ARM, Drawn, LINUX, WINDOWS};

/// An x86_64 machine with the files for two kinds of aarch64 beside its own.
fn cross_host(target: &'static str) -> Drawn {
    let machine = Drawn::crossing(LINUX, target);
    machine.header("usr/local/cuda/include", "12.1");
    machine.header("usr/local/cuda/targets/x86_64-linux/include", "12.2");
    machine.header("usr/local/cuda/targets/sbsa-linux/include", "12.3");
    machine.header("usr/local/cuda/targets/aarch64-linux/include", "12.4");
    machine
}

#[test]
fn a_cross_host_has_sbsa_first_for_aarch64() {
    let machine = cross_host(ARM);
    machine.finds("usr/local/cuda/targets/sbsa-linux/include", "12.3", "/usr/local/cuda");
    remove_dir_all(machine.at("usr/local/cuda/targets/sbsa-linux")).unwrap();
    machine.finds("usr/local/cuda/targets/aarch64-linux/include", "12.4", "/usr/local/cuda");
    remove_dir_all(machine.at("usr/local/cuda/targets/aarch64-linux")).unwrap();
    machine.not_found();
}

#[test]
fn a_cross_host_has_its_own_include_for_itself() {
    cross_host(LINUX).finds("usr/local/cuda/include", "12.1", "/usr/local/cuda");
    cross_host("x86_64-unknown-linux-musl").finds("usr/local/cuda/include", "12.1", "/usr/local/cuda");
}

#[test]
fn a_cross_host_by_variable() {
    let mut machine = cross_host(ARM);
    machine.set_to("CUDA_HOME", "usr/local/cuda");
    machine.finds("usr/local/cuda/targets/sbsa-linux/include", "12.3", "CUDA_HOME");
}

#[test]
fn a_cross_host_by_nvcc_and_by_conda() {
    let mut machine = cross_host(ARM);
    machine.file("usr/local/cuda/bin/nvcc", b"");
    machine.set_path(["usr/local/cuda/bin"]);
    machine.finds("usr/local/cuda/targets/sbsa-linux/include", "12.3", "nvcc on PATH");
    machine.header("conda/targets/sbsa-linux/include", "12.9");
    machine.header("conda/include", "12.9");
    machine.set_to("CONDA_PREFIX", "conda");
    machine.finds("conda/targets/sbsa-linux/include", "12.9", "CONDA_PREFIX");
}

#[test]
fn a_cross_host_without_files_for_the_target() {
    for target in [ARM, WINDOWS, "aarch64-linux-android", "riscv64gc-unknown-linux-gnu"] {
        let mut machine = Drawn::crossing(LINUX, target);
        machine.header("usr/local/cuda/include", "12.1");
        machine.header("usr/local/cuda/targets/x86_64-linux/include", "12.1");
        machine.header("usr/include", "12.1");
        machine.header("usr/include/cuda", "12.1");
        machine.header("conda/include", "12.1");
        machine.header("venv/lib/python3.12/site-packages/nvidia/cu13/include", "13.0");
        machine.set_to("CONDA_PREFIX", "conda");
        machine.set_to("VIRTUAL_ENV", "venv");
        machine.not_found();
        machine.set_to("CUDA_HOME", "usr/local/cuda");
        machine.unusable();
        // cuda.h is the same file on all platforms: the user may say that it will do.
        machine.set_to("CUDA_EXTERNAL_SYS_INCLUDE_DIR", "usr/local/cuda/include");
        machine.finds("usr/local/cuda/include", "12.1", "CUDA_EXTERNAL_SYS_INCLUDE_DIR");
    }
}

#[test]
fn a_root_that_does_not_say_for_which_target_it_is_may_be_named() {
    for target in [ARM, WINDOWS] {
        let mut machine = Drawn::crossing(LINUX, target);
        machine.header("sysroot/cuda/include", "12.1");
        machine.set_to("CUDA_HOME", "sysroot/cuda");
        machine.finds("sysroot/cuda/include", "12.1", "CUDA_HOME");
    }
}
