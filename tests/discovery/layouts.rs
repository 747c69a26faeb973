//! The machines that people have.

use crate::drawn::{ARM, Drawn, LINUX, WINDOWS, cuda_h};

#[cfg(unix)]
mod linked {
    use super::*;

    #[test]
    fn nvidias_own_with_cuda_as_a_link() {
        let machine = Drawn::up(LINUX);
        machine.header("usr/local/cuda-12.6/targets/x86_64-linux/include", "12.6");
        machine.header("usr/local/cuda-12.9/targets/x86_64-linux/include", "12.9");
        machine.link("usr/local/cuda-12.6/include", "targets/x86_64-linux/include");
        machine.link("usr/local/cuda-12.9/include", "targets/x86_64-linux/include");
        machine.link("usr/local/cuda", "/etc/alternatives/cuda");
        machine.link("etc/alternatives/cuda", "/usr/local/cuda-12.6");
        let found = machine.finds("usr/local/cuda/include", "12.6", "/usr/local/cuda");
        assert_eq!(found.root, Some(machine.at("usr/local/cuda")));
    }

    #[test]
    fn docker_devel_with_nvcc_on_path() {
        let mut machine = Drawn::up(LINUX);
        machine.header("usr/local/cuda-12.4/targets/x86_64-linux/include", "12.4");
        machine.link("usr/local/cuda-12.4/include", "targets/x86_64-linux/include");
        machine.link("usr/local/cuda", "/etc/alternatives/cuda");
        machine.link("etc/alternatives/cuda", "/usr/local/cuda-12.4");
        machine.file("usr/local/cuda-12.4/bin/nvcc", b"");
        machine.set_path(["usr/local/nvidia/bin", "usr/local/cuda/bin", "usr/local/sbin", "usr/bin"]);
        machine.set("CUDA_VERSION", "12.4.1");
        machine.finds("usr/local/cuda-12.4/include", "12.4", "nvcc on PATH");
    }

    #[test]
    fn docker_runtime_has_no_header() {
        let machine = Drawn::up(LINUX);
        machine.folder("usr/local/cuda-12.4/targets/x86_64-linux/lib");
        machine.link("usr/local/cuda", "/usr/local/cuda-12.4");
        let text = machine.not_found();
        assert!(text.contains("/usr/local/cuda-12.4/targets/x86_64-linux/include"), "{text}");
    }

    #[test]
    fn wsl_with_the_windows_toolkit_on_path() {
        let mut machine = Drawn::up(LINUX);
        let windows = "mnt/c/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v11.2";
        machine.header(format!("{windows}/include"), "11.2");
        machine.file(format!("{windows}/bin/nvcc.exe"), b"");
        machine.file("usr/lib/wsl/lib/libcuda.so.1", b"");
        machine.header("usr/local/cuda-12.8/targets/x86_64-linux/include", "12.8");
        machine.link("usr/local/cuda-12.8/include", "targets/x86_64-linux/include");
        machine.link("usr/local/cuda", "/usr/local/cuda-12.8");
        machine.set_path(["usr/bin", &format!("{windows}/bin"), "usr/lib/wsl/lib"]);
        machine.finds("usr/local/cuda/include", "12.8", "/usr/local/cuda");
    }

    #[test]
    fn jetson() {
        let machine = Drawn::up(ARM);
        machine.header("usr/local/cuda-12.6/targets/aarch64-linux/include", "12.6");
        machine.link("usr/local/cuda-12.6/include", "targets/aarch64-linux/include");
        machine.link("usr/local/cuda", "/etc/alternatives/cuda");
        machine.link("etc/alternatives/cuda", "/usr/local/cuda-12.6");
        machine.finds("usr/local/cuda/include", "12.6", "/usr/local/cuda");
    }

    #[test]
    fn arch() {
        let machine = Drawn::up(LINUX);
        machine.header("opt/cuda/targets/x86_64-linux/include", "13.0");
        machine.link("opt/cuda/include", "targets/x86_64-linux/include");
        machine.finds("opt/cuda/include", "13.0", "/opt/cuda");
    }

    #[test]
    fn conda_on_linux_with_links_to_each_header() {
        let mut machine = Drawn::up(LINUX);
        machine.header("conda/targets/x86_64-linux/include", "12.9");
        machine.link("conda/include/cuda.h", "../targets/x86_64-linux/include/cuda.h");
        machine.set_to("CONDA_PREFIX", "conda");
        machine.finds("conda/include", "12.9", "CONDA_PREFIX");
    }

    #[test]
    fn nix_by_variable() {
        let mut machine = Drawn::up(LINUX);
        machine.header("nix/store/1-cuda_cudart-12.8-include/include", "12.8");
        machine.link("nix/store/2-cuda-merged-12.8/include", "/nix/store/1-cuda_cudart-12.8-include/include");
        machine.set_to("CUDA_PATH", "nix/store/2-cuda-merged-12.8");
        machine.finds("nix/store/2-cuda-merged-12.8/include", "12.8", "CUDA_PATH");
    }

    #[test]
    fn guix_by_variable() {
        let mut machine = Drawn::up(LINUX);
        machine.header("gnu/store/1-cuda-toolkit-12.1/include", "12.1");
        machine.link("home/me/.guix-profile/include", "/gnu/store/1-cuda-toolkit-12.1/include");
        machine.set_to("CUDA_TOOLKIT_ROOT_DIR", "home/me/.guix-profile");
        machine.finds("home/me/.guix-profile/include", "12.1", "CUDA_TOOLKIT_ROOT_DIR");
    }

    #[test]
    fn nvcc_as_a_link_into_the_toolkit() {
        let mut machine = Drawn::up(LINUX);
        machine.header("srv/cuda/include", "12.5");
        machine.file("srv/cuda/bin/nvcc", b"");
        machine.link("usr/bin/nvcc", "/etc/alternatives/nvcc");
        machine.link("etc/alternatives/nvcc", "/srv/cuda/bin/nvcc");
        machine.set_path(["usr/bin"]);
        machine.finds("srv/cuda/include", "12.5", "nvcc on PATH");
    }

    #[test]
    fn nvcc_as_a_link_into_a_folder_without_headers() {
        let mut machine = Drawn::up(LINUX);
        machine.header("prefix/include", "12.5");
        machine.file("prefix/lib/nvidia-cuda-toolkit/bin/nvcc", b"");
        machine.link("prefix/bin/nvcc", "../lib/nvidia-cuda-toolkit/bin/nvcc");
        machine.set_path(["prefix/bin"]);
        machine.finds("prefix/include", "12.5", "nvcc on PATH");
    }

    #[test]
    fn nvcc_as_a_link_to_ccache() {
        let mut machine = Drawn::up(LINUX);
        machine.header("usr/include", "11.7");
        machine.file("usr/bin/ccache", b"");
        machine.link("usr/lib/ccache/nvcc", "../../bin/ccache");
        machine.header("srv/cuda/include", "12.5");
        machine.file("srv/cuda/bin/nvcc", b"");
        machine.set_path(["usr/lib/ccache", "srv/cuda/bin"]);
        machine.finds("srv/cuda/include", "12.5", "nvcc on PATH");
    }
}

#[test]
fn several_versions_and_no_link() {
    let machine = Drawn::up(LINUX);
    machine.header("usr/local/cuda-11.8/include", "11.8");
    machine.header("usr/local/cuda-12.9/include", "12.9");
    machine.header("usr/local/cuda-12.10/include", "12.10");
    machine.folder("usr/local/cuda-13.0/targets/x86_64-linux/lib");
    machine.header("usr/local/cuda-samples/include", "13.5");
    machine.finds("usr/local/cuda-12.10/include", "12.10", "/usr/local/cuda-12.10");
}

#[test]
fn jetson_without_the_include_link() {
    let machine = Drawn::up(ARM);
    machine.header("usr/local/cuda-12.6/targets/aarch64-linux/include", "12.6");
    let include = "usr/local/cuda-12.6/targets/aarch64-linux/include";
    let found = machine.finds(include, "12.6", "/usr/local/cuda-12.6");
    assert_eq!(found.root, Some(machine.at("usr/local/cuda-12.6")));
}

#[test]
fn debian() {
    let mut machine = Drawn::up(LINUX);
    machine.header("usr/include", "11.8");
    machine.file("usr/lib/cuda/version.txt", b"CUDA Version 11.8.89\n");
    let found = machine.finds("usr/include", "11.8", "/usr/include");
    assert_eq!(found.root, Some(machine.at("usr")));
    machine.file("usr/bin/nvcc", b"#!/bin/sh\nexec /usr/lib/nvidia-cuda-toolkit/bin/nvcc\n");
    machine.set_path(["usr/local/bin", "usr/bin"]);
    let found = machine.finds("usr/include", "11.8", "nvcc on PATH");
    assert_eq!(found.root, Some(machine.at("usr")));
}

#[test]
fn negativo17() {
    let machine = Drawn::up(LINUX);
    machine.folder("usr/include");
    machine.header("usr/include/cuda", "12.9");
    assert_eq!(machine.finds("usr/include/cuda", "12.9", "/usr/include/cuda").root, None);
}

#[test]
fn negativo17_by_pkg_config() {
    let mut machine = Drawn::up(LINUX);
    machine.header("usr/include/cuda", "12.9");
    machine.pkg_config(Ok(vec![machine.at("usr/include/cuda")]));
    machine.finds("usr/include/cuda", "12.9", "pkg-config");
}

#[test]
fn conda_on_linux_without_links() {
    let mut machine = Drawn::up(LINUX);
    machine.header("conda/targets/x86_64-linux/include", "12.9");
    machine.folder("conda/include");
    machine.set_to("CONDA_PREFIX", "conda");
    machine.finds("conda/targets/x86_64-linux/include", "12.9", "CONDA_PREFIX");
}

#[test]
fn conda_without_cuda() {
    let mut machine = Drawn::up(LINUX);
    machine.folder("conda/include");
    machine.folder("conda/lib/python3.12/site-packages");
    machine.set_to("CONDA_PREFIX", "conda");
    machine.header("usr/include", "12.4");
    machine.finds("usr/include", "12.4", "/usr/include");
}

#[test]
fn conda_on_windows() {
    let mut machine = Drawn::up(WINDOWS);
    machine.header("Users/Me/mini conda/envs/cuda/Library/include", "12.9");
    machine.set_to("CONDA_PREFIX", "Users/Me/mini conda/envs/cuda");
    let found = machine.finds("Users/Me/mini conda/envs/cuda/Library/include", "12.9", "CONDA_PREFIX");
    assert_eq!(found.root, Some(machine.at("Users/Me/mini conda/envs/cuda/Library")));
}

#[test]
fn hpc_sdk() {
    let machine = Drawn::up(LINUX);
    let sdk = "opt/nvidia/hpc_sdk/Linux_x86_64";
    machine.header(format!("{sdk}/24.11/cuda/11.8/include"), "11.8");
    machine.header(format!("{sdk}/24.11/cuda/12.6/include"), "12.6");
    machine.header(format!("{sdk}/24.9/cuda/12.8/include"), "12.8");
    machine.header("opt/nvidia/hpc_sdk/Linux_aarch64/25.1/cuda/12.6/include", "12.6");
    machine.finds(
        "opt/nvidia/hpc_sdk/Linux_x86_64/24.11/cuda/12.6/include",
        "12.6",
        "/opt/nvidia/hpc_sdk/Linux_x86_64/24.11/cuda/12.6",
    );
}

#[test]
fn hpc_sdk_with_one_cuda() {
    let machine = Drawn::up(ARM);
    machine.header("opt/nvidia/hpc_sdk/Linux_aarch64/25.1/cuda/include", "12.6");
    machine.finds(
        "opt/nvidia/hpc_sdk/Linux_aarch64/25.1/cuda/include",
        "12.6",
        "/opt/nvidia/hpc_sdk/Linux_aarch64/25.1/cuda",
    );
}

#[test]
fn pypi_wheel_of_12_in_a_virtual_environment() {
    let mut machine = Drawn::up(LINUX);
    let include = "venv/lib/python3.11/site-packages/nvidia/cuda_runtime/include";
    machine.header(include, "12.9");
    machine.set_to("VIRTUAL_ENV", "venv");
    let found = machine.finds(include, "12.9", "PyPI wheel in VIRTUAL_ENV");
    assert_eq!(found.root, machine.at(include).parent().map(Into::into));
}

#[test]
fn pypi_wheel_of_13_in_a_virtual_environment() {
    let mut machine = Drawn::up(LINUX);
    let include = "venv/lib/python3.13t/site-packages/nvidia/cu13/include";
    machine.header(include, "13.5");
    machine.header("venv/lib/python3.13t/site-packages/nvidia/cuda_runtime/include", "12.9");
    machine.set_to("VIRTUAL_ENV", "venv");
    machine.finds(include, "13.5", "PyPI wheel in VIRTUAL_ENV");
}

#[test]
fn pypi_wheel_in_a_conda_environment() {
    let mut machine = Drawn::up(WINDOWS);
    let include = "conda/Lib/site-packages/nvidia/cu13/include";
    machine.header(include, "13.0");
    machine.set_to("CONDA_PREFIX", "conda");
    machine.finds(include, "13.0", "PyPI wheel in CONDA_PREFIX");
}

#[test]
fn windows_with_spaces_and_crlf() {
    let mut machine = Drawn::up(WINDOWS);
    let root = "Program Files/NVIDIA GPU Computing Toolkit/CUDA/v11.8";
    machine.file(format!("{root}/include/cuda.h"), &cuda_h("11.8", "\r\n"));
    let include = format!("{root}/include");
    machine.finds(&include, "11.8", &format!("/{root}"));
    machine.set_to("CUDA_PATH_V11_8", root);
    machine.finds(&include, "11.8", "CUDA_PATH_V11_8");
    machine.set_to("CUDA_PATH", root);
    machine.finds(&include, "11.8", "CUDA_PATH");
}

#[test]
fn windows_with_several_versions_in_the_default_folder() {
    let machine = Drawn::up(WINDOWS);
    let folder = "Program Files/NVIDIA GPU Computing Toolkit/CUDA";
    machine.header(format!("{folder}/v12.9/include"), "12.9");
    machine.header(format!("{folder}/v12.10/include"), "12.10");
    machine.folder(format!("{folder}/v13.0/bin"));
    machine.finds(&format!("{folder}/v12.10/include"), "12.10", &format!("/{folder}/v12.10"));
}
