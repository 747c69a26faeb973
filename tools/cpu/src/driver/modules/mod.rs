pub mod fat_binaries;
pub mod function_attributes;
pub mod kernel_launch;
pub mod module_loading;
pub mod ptx_linker;
