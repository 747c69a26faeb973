//! What known clients call and this crate does not bind, declared by `extern_driver!` with this crate's types: the names of
//! `lacks` in clients.txt.

use std::collections::BTreeSet;
use std::ffi::{c_int, c_uint, c_void};
use std::mem::transmute;
use std::path::Path;
use std::ptr::{NonNull, null_mut, without_provenance_mut};

use cuda_external_sys::*;
use libtest_mimic::Trial;
use test_support::Need;

use crate::case;
use crate::loader::{library, program};

pub fn trials(compiler: &Need) -> Vec<Trial> {
    let test = |name: &str, run| case::trial(name, std::slice::from_ref(compiler), program, run);
    test_support::tests! { test => what_clients_lack_is_declared_by_the_macro; }
}

macro_rules! declared {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) -> CUresult;)*) => {
        extern_driver! { $(fn $name($($arg: $ty),*) -> CUresult;)* }
        const DECLARED: &[&str] = &[$(stringify!($name)),*];
    };
}

declared! {
    fn cuMemAllocManaged(dptr: *mut CUdeviceptr, bytesize: usize, flags: c_uint) -> CUresult;
    fn cuMemAdvise_v2(devPtr: CUdeviceptr, count: usize, advice: c_int, location: CUmemLocation) -> CUresult;
    fn cuMemPrefetchAsync_v2(devPtr: CUdeviceptr, count: usize, location: CUmemLocation, flags: c_uint, hStream: CUstream) -> CUresult;
    fn cuPointerGetAttribute(data: *mut c_void, attribute: c_int, ptr: CUdeviceptr) -> CUresult;
    fn cuArrayGetDescriptor_v2(pArrayDescriptor: *mut c_void, hArray: CUarray) -> CUresult;
    fn cuMemsetD2D8_v2(dst: CUdeviceptr, dstPitch: usize, uc: u8, width: usize, height: usize) -> CUresult;
    fn cuMemsetD2D16_v2(dst: CUdeviceptr, dstPitch: usize, us: u16, width: usize, height: usize) -> CUresult;
    fn cuModuleLoadDataEx(module: *mut CUmodule, image: *const c_void, numOptions: c_uint, options: *mut c_int, values: *mut *mut c_void) -> CUresult;
    fn cuMemAllocAsync(dptr: *mut CUdeviceptr, bytesize: usize, hStream: CUstream) -> CUresult;
    fn cuMemFreeAsync(dptr: CUdeviceptr, hStream: CUstream) -> CUresult;
    fn cuGraphicsD3D11RegisterResource(pCudaResource: *mut CUgraphicsResource, resource: *mut c_void, flags: c_uint) -> CUresult;
}

/// The first versions of two functions, which a client calls where a driver lacks the second. In the macro, these names are
/// the second versions.
const EXACT: &[&str] = &["cuMemAdvise", "cuMemPrefetchAsync"];

/// Each returns 0 where its arguments are as called below.
const DRIVER: &str = "
    typedef unsigned long long ptr; typedef __SIZE_TYPE__ size; typedef struct { int type, id; } location;
    int cuDriverGetVersion(int *v) { *v = 13000; return 0; }
    int cuMemAllocManaged(ptr *p, size n, unsigned f) { *p = n; return f != 1; }
    int cuMemAdvise(ptr p, size n, int a, int device) { return p != 10 || n != 20 || a != 3 || device != 5; }
    int cuMemAdvise_v2(ptr p, size n, int a, location l) {
        return p != 10 || n != 20 || a != 3 || l.type != 4 || l.id != 5;
    }
    int cuMemPrefetchAsync(ptr p, size n, int device, void *s) { return p != 10 || n != 20 || device != 5 || s; }
    int cuMemPrefetchAsync_v2(ptr p, size n, location l, unsigned f, void *s) {
        return p != 10 || n != 20 || l.type != 4 || l.id != 5 || f != 6 || s;
    }
    int cuPointerGetAttribute(void *d, int a, ptr p) { *(int *)d = a; return p != 10; }
    int cuArrayGetDescriptor_v2(void *d, void *a) { *(int *)d = 7; return (size)a != 8; }
    int cuMemsetD2D8_v2(ptr p, size q, unsigned char c, size w, size h) {
        return p != 10 || q != 20 || c != 255 || w != 30 || h != 40;
    }
    int cuMemsetD2D16_v2(ptr p, size q, unsigned short c, size w, size h) {
        return p != 10 || q != 20 || c != 65535 || w != 30 || h != 40;
    }
    int cuModuleLoadDataEx(void **m, void *i, unsigned n, int *o, void **v) { *m = i; return n != 9 || o || v; }
    int cuMemAllocAsync(ptr *p, size n, void *s) { *p = n; return (size)s != 8; }
    int cuMemFreeAsync(ptr p, void *s) { return p != 10 || (size)s != 8; }
    int cuGraphicsD3D11RegisterResource(void **r, void *d, unsigned f) { *r = d; return f != 4; }
";

fn what_clients_lack_is_declared_by_the_macro(directory: &Path) {
    let text = include_str!("../build-script/tests/bindings/clients.txt");
    let mut lacked = BTreeSet::new();
    let mut is_lacks = false;
    for word in text.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace) {
        is_lacks = word == "lacks" || is_lacks && word.starts_with("cu") && !word.contains('(');
        if is_lacks && word != "lacks" {
            lacked.insert(word);
        }
    }
    assert_eq!(lacked, DECLARED.iter().chain(EXACT).copied().collect());

    library(directory, "libcuda.so.1", DRIVER);
    let location = CUmemLocation { type_: CUmemLocationType::from(4), id: 5 };
    let (mut address, mut number, mut handle) = (0, 0, null_mut());
    let stream = without_provenance_mut(8);
    let exact = |name| load().unwrap().exact_symbol(name).expect("the library has it");
    // SAFETY: the functions are those of the library above.
    let codes = unsafe {
        type Advise = unsafe extern "C" fn(CUdeviceptr, usize, c_int, CUdevice) -> CUresult;
        type Prefetch = unsafe extern "C" fn(CUdeviceptr, usize, CUdevice, CUstream) -> CUresult;
        [
            cuMemAllocManaged(&mut address, 16, 1),
            cuMemAdvise_v2(10, 20, 3, location),
            cuMemPrefetchAsync_v2(10, 20, location, 6, null_mut()),
            cuPointerGetAttribute((&raw mut number).cast(), 7, 10),
            cuArrayGetDescriptor_v2((&raw mut number).cast(), without_provenance_mut(8)),
            cuMemsetD2D8_v2(10, 20, 255, 30, 40),
            cuMemsetD2D16_v2(10, 20, 65535, 30, 40),
            cuModuleLoadDataEx(&mut handle, c"".as_ptr().cast(), 9, null_mut(), null_mut()),
            cuMemAllocAsync(&mut address, 16, stream),
            cuMemFreeAsync(10, stream),
            cuGraphicsD3D11RegisterResource((&raw mut handle).cast(), null_mut(), 4),
            transmute::<NonNull<c_void>, Advise>(exact(c"cuMemAdvise"))(10, 20, 3, 5),
            transmute::<NonNull<c_void>, Prefetch>(exact(c"cuMemPrefetchAsync"))(10, 20, 5, null_mut()),
        ]
    };
    assert_eq!(codes, [CUDA_SUCCESS; 13]);
    assert_eq!((address, number, handle), (16, 7, null_mut()));
}
