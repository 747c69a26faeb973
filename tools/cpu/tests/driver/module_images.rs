//! Tests of the images from which modules are loaded, and of what kernels print and sample.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};

use cuda_external_sys::*;
use example_support::cuda::{DeviceMemory, read, write};

use super::{
    PTX_HEADER, assert_ok, cuLinkAddData_v2, cuLinkComplete, cuLinkCreate_v2, cuLinkDestroy,
    kernel_of_module, load_ptx, process_of_test, use_first_device,
};

// SAFETY of the calls below: handles are alive, and pointers are valid, or null where the function checks for null.

extern_driver! {
    fn cuModuleLoad(module: *mut CUmodule, path: *const c_char) -> CUresult;
    fn cuLibraryLoadData(
        library: *mut CUmodule, image: *const c_void, keys: usize, values: usize, count: u32,
        library_keys: usize, library_values: usize, library_count: u32
    ) -> CUresult;
    fn cuLibraryLoadFromFile(
        library: *mut CUmodule, path: *const c_char, keys: *mut c_int, values: *mut *mut c_void, count: u32,
        library_keys: *mut c_int, library_values: *mut *mut c_void, library_count: u32
    ) -> CUresult;
    fn cuLibraryGetKernel(kernel: *mut CUfunction, library: CUmodule, name: *const c_char) -> CUresult;
    fn cuLibraryUnload(library: CUmodule) -> CUresult;
    fn cuKernelGetFunction(function: *mut CUfunction, kernel: CUfunction) -> CUresult;
    fn cuModuleLoadFatBinary(module: *mut CUmodule, image: *const c_void) -> CUresult;
}

/// Runs a kernel whose last argument is the address of a 32-bit integer, and returns the integer. `first` is the
/// argument before the address, if the kernel has one.
fn run_kernel(module: CUmodule, kernel: &CStr, first: Option<u64>) -> u32 {
    run_kernel_after_step(module, kernel, first, || ())
}

/// Does the same as [`run_kernel`], and calls `step` after the launch and before the kernel runs.
fn run_kernel_after_step(module: CUmodule, kernel: &CStr, first: Option<u64>, step: impl FnOnce()) -> u32 {
    unsafe extern "C" fn wait_for_flag(flag: *mut c_void) {
        while !unsafe { &*flag.cast::<AtomicBool>() }.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
    }
    let flag = AtomicBool::new(false);
    let (memory, function) = (DeviceMemory::new(4).unwrap(), kernel_of_module(module, kernel));
    let mut arguments = Vec::from_iter(first.into_iter().chain([memory.address]));
    let mut each = Vec::from_iter(arguments.iter_mut().map(|argument| std::ptr::from_mut(argument).cast()));
    unsafe {
        assert_ok(cuLaunchHostFunc(null_mut(), Some(wait_for_flag), (&raw const flag).cast_mut().cast()));
        assert_ok(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, null_mut(), each.as_mut_ptr(), null_mut()));
        step();
        flag.store(true, Ordering::Release);
        assert_ok(cuCtxSynchronize());
    }
    u32::from_ne_bytes(read(memory.address, 4).unwrap().try_into().unwrap())
}

/// Functions and variables that are not `.visible`, `.extern`, `.weak` or `.common` belong to the input that declares
/// them. The second input's `.extern` variable `both` is the `.visible` variable `both` of the first input.
#[test]
fn each_input_of_the_linker_keeps_its_own_names() {
    use_first_device();
    let input = |name: &str, own: u32, declaration: &str| {
        format!(
            "{PTX_HEADER}{declaration}.global .u32 own = {own};\n\
             .func (.param .u32 r) helper() {{ .reg .u32 %a, %b; ld.global.u32 %a, [own]; \
             ld.global.u32 %b, [both]; add.u32 %a, %a, %b; st.param.u32 [r], %a; ret; }}\n\
             .visible .entry {name}(.param .u64 out) {{ .reg .u64 %o; .reg .u32 %a; .param .u32 v; \
             ld.param.u64 %o, [out]; call (v), helper, (); ld.param.u32 %a, [v]; st.global.u32 [%o], %a; ret; }}\n"
        )
    };
    let (mut link, mut image, mut module) = (null_mut(), null(), null_mut());
    unsafe {
        assert_ok(cuLinkCreate_v2(0, null(), null(), &mut link));
        let add = |kind: c_int, bytes: &[u8]| {
            cuLinkAddData_v2(link, kind, bytes.as_ptr().cast(), bytes.len(), null(), 0, null(), null())
        };
        assert_ok(add(1, input("first", 11, ".visible .global .u32 both = 100;\n").as_bytes()));
        assert_ok(add(1, input("second", 22, ".extern .global .u32 both;\n").as_bytes()));
        assert_eq!(add(0, b"\x7fELF"), CUDA_ERROR_NOT_SUPPORTED);
        // The linker refuses an archive without members. It ignores an archive's members, which are code for GPUs.
        assert_eq!(add(4, b"!<arch>\n"), CUDA_ERROR_INVALID_IMAGE);
        assert_ok(add(4, b"!<arch>\nmember.o/"));
        assert_ok(cuLinkComplete(link, &mut image, &mut 0));
        assert_ok(cuModuleLoadData(&mut module, image));
        assert_ok(cuLinkDestroy(link));
    }
    assert_eq!((run_kernel(module, c"first", None), run_kernel(module, c"second", None)), (111, 122));
}

/// CUDA 13.5's `fatbinary` wrote zstd.fatbin with `--compress-mode=size`, and lz4.fatbin with `--compress-mode=speed`.
/// In both files, the kernel's PTX for compute capability 5.2 stores 7, and the PTX for 8.0 stores 9. The PTX for 12.0
/// stores 0. This PTX is too new for this driver's device, whose compute capability is 9.0.
const FAT_BINARIES: [&[u8]; 2] =
    [include_bytes!("fat_binaries/zstd.fatbin"), include_bytes!("fat_binaries/lz4.fatbin")];

#[test]
fn a_fat_binary_has_the_newest_ptx_that_runs() {
    use_first_device();
    let load_at = |image: *const c_void| {
        let mut module = null_mut();
        unsafe { cuModuleLoadFatBinary(&mut module, image) }.result().map(|()| module)
    };
    let load = |image: &[u8]| load_at(image.as_ptr().cast());
    for bytes in FAT_BINARIES {
        let wrapper = [0x1_4662_43b1_u64, bytes.as_ptr().expose_provenance() as u64, 0];
        assert_eq!(load_at(wrapper.as_ptr().cast()), Err(CUDA_ERROR_INVALID_IMAGE));
        let mut library = null_mut();
        assert_ok(unsafe { cuLibraryLoadData(&mut library, wrapper.as_ptr().cast(), 0, 0, 0, 0, 0, 0) });
        for module in [library, load(bytes).unwrap()] {
            assert_eq!(run_kernel(module, c"k", None), 9);
        }
        // The driver refuses a fat binary without entries.
        assert_eq!(load(&[&bytes[..8], &[0; 8]].concat()), Err(CUDA_ERROR_NO_BINARY_FOR_GPU));
        // Wrong bytes after the header give other PTX or an error, and do not end the process.
        for (at, count) in (16..bytes.len()).flat_map(|at| [(at, 0), (at, 8)]) {
            let mut changed = bytes.to_vec();
            changed[at] ^= 0x10;
            changed[at..].iter_mut().take(count).for_each(|byte| *byte = 0xff);
            _ = load(&changed).map(|module| assert_ok(unsafe { cuModuleUnload(module) }));
        }
    }
}

#[test]
fn a_module_is_loaded_from_a_file() {
    use_first_device();
    let mut module = null_mut();
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/module_images.ptx");
    std::fs::write(path, format!("{PTX_HEADER}.visible .entry k() {{ ret; }}\n")).unwrap();
    let path = CString::new(path).unwrap();
    unsafe {
        assert_ok(cuModuleLoad(&mut module, path.as_ptr()));
        kernel_of_module(module, c"k");
        assert_eq!(cuModuleLoad(&mut module, c"/no/such/file".as_ptr()), CUDA_ERROR_FILE_NOT_FOUND);
        let empty = CString::default();
        assert_eq!(cuModuleLoadData(&mut module, empty.as_ptr().cast()), CUDA_ERROR_INVALID_IMAGE);
        // Files that end too early. On an H100, half a fat binary makes the call wait forever.
        let (short, image) = (concat!(env!("CARGO_TARGET_TMPDIR"), "/short_image"), FAT_BINARIES[0]);
        let short_path = CString::new(short).unwrap();
        for (bytes, code) in [
            (&image[..0], CUDA_ERROR_INVALID_IMAGE),
            (&image[..4], CUDA_ERROR_NO_BINARY_FOR_GPU),
            (&image[..20], CUDA_ERROR_NO_BINARY_FOR_GPU),
            (&image[..image.len() / 2], CUDA_ERROR_NO_BINARY_FOR_GPU),
            (b"\xb1CbF", CUDA_ERROR_INVALID_IMAGE),
        ] {
            std::fs::write(short, bytes).unwrap();
            assert_eq!(cuModuleLoad(&mut module, short_path.as_ptr()), code, "{bytes:?}");
        }
        assert_eq!(cuModuleLoad(&mut module, null()), CUDA_ERROR_INVALID_VALUE);
        let (mut library, mut kernel, mut function) = (null_mut(), null_mut(), null_mut());
        let mut load = |path| {
            cuLibraryLoadFromFile(&mut library, path, null_mut(), null_mut(), 0, null_mut(), null_mut(), 0)
        };
        assert_eq!(load(c"/no/such/file".as_ptr()), CUDA_ERROR_FILE_NOT_FOUND);
        assert_eq!(load(null()), CUDA_ERROR_INVALID_VALUE);
        // A library needs no context.
        let mut context = null_mut();
        assert_ok(cuCtxPopCurrent(&mut context));
        assert_ok(load(path.as_ptr()));
        assert_ok(cuCtxPushCurrent(context));
        assert_ok(cuLibraryGetKernel(&mut kernel, library, c"k".as_ptr()));
        assert_ok(cuKernelGetFunction(&mut function, kernel));
        assert_ok(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, null_mut(), null_mut(), null_mut()));
        assert_ok(cuCtxSynchronize());
        assert_ok(cuLibraryUnload(library));
        // CUDA 13.5 has PTX 9.5. The driver refuses newer PTX by its version, before it parses the unknown directive.
        let (mut release, refused) = (0, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
        assert_ok(cuDriverGetVersion(&mut release));
        for (minor, directive, code) in [(0, "", CUDA_SUCCESS), (1, ".new", refused)] {
            let version = format!("{}.{}", release / 1000 - 4, release % 1000 / 10 + minor);
            let head = format!(".version {version}\n{directive}\n.target sm_90\n.address_size 64\n");
            let text = head + ".entry k() { ret; }\0";
            assert_eq!(cuModuleLoadData(&mut module, text.as_ptr().cast()), code, "{version}");
        }
    }
}

/// A kernel can read a texture that the program destroys after the kernel's launch.
#[test]
#[allow(non_snake_case)] // C's names
fn textures_read_pitched_and_linear_memory() {
    use_first_device();
    let memory = DeviceMemory::new(512 * 8).unwrap();
    let bytes = Vec::from_iter((0..8 * 512_u32).map(|at| (at % 512 + 10 * (at / 512)) as u8));
    write(memory.address, &bytes).unwrap();
    let module = load_ptx(
        ".visible .entry pitched(.param .u64 tex, .param .u64 out) {
         .reg .u64 %t, %o; .reg .f32 %x, %y; .reg .u32 %a, %b, %c, %d; ld.param.u64 %t, [tex]; ld.param.u64 %o, [out];
         mov.f32 %x, 0f40A80000; mov.f32 %y, 0f40600000; tex.2d.v4.u32.f32 {%a, %b, %c, %d}, [%t, {%x, %y}];
         st.global.u32 [%o], %a; ret; }\n\
         .visible .entry linear(.param .u64 tex, .param .u64 out) {
         .reg .u64 %t, %o; .reg .u32 %x, %a, %b, %c, %d, %e; ld.param.u64 %t, [tex]; ld.param.u64 %o, [out];
         mov.u32 %x, 37; tex.1d.v4.u32.s32 {%a, %b, %c, %d}, [%t, {%x}]; mov.u32 %x, 4096;
         tex.1d.v4.u32.s32 {%e, %b, %c, %d}, [%t, {%x}]; add.u32 %a, %a, %e; st.global.u32 [%o], %a; ret; }\n",
    );
    let desc = CUDA_TEXTURE_DESC {
        addressMode: [CU_TR_ADDRESS_MODE_CLAMP; 3],
        flags: CU_TRSF_READ_AS_INTEGER,
        ..Default::default()
    };
    let (devPtr, format, numChannels) = (memory.address, CU_AD_FORMAT_UNSIGNED_INT8, 1);
    let linear = CUDA_RESOURCE_DESC_res_linear { devPtr, format, numChannels, sizeInBytes: 4096 };
    let pitch2D = CUDA_RESOURCE_DESC_res_pitch2D {
        devPtr,
        format,
        numChannels,
        width: 64,
        height: 8,
        pitchInBytes: 512,
    };
    for (kind, res, kernel, value) in [
        (CU_RESOURCE_TYPE_PITCH2D, CUDA_RESOURCE_DESC_res { pitch2D }, c"pitched", 35),
        (CU_RESOURCE_TYPE_LINEAR, CUDA_RESOURCE_DESC_res { linear }, c"linear", 37),
    ] {
        let resource = CUDA_RESOURCE_DESC { resType: kind, res, flags: 0 };
        let mut texture = 0;
        unsafe {
            assert_ok(cuTexObjectCreate(&mut texture, &resource, &desc, null()));
            let destroy = || assert_ok(cuTexObjectDestroy(texture));
            assert_eq!(run_kernel_after_step(module, kernel, Some(texture), destroy), value);
        }
    }
}

/// The driver writes a kernel's output to C's stdout, and flushes stdout. If stdout is a pipe without a reader, the
/// process continues.
#[test]
#[ignore = "a process of a_kernel_prints_to_the_programs_stdout"]
fn print_from_a_kernel() {
    use_first_device();
    let module = load_ptx(
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
         .global .align 1 .b8 t[6] = {104, 101, 108, 108, 111, 0};\n\
         .visible .entry k(.param .u64 out) { .reg .b64 %d; .param .b64 f; .param .b64 a; .param .b32 r;
         mov.u64 %d, t; st.param.b64 [f], %d; mov.u64 %d, 0; st.param.b64 [a], %d; call (r), vprintf, (f, a); ret; }\n",
    );
    run_kernel(module, c"k", None);
    let mut ends = [0; 2];
    unsafe {
        let stdout = libc::dup(1);
        assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
        libc::close(ends[0]);
        libc::dup2(ends[1], 1);
        run_kernel(module, c"k", None);
        libc::dup2(stdout, 1);
    }
}

#[test]
fn a_kernel_prints_to_the_programs_stdout() {
    let output = process_of_test("module_images::print_from_a_kernel").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.matches("hello").count() == 1, "{text}");
}
