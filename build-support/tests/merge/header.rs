//! A small surface, and bindgen's code of a header that agrees with it.

use cuda_external_sys_build::Surface;
use cuda_external_sys_build::toolkit::Version;

/// A surface of a few items.
pub const SURFACE: &str = "
pub type cuuint32_t = u32;
pub type cuuint64_t = u64;
#[doc(alias = \"CUdeviceptr_v2\")]
pub type CUdeviceptr = c_ulonglong;
pub type CUcontext = *mut CUctx_st;
pub type CUbytes = [c_char; 8];
pub type CUcallback = Option<unsafe extern \"C\" fn(data: *mut c_void)>;
opaque! { CUctx_st, }
pub const CUDA_VERSION: u32 = 13050;
pub const CU_FLAG: u32 = 1;
c_enum! { #[must_use] pub enum CUresult: CUresult_values { CUDA_SUCCESS = 0, CUDA_ERROR_OLD = 7, } }
c_enum! { pub enum CUsigned(c_int): CUsigned_values { CU_NONE = -1, } }
#[doc(alias = \"CUpair_v2\")]
#[repr(C)]
pub struct CUpair { /// The first.
pub first: c_uint, pub second: c_ulonglong, pub reserved: [c_uint; 2], }
#[repr(C)]
pub struct CUDA_HOST_NODE_PARAMS_v2 { pub a: c_ulonglong, pub b: c_ulonglong, }
#[repr(C)]
pub union CUgraphNodeParams { pub host: CUDA_HOST_NODE_PARAMS_v2, pub all: [c_ulonglong; 4], }
#[repr(C)]
pub union CUholder { pub host: CUDA_HOST_NODE_PARAMS_v2, pub all: [c_ulonglong; 4], }
#[repr(C)]
pub struct CUDA_EVENT_RECORD_NODE_PARAMS { pub first: c_ulonglong, pub context: CUDA_EVENT_RECORD_NODE_PARAMS_context, }
#[repr(C)]
pub union CUDA_EVENT_RECORD_NODE_PARAMS_context { pub number: c_ulonglong, }
zeroed_default! { CUpair, }
driver_functions! { pub fn cuTake: PFN_cuTake(pair: *const CUpair, context: CUcontext) -> CUresult; }
";

/// bindgen's code of a header that agrees with it, in parts.
pub const PAIR: &str = "#[repr(C)] pub struct CUpair_st { pub first: ::core::ffi::c_uint, pub second: ::core::ffi::c_ulonglong, \
    pub reserved: [::core::ffi::c_uint; 2usize], } \
    const _: () = { [\"Size of CUpair_st\"][size_of::<CUpair_st>() - 24usize]; \
    [\"Alignment of CUpair_st\"][align_of::<CUpair_st>() - 8usize]; \
    [\"Offset of field: CUpair_st::first\"][offset_of!(CUpair_st, first) - 0usize]; \
    [\"Offset of field: CUpair_st::second\"][offset_of!(CUpair_st, second) - 8usize]; \
    [\"Offset of field: CUpair_st::reserved\"][offset_of!(CUpair_st, reserved) - 16usize]; };";
pub const VERSIONS: &str = "pub type CUpair_v2 = CUpair_st; pub type CUpair = CUpair_v2;";
pub const RESULT: &str = "#[repr(transparent)] pub struct CUresult_enum(pub ::core::ffi::c_uint); pub use self::CUresult_enum as CUresult; \
    pub const CUDA_SUCCESS: CUresult_enum = CUresult_enum(0); pub const CUDA_ERROR_OLD: CUresult_enum = CUresult_enum(8);";
pub const FUNCTIONS: &str = "#[repr(C)] pub struct CUctx_st { _unused: [u8; 0], } pub type CUcontext = *mut CUctx_st; \
    unsafe extern \"C\" { #[must_use] pub fn cuTake(pair: *const CUpair, context: CUcontext) -> CUresult; }";

pub fn header(constants: &str, parts: &[&str]) -> String {
    parts.concat() + "pub const CUDA_ERROR_OLD: i64 = 8;" + constants
}

pub fn merged(version: (u32, u32), code: &str) -> Result<String, String> {
    let (major, minor) = version;
    let surface = Surface::read(SURFACE, Version { major: 13, minor: 5 }).expect("the surface can be read");
    let number = format!("pub const CUDA_VERSION: i64 = {};", major * 1000 + minor * 10);
    surface.bindings(&(code.to_owned() + &number), Version { major, minor })
}

/// The bindings of a newer header that agrees but for a change.
#[track_caller]
pub fn changed(find: &str, put: &str) -> Result<String, String> {
    let code = header("", &[PAIR, VERSIONS, RESULT, FUNCTIONS]);
    assert!(code.contains(find), "{find}");
    merged((14, 0), &code.replace(find, put))
}

#[track_caller]
pub fn assert_refused(find: &str, put: &str, reason: &str) {
    let error = changed(find, put).expect_err("the header is refused");
    assert!(error.contains(reason), "{error}");
}

#[track_caller]
pub fn assert_has(made: &Result<String, String>, texts: &[&str]) {
    let made = made.as_ref().unwrap_or_else(|error| panic!("{error}"));
    texts.iter().for_each(|text| assert!(made.contains(text), "no {text} in {made}"));
}
