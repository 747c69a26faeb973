//! Compares cuGetProcAddress and cuGetProcAddress_v2 of cuda-external-cpu with those of NVIDIA's driver libraries.

use std::collections::{BTreeSet, HashMap};
use std::ffi::{CString, c_char, c_int, c_void};
use std::path::Path;
use std::process::ExitCode;

use cuda_external_sys::*;
use libloading::os::unix::Library;
use test_support::{Need, driver_library, listed_drivers};

type CuGetProcAddress = unsafe extern "C" fn(*const c_char, *mut *mut c_void, c_int, u64) -> CUresult;
type GetProcAddressV2 =
    unsafe extern "C" fn(*const c_char, *mut *mut c_void, c_int, u64, *mut c_int) -> CUresult;

/// The address variable's value before a call, and after a call that writes nothing.
const UNTOUCHED: *mut c_void = std::ptr::dangling_mut();

/// The codes and the addresses from cuGetProcAddress and cuGetProcAddress_v2, and the status that the latter writes.
type LookupAnswers = ([CUresult; 2], [*mut c_void; 2], c_int);

/// Returns a function that looks up a name by a driver's cuGetProcAddress and cuGetProcAddress_v2.
fn lookup_by_both_versions(
    symbol: impl Fn(&str) -> Option<*mut c_void>,
) -> impl Fn(&str, c_int, u64) -> LookupAnswers {
    let find = |name| symbol(name).expect("a driver of CUDA 12 has both");
    // SAFETY: cuda.h declares the function with this type.
    let get = unsafe { std::mem::transmute::<*mut c_void, CuGetProcAddress>(find("cuGetProcAddress")) };
    // SAFETY: cuda.h declares the function with this type.
    let get_v2 = unsafe { std::mem::transmute::<*mut c_void, GetProcAddressV2>(find("cuGetProcAddress_v2")) };
    move |name, release, flags| {
        let (name, [mut one, mut two], mut status) = (CString::new(name).unwrap(), [UNTOUCHED; 2], 77);
        // SAFETY: the name is a C string, and the pointers point to variables of this function.
        let codes = unsafe {
            [
                get(name.as_ptr(), &mut one, release, flags),
                get_v2(name.as_ptr(), &mut two, release, flags, &mut status),
            ]
        };
        (codes, [one, two], status)
    }
}

fn address_in_this_driver(name: &str) -> Option<*mut c_void> {
    cuda_external_cpu::symbol(&CString::new(name).unwrap()).map(|found| found.as_ptr())
}

fn ask_both_drivers(path: &Path) {
    // SAFETY: the initializers of NVIDIA's library have no precondition.
    let library = unsafe { Library::new(path).unwrap() };
    // SAFETY: only the symbol's address is used.
    let symbol = |name: &str| unsafe { library.get::<*mut c_void>(name.as_bytes()).ok().map(|found| *found) };
    let (ask_theirs, ask_ours) =
        (lookup_by_both_versions(symbol), lookup_by_both_versions(address_in_this_driver));
    let mut version = 0;
    // SAFETY: cuda.h declares cuDriverGetVersion with this type.
    let get_version = unsafe { library.get::<PFN_cuDriverGetVersion>(b"cuDriverGetVersion\0").unwrap() };
    // SAFETY: the pointer points to a variable of this function.
    assert_eq!(unsafe { get_version(&mut version) }, CUDA_SUCCESS);
    // The headers in NVIDIA's wheels do not say which releases brought VDPAU's functions, so the test omits them.
    let symbols = build_script::driver_exports::driver_symbols();
    let names = Vec::from_iter(symbols.keys().map(String::as_str).filter(|name| !name.contains("VDPAU")));
    let addresses: HashMap<_, _> = names.iter().filter_map(|name| Some((*name, symbol(name)?))).collect();
    let own_names: HashMap<_, _> =
        names.iter().map(|name| (address_in_this_driver(name).unwrap(), *name)).collect();
    let mut releases = BTreeSet::from_iter(symbols.values().flatten().map(|release| *release as c_int));
    releases.retain(|release| *release <= version);
    releases.extend([-1, 0, 1000]);
    let questions = releases.iter().flat_map(|release| (0..5).map(|flags| (*release, flags)));
    let mut asked = 0;
    for name in names.iter().filter(|name| addresses.contains_key(**name) || name.contains("_v")) {
        for (release, flags) in questions.clone() {
            let (own_codes, own_places, own_status) = ask_ours(name, release, flags);
            // The test skips a function that this driver has and NVIDIA's older library lacks.
            let own_name = own_names.get(&own_places[1]);
            let expected = own_name.map(|name| addresses.get(name).copied());
            if expected == Some(None) {
                continue;
            }
            let (codes, places, status) = ask_theirs(name, release, flags);
            let question = format!("{name}, {release}, {flags}");
            assert_eq!((codes, status), (own_codes, own_status), "{question}");
            // Each driver has other addresses: the test expects NVIDIA's address of the function that ours found.
            let expected = own_places
                .map(|place| if own_names.contains_key(&place) { expected.flatten() } else { Some(place) });
            assert_eq!(places.map(Some), expected, "{question}");
            asked += 2;
        }
    }
    assert!(asked > 10_000, "{asked}");
    println!("{}: {asked} questions", path.display());
}

pub fn main() -> ExitCode {
    let trial = |driver: &'static str| {
        let library = driver_library(driver);
        let need = Need::new("driver-libraries", &library);
        let ask = move || ask_both_drivers(&library.expect("the test needs it"));
        test_support::trial_if(&format!("answers_as_driver_{driver}"), [&need], ask)
    };
    // Older drivers lack cuGetProcAddress_v2: CUDA 12 begins with 525.
    let drivers = listed_drivers().into_iter().filter(|driver| *driver >= "525");
    test_support::run_trials(drivers.map(trial).collect(), Some(1))
}
