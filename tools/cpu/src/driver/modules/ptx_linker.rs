//! The module linker (cuLinkCreate): joins PTX, also from fat binaries, into one PTX image. Cubins are not supported.

use super::{fat_binaries, module_loading};
use crate::driver::driver_prelude::*;

/// The PTX of all inputs so far, to which cuLinkComplete adds a NUL. Each input keeps its `.version` line.
static LINKERS: HandleRegistry<Mutex<String>> = HandleRegistry::new(41, CUDA_ERROR_INVALID_HANDLE);

// The kinds of CUjitInputType that this linker accepts.
const PTX_INPUT: c_int = 1;
const FAT_BINARY_INPUT: c_int = 2;
const LIBRARY_INPUT: c_int = 4;

const ARCHIVE: &[u8] = b"!<arch>\n";

type LinkerHandle = *mut c_void;

fn add_linker_input(link: &Mutex<String>, kind: c_int, bytes: &[u8]) -> CudaResult {
    let text = match kind {
        PTX_INPUT => bytes.to_vec(),
        FAT_BINARY_INPUT => fat_binaries::find_newest_ptx(bytes).ok_or(CUDA_ERROR_NO_BINARY_FOR_GPU)?,
        // The linker ignores the members of a static library: they are object files with code for GPUs.
        LIBRARY_INPUT if bytes.starts_with(ARCHIVE) && bytes.len() > ARCHIVE.len() => return Ok(()),
        LIBRARY_INPUT => return Err(CUDA_ERROR_INVALID_IMAGE),
        _ => return Err(CUDA_ERROR_NOT_SUPPORTED),
    };
    let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
    let text = std::str::from_utf8(text).map_err(|_| CUDA_ERROR_INVALID_PTX)?;
    lock(link).extend([text, "\n"]);
    Ok(())
}

functions! {
    Init fn cuLinkCreate | cuLinkCreate_v2(
        _count: c_uint, _keys: *const c_int, _values: *const *mut c_void, link: *mut LinkerHandle
    ) {
        let context = Some(current_context()?.id);
        LINKERS.create_object(link, context, || Ok(Mutex::default()))
    }
    Init fn cuLinkAddData | cuLinkAddData_v2(
        link: LinkerHandle, kind: c_int, data: *const c_void, size: usize, _name: *const c_char, _count: c_uint,
        _keys: *const c_int, _values: *const *mut c_void
    ) { add_linker_input(&*LINKERS.find_object(link)?, kind, read_array(data.cast(), size)?) }
    Init fn cuLinkAddFile | cuLinkAddFile_v2(
        link: LinkerHandle, kind: c_int, path: *const c_char, _count: c_uint, _keys: *const c_int,
        _values: *const *mut c_void
    ) { add_linker_input(&*LINKERS.find_object(link)?, kind, &module_loading::read_image_file(read_c_str(path)?)?) }
    Init fn cuLinkComplete(link: LinkerHandle, image: *mut *const c_void, size: *mut usize) {
        let link = LINKERS.find_object(link)?;
        let mut all = lock(&link);
        all.push('\0');
        write_out(image, all.as_ptr().cast())?;
        write_out_if_wanted(size, all.len())
    }
    Init fn cuLinkDestroy(link: LinkerHandle) { LINKERS.destroy_object(link) }
}
