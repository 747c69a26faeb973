//! Which of several cuda.h is taken.

use std::fs;

use crate::drawn::{Drawn, LINUX, WINDOWS};
use crate::toolkit::VARIABLES;

/// What is found, then what is found without that, and so on.
fn order(machine: &mut Drawn) -> Vec<String> {
    let mut order = Vec::new();
    while let Ok(toolkit) = machine.find() {
        let by = machine.without_root(&toolkit.found_by);
        let include = machine.without_root(toolkit.include.to_str().unwrap());
        order.push(format!("{by}: {include}"));
        fs::remove_file(toolkit.include.join("cuda.h")).unwrap();
        if VARIABLES.iter().any(|(name, role)| role.explicit() && by.ends_with(name)) {
            machine.unset(&by);
        }
    }
    order
}

#[test]
fn on_linux_every_place_has_its_turn() {
    let mut machine = Drawn::up(LINUX);
    for (name, _) in VARIABLES.iter().filter(|(_, role)| role.explicit()) {
        for name in [name.to_string(), format!("X86_64_UNKNOWN_LINUX_GNU_{name}")] {
            let include = if name.ends_with("INCLUDE_DIR") { "" } else { "/include" };
            machine.header(format!("{name}{include}"), "12.0");
            machine.set_to(&name, &name);
        }
    }
    for include in [
        "conda/include",
        "conda/targets/x86_64-linux/include",
        "conda/lib/python3.12/site-packages/nvidia/cuda_runtime/include",
        "venv/lib/python3.9/site-packages/nvidia/cuda_runtime/include",
        "venv/lib/python3.12/site-packages/nvidia/cu13/include",
        "venv/lib/python3.12/site-packages/nvidia/cuda_runtime/include",
        "first/include",
        "second/include",
        "pkg-config/include",
        "pkg-config/more",
        "usr/local/cuda/include",
        "usr/local/cuda/targets/x86_64-linux/include",
        "opt/cuda/include",
        "usr/local/cuda-12.9/include",
        "usr/local/cuda-12.10/include",
        "usr/local/cuda-13.0/include",
        "opt/nvidia/hpc_sdk/Linux_x86_64/24.9/cuda/12.6/include",
        "opt/nvidia/hpc_sdk/Linux_x86_64/24.11/cuda/11.8/include",
        "opt/nvidia/hpc_sdk/Linux_x86_64/24.11/cuda/12.6/include",
        "opt/nvidia/hpc_sdk/Linux_x86_64/24.11/cuda/include",
        "usr/include",
        "usr/include/cuda",
        "usr/lib/cuda/include",
    ] {
        machine.header(include, "12.0");
    }
    machine.set_to("CONDA_PREFIX", "conda");
    machine.set_to("VIRTUAL_ENV", "venv");
    machine.file("first/bin/nvcc", b"");
    machine.file("second/bin/nvcc", b"");
    machine.set_path(["empty", "first/bin", "second/bin"]);
    machine.pkg_config(Ok(vec![machine.at("pkg-config/include"), machine.at("pkg-config/more")]));

    let hpc = "/opt/nvidia/hpc_sdk/Linux_x86_64";
    let expected = [
        "X86_64_UNKNOWN_LINUX_GNU_CUDA_EXTERNAL_SYS_INCLUDE_DIR: \
         /X86_64_UNKNOWN_LINUX_GNU_CUDA_EXTERNAL_SYS_INCLUDE_DIR",
        "CUDA_EXTERNAL_SYS_INCLUDE_DIR: /CUDA_EXTERNAL_SYS_INCLUDE_DIR",
        "X86_64_UNKNOWN_LINUX_GNU_CUDA_PATH: /X86_64_UNKNOWN_LINUX_GNU_CUDA_PATH/include",
        "X86_64_UNKNOWN_LINUX_GNU_CUDA_HOME: /X86_64_UNKNOWN_LINUX_GNU_CUDA_HOME/include",
        "X86_64_UNKNOWN_LINUX_GNU_CUDA_ROOT: /X86_64_UNKNOWN_LINUX_GNU_CUDA_ROOT/include",
        "X86_64_UNKNOWN_LINUX_GNU_CUDA_TOOLKIT_PATH: /X86_64_UNKNOWN_LINUX_GNU_CUDA_TOOLKIT_PATH/include",
        "X86_64_UNKNOWN_LINUX_GNU_CUDA_TOOLKIT_ROOT_DIR: \
         /X86_64_UNKNOWN_LINUX_GNU_CUDA_TOOLKIT_ROOT_DIR/include",
        "X86_64_UNKNOWN_LINUX_GNU_CUDAToolkit_ROOT: /X86_64_UNKNOWN_LINUX_GNU_CUDAToolkit_ROOT/include",
        "CUDA_PATH: /CUDA_PATH/include",
        "CUDA_HOME: /CUDA_HOME/include",
        "CUDA_ROOT: /CUDA_ROOT/include",
        "CUDA_TOOLKIT_PATH: /CUDA_TOOLKIT_PATH/include",
        "CUDA_TOOLKIT_ROOT_DIR: /CUDA_TOOLKIT_ROOT_DIR/include",
        "CUDAToolkit_ROOT: /CUDAToolkit_ROOT/include",
        "CONDA_PREFIX: /conda/include",
        "CONDA_PREFIX: /conda/targets/x86_64-linux/include",
        "nvcc on PATH: /first/include",
        "nvcc on PATH: /second/include",
        "pkg-config: /pkg-config/include",
        "pkg-config: /pkg-config/more",
        "/usr/local/cuda: /usr/local/cuda/include",
        "/usr/local/cuda: /usr/local/cuda/targets/x86_64-linux/include",
        "/opt/cuda: /opt/cuda/include",
        "/usr/local/cuda-13.0: /usr/local/cuda-13.0/include",
        "/usr/local/cuda-12.10: /usr/local/cuda-12.10/include",
        "/usr/local/cuda-12.9: /usr/local/cuda-12.9/include",
        &format!("{hpc}/24.11/cuda/12.6: {hpc}/24.11/cuda/12.6/include"),
        &format!("{hpc}/24.11/cuda/11.8: {hpc}/24.11/cuda/11.8/include"),
        &format!("{hpc}/24.11/cuda: {hpc}/24.11/cuda/include"),
        &format!("{hpc}/24.9/cuda/12.6: {hpc}/24.9/cuda/12.6/include"),
        "/usr/include: /usr/include",
        "/usr/include/cuda: /usr/include/cuda",
        "/usr/lib/cuda: /usr/lib/cuda/include",
        "PyPI wheel in VIRTUAL_ENV: /venv/lib/python3.12/site-packages/nvidia/cu13/include",
        "PyPI wheel in VIRTUAL_ENV: /venv/lib/python3.12/site-packages/nvidia/cuda_runtime/include",
        "PyPI wheel in VIRTUAL_ENV: /venv/lib/python3.9/site-packages/nvidia/cuda_runtime/include",
        "PyPI wheel in CONDA_PREFIX: /conda/lib/python3.12/site-packages/nvidia/cuda_runtime/include",
    ];
    assert_eq!(order(&mut machine), expected);
}

#[test]
fn on_windows_every_place_has_its_turn() {
    let mut machine = Drawn::up(WINDOWS);
    let folder = "Program Files/NVIDIA GPU Computing Toolkit/CUDA";
    for include in [
        "CUDA_PATH/include",
        "CUDA_HOME/include",
        "conda/Library/include",
        "conda/include",
        "conda/Lib/site-packages/nvidia/cu13/include",
        "nvcc/include",
        "V12_9/include",
        "V12_10/include",
        "venv/Lib/site-packages/nvidia/cu13/include",
        "venv/Lib/site-packages/nvidia/cuda_runtime/include",
        &format!("{folder}/v12.9/include"),
        &format!("{folder}/v12.10/include"),
        &format!("{folder}/v13.0/include"),
        "usr/local/cuda/include",
    ] {
        machine.header(include, "12.0");
    }
    machine.set_to("CUDA_PATH", "CUDA_PATH");
    machine.set_to("CUDA_HOME", "CUDA_HOME");
    machine.set_to("CUDA_PATH_V12_9", "V12_9");
    machine.set_to("CUDA_PATH_V12_10", "V12_10");
    machine.set_to("CONDA_PREFIX", "conda");
    machine.set_to("VIRTUAL_ENV", "venv");
    machine.file("nvcc/bin/x64/nvcc.exe", b"");
    machine.set_path(["nvcc/bin/x64"]);
    let expected = [
        "CUDA_PATH: /CUDA_PATH/include",
        "CUDA_HOME: /CUDA_HOME/include",
        "CONDA_PREFIX: /conda/Library/include",
        "CONDA_PREFIX: /conda/include",
        "nvcc on PATH: /nvcc/include",
        "CUDA_PATH_V12_10: /V12_10/include",
        "CUDA_PATH_V12_9: /V12_9/include",
        &format!("/{folder}/v13.0: /{folder}/v13.0/include"),
        &format!("/{folder}/v12.10: /{folder}/v12.10/include"),
        &format!("/{folder}/v12.9: /{folder}/v12.9/include"),
        "PyPI wheel in VIRTUAL_ENV: /venv/Lib/site-packages/nvidia/cu13/include",
        "PyPI wheel in VIRTUAL_ENV: /venv/Lib/site-packages/nvidia/cuda_runtime/include",
        "PyPI wheel in CONDA_PREFIX: /conda/Lib/site-packages/nvidia/cu13/include",
    ];
    assert_eq!(order(&mut machine), expected);
}

#[test]
fn pkg_config_is_asked_only_when_its_turn_comes() {
    let mut machine = Drawn::up(LINUX);
    machine.header("conda/include", "12.0");
    machine.header("usr/local/cuda/include", "12.1");
    machine.set_to("CONDA_PREFIX", "conda");
    machine.finds("conda/include", "12.0", "CONDA_PREFIX");
    assert_eq!(machine.pkg_config_asked.get(), 0);
    machine.unset("CONDA_PREFIX");
    machine.finds("usr/local/cuda/include", "12.1", "/usr/local/cuda");
    assert_eq!(machine.pkg_config_asked.get(), 1);
}
