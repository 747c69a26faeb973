//! All functions by name, and the driver's own look-up of them.

use std::ptr::{NonNull, null_mut};

use cuda_external_in_process::newest_release::VERSION;

use crate::driver::base::functions_macro::TableEntry;
use crate::driver::base::prelude::*;
use crate::driver::base::results::null_is_per_thread;
use crate::driver::function_releases::FUNCTION_RELEASES;
#[cfg(feature = "kernels")]
use crate::driver::modules;
use crate::driver::{contexts, external, graphs, images, memory, not_implemented, streams};

const TABLES: &[&[&[TableEntry]]] = &[
    contexts::context_calls::FUNCTIONS,
    contexts::context_settings::FUNCTIONS,
    contexts::device_calls::FUNCTIONS,
    external::external_memory::FUNCTIONS,
    external::external_memory_mappings::FUNCTIONS,
    external::external_semaphores::FUNCTIONS,
    external::ipc_memory::FUNCTIONS,
    graphs::executable_graphs::FUNCTIONS,
    graphs::node_calls::FUNCTIONS,
    images::arrays::FUNCTIONS,
    #[cfg(feature = "kernels")]
    images::textures_and_surfaces::FUNCTIONS,
    memory::allocations::FUNCTIONS,
    memory::memcpy::FUNCTIONS,
    memory::memory_pools::FUNCTIONS,
    memory::memset::FUNCTIONS,
    memory::pointer_attributes::FUNCTIONS,
    memory::stream_memory_ops::FUNCTIONS,
    memory::virtual_memory::FUNCTIONS,
    #[cfg(feature = "kernels")]
    modules::function_attributes::FUNCTIONS,
    #[cfg(feature = "kernels")]
    modules::kernel_launch::FUNCTIONS,
    #[cfg(feature = "kernels")]
    modules::libraries::FUNCTIONS,
    #[cfg(feature = "kernels")]
    modules::linker::FUNCTIONS,
    #[cfg(feature = "kernels")]
    modules::module_loading::FUNCTIONS,
    not_implemented::name_list::FUNCTIONS,
    not_implemented::refused_calls::FUNCTIONS,
    streams::capture_calls::FUNCTIONS,
    streams::events::FUNCTIONS,
    streams::stream_properties::FUNCTIONS,
    streams::stream_queue::FUNCTIONS,
    FUNCTIONS,
];

/// Returns the function with exactly this name in the library.
pub fn find_symbol(name: &str) -> Option<NonNull<c_void>> {
    let (_, function) =
        TABLES.iter().copied().flatten().copied().flatten().find(|(known, _)| *known == name)?;
    NonNull::new(function.cast_mut().cast())
}

/// Returns the name of each function.
pub fn symbol_names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().copied().flatten().copied().flatten().map(|(name, _)| *name)
}

/// Why there is no function of a name: cuda.h's CUdriverProcAddressQueryResult.
const SYMBOL_NOT_FOUND: c_int = 1;
const VERSION_NOT_SUFFICIENT: c_int = 2;

/// Returns the name in the library of a function's newest version in a release. A function that has forms for the
/// thread's default stream has them since releases of their own.
fn name_in_release(name: &str, release: c_int, is_per_thread: bool) -> Result<String, c_int> {
    let found = FUNCTION_RELEASES.binary_search_by_key(&Some(name), |row| row.split(':').next());
    let mut columns = FUNCTION_RELEASES[found.map_err(|_| SYMBOL_NOT_FOUND)?].split(':').skip(1);
    let releases = |column: &str| Vec::from_iter(column.split(',').filter_map(|number| number.parse().ok()));
    let plain: Vec<c_int> = releases(columns.next().unwrap_or_default());
    let forms = columns.next().filter(|_| is_per_thread);
    let (form, since) = forms
        .map_or(("", plain.clone()), |forms| (forms.split(',').next().unwrap_or_default(), releases(forms)));
    let newest = since.into_iter().rev().find(|since| release == -1 || *since <= release);
    let newest = newest.ok_or(VERSION_NOT_SUFFICIENT)?;
    Ok(match plain.iter().filter(|since| **since <= newest).count() {
        0 | 1 => format!("{name}{form}"),
        version => format!("{name}_v{version}{form}"),
    })
}

/// Writes a function's address or null, and returns the status. Wrong arguments change nothing.
unsafe fn write_proc_address(
    symbol: *const c_char,
    function: *mut *mut c_void,
    release: c_int,
    flags: cuuint64_t,
    is_null_written: bool,
) -> CudaResult<c_int> {
    const PER_THREAD: cuuint64_t = 2;
    ensure_valid(flags <= 3 && (-1..=VERSION).contains(&release) && !function.is_null())?;
    let is_per_thread = flags & PER_THREAD != 0 || flags == 0 && null_is_per_thread();
    // SAFETY: the caller's text and pointer.
    unsafe {
        let name = read_c_str(symbol)?.to_str().map_err(|_| SYMBOL_NOT_FOUND);
        let name = name.and_then(|name| name_in_release(name, release, is_per_thread));
        let found = name.and_then(|name| find_symbol(&name).ok_or(SYMBOL_NOT_FOUND));
        if found.is_ok() || is_null_written {
            write_out(function, found.map_or(null_mut(), |found| found.as_ptr()))?;
        }
        Ok(found.err().unwrap_or(0))
    }
}

functions! {
    Nothing fn cuGetProcAddress +_ptsz(
        symbol: *const c_char, function: *mut *mut c_void, release: c_int, flags: cuuint64_t
    ) {
        let status = write_proc_address(symbol, function, release, flags, false)?;
        ensure(status == 0, CUDA_ERROR_NOT_FOUND)
    }
    Nothing fn cuGetProcAddress_v2 +_ptsz(
        symbol: *const c_char, function: *mut *mut c_void, release: c_int, flags: cuuint64_t, status: *mut c_int
    ) {
        write_if_wanted(status, write_proc_address(symbol, function, release, flags, true)?);
        Ok(())
    }
}

#[test]
fn an_implemented_function_has_its_per_thread_form() {
    for name in build_script::allowlist::OF_DRIVER.split_whitespace() {
        let plain = name.strip_suffix("_ptsz").or_else(|| name.strip_suffix("_ptds"));
        assert!(find_symbol(name).is_some(), "{name}");
        if plain.is_some_and(|plain| !not_implemented::is_not_implemented(plain)) {
            assert!(!not_implemented::is_not_implemented(name), "{name}");
        }
    }
}

/// Loads NVIDIA's libraries, which answer without a GPU, and asks them and this driver the same questions: every name,
/// every release up to the library's, every flag, both functions.
#[test]
fn proc_addresses_are_those_of_nvidias_libraries() {
    use std::collections::{BTreeSet, HashMap};
    use std::ffi::CString;

    use libloading::os::unix::Library;

    type Get = unsafe extern "C" fn(*const c_char, *mut *mut c_void, c_int, u64) -> CUresult;
    type GetV2 = unsafe extern "C" fn(*const c_char, *mut *mut c_void, c_int, u64, *mut c_int) -> CUresult;
    let nothing: *mut c_void = std::ptr::dangling_mut();
    let drivers = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/drivers");
    let names = build_script::allowlist::OF_DRIVER.split_whitespace();
    // The wheels lack VDPAU's header with the types of its functions.
    let names = BTreeSet::from_iter(names.filter(|name| !name.contains("VDPAU")));
    let rows = FUNCTION_RELEASES.iter().flat_map(|row| row.split([':', ',']).skip(1));
    let mut releases = BTreeSet::from_iter(rows.filter_map(|number| number.parse::<c_int>().ok()));
    releases.extend([-1, 0, 1000, VERSION]);
    let Ok(directories) = std::fs::read_dir(drivers) else {
        return eprintln!("not asked: dev/scripts/fetch-drivers fetches the libraries");
    };
    for directory in directories {
        let path = directory.expect("an entry").path().join("libcuda.so.1");
        // SAFETY: NVIDIA's library, and functions of these types.
        let (library, get, get_v2) = unsafe {
            let library = Library::new(&path).unwrap();
            let get = library.get::<Get>(b"cuGetProcAddress\0").map(|get| *get);
            let get_v2 = library.get::<GetV2>(b"cuGetProcAddress_v2\0").map(|get| *get);
            (library, get, get_v2)
        };
        let (Ok(get), Ok(get_v2)) = (get, get_v2) else { continue };
        let mut version = 0;
        // SAFETY: as above; looking a name up calls nothing.
        let addresses: HashMap<_, _> = unsafe {
            let get_version = library.get::<PFN_cuDriverGetVersion>(b"cuDriverGetVersion\0").unwrap();
            assert_eq!(get_version(&mut version), CUDA_SUCCESS);
            let address = |name: &&&str| library.get::<*mut c_void>(name.as_bytes()).ok().map(|found| *found);
            names.iter().filter_map(|name| Some((*name, address(&name)?))).collect()
        };
        let mut questions = 0;
        for name in names.iter().filter(|name| addresses.contains_key(**name) || name.contains("_v")) {
            let text = CString::new(*name).unwrap();
            for (release, flags) in
                releases.iter().flat_map(|release| (0..5).map(move |flags| (*release, flags)))
            {
                // Names that came after this library, and releases between it and this driver.
                let own_name = name_in_release(name, release, flags & 2 != 0);
                let is_later = own_name.as_ref().is_ok_and(|own| !addresses.contains_key(&**own));
                if is_later || (release > version && release <= VERSION) {
                    continue;
                }
                let (mut theirs, mut ours, mut statuses) = ([nothing; 2], [nothing; 2], [77; 2]);
                // SAFETY: the text and the places are valid.
                let (their_codes, our_codes) = unsafe {
                    let (text, status) = (text.as_ptr(), &mut statuses[0]);
                    let codes = [
                        get(text, &mut theirs[0], release, flags),
                        get_v2(text, &mut theirs[1], release, flags, status),
                    ];
                    let status = &mut statuses[1];
                    let own = [
                        cuGetProcAddress(text, &mut ours[0], release, flags),
                        cuGetProcAddress_v2(text, &mut ours[1], release, flags, status),
                    ];
                    (codes, own)
                };
                // Each address by the name that it has in its library.
                let own_name = own_name.ok();
                let named = |place: *mut c_void, own: Option<*mut c_void>| match place {
                    place if place.is_null() || place == nothing => Err(place.is_null()),
                    place => Ok(Some(place) == own),
                };
                let their_own = own_name.as_deref().and_then(|own| addresses.get(own).copied());
                let our_own = own_name.as_deref().and_then(find_symbol).map(NonNull::as_ptr);
                let place = || format!("{}: {name}, {release}, {flags}", path.display());
                assert_eq!((their_codes, statuses[0]), (our_codes, statuses[1]), "{}", place());
                for (theirs, ours) in theirs.into_iter().zip(ours) {
                    assert_eq!(named(theirs, their_own), named(ours, our_own), "{}", place());
                    assert_ne!(named(theirs, their_own), Ok(false), "{}", place());
                }
                questions += 2;
            }
        }
        println!("{}: {questions} questions", path.display());
    }
}
