//! Adds the layer to the Vulkan layers of a program that uses Vulkan.

use std::env;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use cuda_external_in_process::path_variables::prepend_path;
use serde_json::json;

const NAME: &str = "VK_LAYER_CUDA_EXTERNAL_check";

/// The manifest names the libcuda.so.1 that the dynamic loader finds, so that a process does not load the layer twice.
pub fn write_manifest(directory: &Path) -> io::Result<()> {
    let manifest = json!({
        "file_format_version": "1.2.0",
        "layer": {
            "name": NAME,
            "type": "GLOBAL",
            "library_path": directory.join("libcuda.so.1"),
            "api_version": "1.4.0",
            "implementation_version": "1",
            "description": "What Vulkan exports, for cuda-external-check",
        },
    });
    fs::write(directory.join("cuda_external_check.json"), manifest.to_string())
}

/// Sets the variables by which Vulkan's loader finds and enables the layer. An old loader ignores VK_ADD_LAYER_PATH.
pub fn add_layer_variables(command: &mut Command, directory: &Path) {
    // The loader ignores VK_ADD_LAYER_PATH if VK_LAYER_PATH is set.
    let paths = if env::var_os("VK_LAYER_PATH").is_some() { "VK_LAYER_PATH" } else { "VK_ADD_LAYER_PATH" };
    command.env(paths, prepend_path(paths, directory.as_os_str()));
    command.env("VK_INSTANCE_LAYERS", prepend_path("VK_INSTANCE_LAYERS", NAME.as_ref()));
}
