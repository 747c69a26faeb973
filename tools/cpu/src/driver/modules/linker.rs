//! The linker of modules: PTX goes in, and PTX comes out as the image, since nothing here runs a GPU's code.

use std::os::unix::ffi::OsStrExt;

use crate::driver::base::prelude::*;

/// The PTX that is linked so far, with a zero at its end when it is complete.
struct LinkerState(Mutex<String>);

static LINKERS: HandleRegistry<LinkerState> = HandleRegistry::new(41, CUDA_ERROR_INVALID_HANDLE);

/// CU_JIT_INPUT_PTX of CUjitInputType. The others are code for GPUs.
const PTX_INPUT: c_int = 1;

impl LinkerState {
    /// The version, the target and the size of addresses in the first text hold for all texts.
    fn add_ptx(&self, kind: c_int, bytes: &[u8]) -> CudaResult {
        let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        let text = std::str::from_utf8(text).map_err(|_| CUDA_ERROR_INVALID_PTX)?;
        ensure_ptx_input(kind)?;
        let mut all = lock(&self.0);
        let is_first = all.is_empty();
        let is_header =
            |line: &str| [".version", ".target", ".address_size"].iter().any(|word| line.starts_with(word));
        for line in text.lines().filter(|line| is_first || !is_header(line.trim_start())) {
            all.push_str(line);
            all.push('\n');
        }
        Ok(())
    }
}

fn ensure_ptx_input(kind: c_int) -> CudaResult {
    if kind == PTX_INPUT { Ok(()) } else { Err(CUDA_ERROR_NOT_SUPPORTED) }
}

type LinkHandle = *mut c_void;

functions! {
    Init fn cuLinkCreate | cuLinkCreate_v2(
        _count: c_uint, _keys: *const c_int, _values: *const *mut c_void, link: *mut LinkHandle
    ) {
        crate::driver::base::current_context::current_context()?;
        LINKERS.create_object(link, || Ok(LinkerState(Mutex::default())))
    }
    Init fn cuLinkAddData | cuLinkAddData_v2(
        link: LinkHandle, kind: c_int, data: *const c_void, size: usize, _name: *const c_char, _count: c_uint,
        _keys: *const c_int, _values: *const *mut c_void
    ) {
        LINKERS.find(link)?.add_ptx(kind, read_array(data.cast(), size)?)
    }
    Init fn cuLinkAddFile | cuLinkAddFile_v2(
        link: LinkHandle, kind: c_int, path: *const c_char, _count: c_uint, _keys: *const c_int, _values: *const *mut c_void
    ) {
        let (link, path) = (LINKERS.find(link)?, read_c_str(path)?);
        ensure_ptx_input(kind)?;
        let path = std::ffi::OsStr::from_bytes(path.to_bytes());
        link.add_ptx(kind, &std::fs::read(path).map_err(|_| CUDA_ERROR_FILE_NOT_FOUND)?)
    }
    Init fn cuLinkComplete(link: LinkHandle, image: *mut *const c_void, size: *mut usize) {
        let link = LINKERS.find(link)?;
        let mut all = lock(&link.0);
        all.push('\0');
        write_out(image, all.as_ptr().cast())?;
        write_if_wanted(size, all.len());
        Ok(())
    }
    Init fn cuLinkDestroy(link: LinkHandle) { LINKERS.destroy(link) }
}
