//! What the crate interop tells the driver: each call in order, with its arguments and the fields that are not zero, as the
//! mock driver sees them. interop_calls.txt has them. A GPU may do what is right with less, so its tests do not see all of it.

use std::cell::{Cell, RefCell};
use std::env;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::fs::{self, File};
use std::mem::transmute;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::ptr::{NonNull, without_provenance_mut};
use std::slice;

use ash::vk;
use cuda_external_sys::*;
use interop::cuda::{
    Allocation, Cuda, DeviceMemory, ImportedMemory, ImportedSemaphore, SemaphoreValues, Stream, free_memory,
    read, read_level, write, write_level,
};
use interop::hand_over::HandOver;
use interop::shared::SharedImage;
use interop::vulkan::{Image, Instance, Kind, Placement, Shape, Vulkan};
use interop::win32::{self, Win32Handle};
use interop::{Error, Result};
use libtest_mimic::Trial;
use rustix as _; // `vulkan_driver` uses it
use test_support::Need;

use crate::every_function::Record;
use crate::{examples, mock_driver, own_process, readme};

#[allow(dead_code)] // the rest is for interop's own tests
#[path = "../../interop/src/vulkan/tests/driver/mod.rs"]
mod vulkan_driver;

pub fn trials(compiler: &Need) -> Vec<Trial> {
    let needs = [compiler.clone(), Need::new("headers", &mock_driver::newest_header())];
    let process = |name: &str, run| own_process::trial(name, &needs, crate::loader::program, run);
    test_support::tests! { process => interop_tells_the_driver_what_is_meant, examples_tell_cuda_and_vulkan_what_is_meant; }
}

thread_local! {
    static SEEN: RefCell<String> = const { RefCell::new(String::new()) };
    /// Whether pointers are to two elements, of which the mock driver reports both.
    static TWO: Cell<bool> = const { Cell::new(false) };
    /// Whether all of Vulkan's calls are of interest, in full, and whether CUDA's answers must be those of a device.
    static AN_EXAMPLE: Cell<bool> = const { Cell::new(false) };
    /// The call that fails: after so many others, and with the mock driver's function.
    static FAILS: Cell<Option<(usize, Record)>> = const { Cell::new(None) };
}

/// A line for a call, and indented ones for what it was given. Before it come Vulkan's calls in which the order matters.
extern "C" fn report(what: *const c_char, bytes: *const u8, size: usize) {
    // SAFETY: the mock driver's text.
    let what = unsafe { CStr::from_ptr(what) }.to_string_lossy();
    let line = if size == 0 {
        let fails = FAILS.take();
        FAILS.set(fails.map(|(after, record)| (after.wrapping_sub(1), record)));
        if let Some((after, record)) = fails {
            // The mock driver asks for the code after the report.
            let code = if after == 0 { CUDA_ERROR_INVALID_VALUE } else { CUDA_SUCCESS };
            // SAFETY: it is the mock driver's.
            unsafe { record(code.0 as c_int, report) };
        }
        vulkans_calls() + &format!("{what}\n")
    } else if AN_EXAMPLE.get() && answer(&what, bytes.cast_mut(), size) {
        return;
    } else if what.starts_with('>') || what.ends_with(']') && size > 8 {
        // The mock driver's patterns, and structs whose fields are reported too.
        return;
    } else if what.contains("[1]") && !TWO.get() || bytes.addr() < 0x1000 {
        // One element is all that most pointers point to, and a null pointer to none.
        return;
    } else if what.starts_with("nodeParams[0].")
        && !["].type", "].extSem"].iter().any(|field| what.contains(field))
    {
        // The union's other members.
        return;
    } else {
        // SAFETY: as many bytes as it says.
        let bytes = unsafe { slice::from_raw_parts(bytes, size) };
        match value(bytes) {
            Some(value) => format!("    {what} {value}\n"),
            None => return,
        }
    };
    SEEN.with_borrow_mut(|seen| seen.push_str(&line));
}

/// Vulkan's calls since the last time.
fn vulkans_calls() -> String {
    let calls = vulkan_driver::calls().into_iter();
    if AN_EXAMPLE.get() {
        return calls.map(|call| format!("  {call}\n")).collect();
    }
    let in_order = ["vkQueueSubmit", "vkDestroy", "vkFreeMemory"];
    let calls = calls.filter(|call| in_order.iter().any(|name| call.starts_with(name)));
    calls.map(|call| format!("  {}\n", call.split(' ').next().unwrap_or_default())).collect()
}

/// Replaces the mock driver's pattern where a device has something else: there is one, which is the fake Vulkan driver's first.
fn answer(what: &str, to: *mut u8, size: usize) -> bool {
    let bytes: &[u8] = match what {
        "> count[0]" => &1_u32.to_ne_bytes(),
        "> uuid[0]" => &[1; 16],
        "> granularity[0]" => &0x10000_u64.to_ne_bytes(),
        // The mock driver does not know what this points to.
        "shareableHandle" => {
            // SAFETY: it points to a descriptor, by the types that are asked for here.
            unsafe { **to.cast::<*mut c_int>() = fd().into_raw_fd() };
            return false;
        }
        _ => return false,
    };
    assert_eq!(size, bytes.len(), "{what}");
    // SAFETY: what the driver's caller gets, which the mock driver has just written.
    unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), size) };
    true
}

/// A number, `address` for what differs from run to run, or `None` for zero.
fn value(bytes: &[u8]) -> Option<String> {
    if bytes.iter().all(|byte| *byte == 0) {
        return None;
    }
    let Ok(number) = bytes.try_into().map(u64::from_le_bytes) else {
        return Some(bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect());
    };
    // The mock driver's own handles are larger, and the numbers that are passed smaller.
    let is_address = (1 << 20..1 << 48).contains(&number);
    Some(if is_address { "address".to_owned() } else { format!("{number:#x}") })
}

/// Lets the mock driver record, and return this code.
fn record(directory: &Path) -> (Record, impl Fn(CUresult)) {
    let path = mock_driver::build_newest(directory);
    // SAFETY: it is made for these tests.
    let driver = unsafe { load_from(path) }.unwrap_or_else(|error| panic!("{error}"));
    let symbol = driver.symbol(c"mock_record").expect("it is the mock driver");
    // SAFETY: it has this type, by mock.h.
    let record = unsafe { transmute::<NonNull<c_void>, Record>(symbol) };
    // SAFETY: as above.
    (record, move |code: CUresult| unsafe { record(code.0 as c_int, report) })
}

const SHAPE: Shape = Shape {
    view: vk::ImageViewType::TYPE_2D_ARRAY,
    extent: vk::Extent3D { width: 40, height: 20, depth: 1 },
    layers: 3,
    levels: 2,
};

/// A descriptor with a number that nothing else of this process has.
fn fd() -> OwnedFd {
    let file = File::open("/dev/null").expect("Linux has it");
    // SAFETY: the new descriptor is the caller's.
    unsafe { OwnedFd::from_raw_fd(libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 500)) }
}

fn array() -> CUDA_ARRAY3D_DESCRIPTOR {
    CUDA_ARRAY3D_DESCRIPTOR { Width: 40, Height: 20, Depth: 3, NumChannels: 4, ..Default::default() }
}

fn memory() -> Result<()> {
    let import = ImportedMemory::from_fd(fd(), 0x1000, false)?;
    import.map_buffer(0x100, 0x200)?;
    import.map_buffer(0x300, 0x400)?;
    let mipmap = import.map_mipmapped_array(0x500, array(), 2)?;
    // SAFETY: the handles live.
    unsafe { write_level(mipmap, &SHAPE, 4, 1, &[7; 20 * 10 * 3 * 4]) }?;
    // SAFETY: the handles live.
    assert_eq!(unsafe { read_level(mipmap, &SHAPE, 4, 0) }?.len(), 40 * 20 * 3 * 4);
    drop(ImportedMemory::from_fd(fd(), 0x2000, true)?);
    let device = DeviceMemory::new(0x3000)?;
    write(device.address, &[1; 0x10])?;
    assert_eq!(read(device.address, 0x20)?, [0; 0x20]);
    assert_ne!(free_memory()?, 0);
    Ok(())
}

fn virtual_memory(cuda: &Cuda) -> Result<()> {
    let allocation = Allocation::new(cuda, 0x1000)?;
    drop(allocation.map()?);
    Ok(Allocation::import(cuda, &fd(), 0x4000).map(drop)?)
}

fn semaphores() -> Result<()> {
    let binary = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
    let timeline = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    let [one, other] =
        [ImportedSemaphore::from_fd(fd(), binary)?, ImportedSemaphore::from_fd(fd(), timeline)?];
    let stream = Stream::new()?;
    let both = [(&one, 5), (&other, 6)];
    TWO.set(true);
    let result = stream.signal(&both).and_then(|()| stream.wait(&both));
    TWO.set(false);
    result?;
    stream.copy(0x10, 0x20, 0x30)?;
    stream.fill(0x40, 0x50, 0x60)?;
    assert!(stream.is_done()?);
    stream.synchronize()?;
    stream.finish()?;
    let mut values = SemaphoreValues::new(&both);
    let waits = values.generic_wait_node();
    let signals = values.generic_signal_node();
    assert_eq!(waits.type_, CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT);
    assert_eq!(signals.type_, CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL);
    // SAFETY: each union was written as what it is read as, and the lists have two elements.
    let fences = unsafe {
        let (waits, signals) = (waits.params.extSemWait, signals.params.extSemSignal);
        assert_eq!((waits.numExtSems, signals.numExtSems), (2, 2));
        assert_eq!(slice::from_raw_parts(waits.extSemArray, 2), [one.raw(), other.raw()]);
        assert_eq!(slice::from_raw_parts(signals.extSemArray, 2), [one.raw(), other.raw()]);
        let waits = slice::from_raw_parts(waits.paramsArray, 2);
        let signals = slice::from_raw_parts(signals.paramsArray, 2);
        [0, 1].map(|at| [waits[at].params.fence.value, signals[at].params.fence.value])
    };
    assert_eq!(fences, [[5, 5], [6, 6]]);
    Ok(())
}

/// On Windows the driver alone uses these handles.
fn windows(cuda: &Cuda) -> Result<()> {
    let handle = Win32Handle::Nt(without_provenance_mut(0x70));
    win32::import_memory(CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP, handle, 0x5000, true)?;
    let semaphore = win32::import_semaphore(CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE, handle)?;
    // SAFETY: the handles live.
    unsafe { win32::signal(semaphore, win32::to_value(7), without_provenance_mut(0x71)) }?;
    // SAFETY: the handles live.
    unsafe { win32::wait(semaphore, win32::for_value(8), without_provenance_mut(0x72)) }?;
    // The mock driver's mask has several nodes.
    match win32::luid(cuda.device) {
        Err(Error::Missing(words)) if words.contains("an adapter of linked GPUs") => Ok(()),
        Err(Error::Missing(words)) => {
            let (_, words) =
                words.split_once(" is not a display adapter: ").expect("it says what the device is");
            Err(Error::Failed(words.to_owned()))
        }
        _ => panic!("an adapter of one GPU"),
    }
}

/// What Vulkan and CUDA share, with interop's fake Vulkan driver.
fn shared() -> Result<()> {
    let instance = Instance::with_functions(vulkan_driver::find);
    let device = &instance.devices()?[0];
    let vulkan = Vulkan::open_device(instance, device)?;
    let (format, usage) = (vk::Format::R8G8B8A8_UNORM, vk::ImageUsageFlags::STORAGE);
    let placement = Placement::AtOffset { before: 1, behind: 50 };
    let image = Image::new(&vulkan, SHAPE, format, SharedImage::USAGE | usage, placement)?;
    let image = SharedImage::map(image, SharedImage::descriptor(&SHAPE, format, usage)?)?;
    assert_eq!(Vec::from_iter(image.read()?.iter().map(Vec::len)), [9600, 2400]);
    image.write(&[vec![1; 9600], vec![2; 2400]])?;
    drop(SharedImage::new(&vulkan, SHAPE, format, usage)?);
    let stream = Stream::new()?;
    for kind in [Kind::Binary, Kind::Timeline] {
        let hand_over = HandOver::new(&vulkan, kind, &[(vulkan.queue(), None)])?;
        hand_over.queued(&stream, 2, |_| Ok(()))?;
    }
    stream.finish()
}

fn everything(cuda: &Cuda) -> Result<()> {
    cuda.make_current()?;
    memory()?;
    virtual_memory(cuda)?;
    semaphores()?;
    shared()?;
    windows(cuda)
}

/// With one mock driver, which takes a second to compile.
fn interop_tells_the_driver_what_is_meant(directory: &Path) {
    let (record, set) = record(directory);
    set(CUDA_SUCCESS);
    these_calls_are_made_and_no_other();
    each_error_is_returned(record);
    the_readmes_code_keeps_no_import_that_it_does_not_return(record);
    what_a_machine_lacks_is_not_a_failure(set);
}

/// The examples that need Vulkan, up to where bytes differ: neither driver does anything.
fn examples_tell_cuda_and_vulkan_what_is_meant(directory: &Path) {
    let loader = "void *(*find)(const char *); void *vkGetInstanceProcAddr(void *i, const char *name) { return find(name); }";
    let loader = crate::loader::library(directory, "libvulkan.so.1", loader);
    // SAFETY: it is made just now, and has no initializers.
    let loader = unsafe { libloading::Library::new(loader) }.expect("it is a library");
    extern "C" fn find(name: *const c_char) -> *const c_void {
        // SAFETY: a name of Vulkan's.
        vulkan_driver::find(unsafe { CStr::from_ptr(name) })
    }
    // SAFETY: the variable is of this type.
    unsafe {
        **loader.get::<*mut extern "C" fn(*const c_char) -> *const c_void>(b"find\0").expect("it is there") =
            find
    };
    let (_, set) = record(directory);
    set(CUDA_SUCCESS);
    AN_EXAMPLE.set(true);
    let mut seen = String::new();
    for (name, example) in examples::ALL {
        vulkan_driver::reset();
        // Of which graph_semaphores says that it is right.
        let words = 0x1234_5678_u32.to_ne_bytes().into_iter().cycle();
        vulkan_driver::functions::HOST
            .with(|host| host.iter().take(4 << 20).zip(words).for_each(|(byte, value)| byte.set(value)));
        let result = example();
        let calls = SEEN.take() + &vulkans_calls();
        seen += &format!("# {name}\n{calls}{result:?}\n");
    }
    assert_calls("examples.txt", &seen);
    let words = "no CUDA device 1: this machine has 1";
    assert!(matches!(Cuda::open(1), Err(Error::Missing(missing)) if missing == words), "{words}");
}

fn these_calls_are_made_and_no_other() {
    let cuda = Cuda::open(1).expect("every call succeeds");
    assert_eq!(cuda.name.len(), 1);
    everything(&cuda).expect("every call succeeds");
    drop(cuda);
    assert_calls("interop_calls.txt", &SEEN.take());
}

/// Compares the calls with those of a file.
#[track_caller]
fn assert_calls(file: &str, seen: &str) {
    let path = test_support::repository().join("tests/calls").join(file);
    if env::var_os("CUDA_EXTERNAL_SYS_BLESS").is_some() {
        fs::write(path, seen).expect("the repository can be written");
        panic!("{file} is rewritten. Run the test again without CUDA_EXTERNAL_SYS_BLESS");
    }
    let expected = fs::read_to_string(path).expect("a file of the repository");
    let differs =
        seen.lines().zip(expected.lines()).enumerate().find(|(_, (seen, expected))| seen != expected);
    assert!(
        seen == expected,
        "{file} has other calls from line {} on:\n{seen}\nWhere the change is meant: CUDA_EXTERNAL_SYS_BLESS=1 cargo test \
         --test calls interop_calls",
        differs.map_or(seen.lines().count().min(expected.lines().count()), |(at, _)| at) + 1
    );
}

/// Each call fails once, and each failure is reported.
fn each_error_is_returned(record: Record) {
    // The number of devices is a pattern too, and may be negative.
    let cuda = (0..99).find_map(|_| Cuda::open(0).ok()).expect("every call succeeds");
    SEEN.take();
    everything(&cuda).expect("every call succeeds");
    let calls = SEEN.take().lines().filter(|line| !line.starts_with(' ')).count();
    assert!(calls > 40, "{calls} calls");
    panic::set_hook(Box::new(|_| {}));
    let mut unnoticed = Vec::new();
    for at in 0..calls {
        FAILS.set(Some((at, record)));
        let result = panic::catch_unwind(AssertUnwindSafe(|| everything(&cuda)));
        FAILS.set(None);
        let seen = SEEN.take();
        let call = seen.lines().filter(|line| !line.starts_with(' ')).nth(at);
        let is_noticed = match result {
            Ok(Ok(())) => false,
            Ok(Err(error)) => {
                // Where the call is, and not where its code was converted.
                let begins = "CUDA: CUDA_ERROR_INVALID_VALUE (1) at ";
                matches!(error, Error::Failed(words) if words.starts_with(begins) && !words.contains("error.rs"))
            }
            // A guard's.
            Err(words) => words.downcast::<String>().is_ok_and(|words| {
                words.starts_with("the teardown returned [") && words.contains("CUDA_ERROR_INVALID_VALUE")
            }),
        };
        unnoticed.extend(call.filter(|_| !is_noticed).map(str::to_owned));
    }
    drop(panic::take_hook());
    assert!(unnoticed.is_empty(), "{unnoticed:?}");
}

fn the_readmes_code_keeps_no_import_that_it_does_not_return(record: Record) {
    let (_, code) =
        include_str!("../../README.md").split_once("```rust,no_run\n").expect("the README has code");
    let (code, _) = code.split_once("```").expect("the code ends");
    assert!(include_str!("readme.rs").contains(code), "tests/calls/readme.rs has other code than the README");
    let [import, map, destroy] =
        ["cuImportExternalMemory", "cuExternalMemoryGetMappedBuffer", "cuDestroyExternalMemory"];
    for (fails_at, calls) in [(0, &[import][..]), (1, &[import, map, destroy]), (2, &[import, map])] {
        SEEN.take();
        FAILS.set(Some((fails_at, record)));
        let result = readme::import_a_page(fd());
        FAILS.set(None);
        assert_eq!(result.is_ok(), fails_at == 2);
        let seen = SEEN.take();
        assert_eq!(seen.lines().filter(|line| !line.starts_with(' ')).collect::<Vec<_>>(), calls);
    }
    // The order of the teardown is interop's too.
    let import = ImportedMemory::from_fd(fd(), 0x1000, false).expect("every call succeeds");
    import.map_buffer(0, 0x1000).expect("every call succeeds");
    SEEN.take();
    drop(import);
    let seen = SEEN.take();
    let calls = seen.lines().filter(|line| ["cuMemFree_v2", "cuDestroyExternalMemory"].contains(line));
    let order = Vec::from_iter(calls.map(|call| format!("`{}`", call.trim_end_matches("_v2")))).join(", ");
    assert!(include_str!("../../README.md").contains(&format!("order:\n{order}, `vkFreeMemory`")), "{order}");
}

fn what_a_machine_lacks_is_not_a_failure(record: impl Fn(CUresult)) {
    record(CUDA_SUCCESS);
    let stream = Stream::new().expect("every call succeeds");
    record(CUDA_ERROR_NOT_READY);
    assert!(!stream.is_done().expect("not an error"));
    for code in [CUDA_ERROR_NO_DEVICE, CUDA_ERROR_STUB_LIBRARY, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH] {
        record(code);
        let words = format!("CUDA's driver cannot be used: cuInit returned {code}");
        assert!(matches!(Cuda::open(0), Err(Error::Missing(missing)) if missing == words), "{words}");
    }
    record(CUDA_SUCCESS);
    let begins = format!("no CUDA device {}: this machine has ", i32::MAX);
    assert!(matches!(Cuda::open(i32::MAX), Err(Error::Missing(words)) if words.starts_with(&begins)));
    record(CUDA_ERROR_UNKNOWN);
    assert!(matches!(Cuda::open(0), Err(Error::Failed(_))));
    // During a panic, a guard does not panic too: that would end the process.
    let panics = panic::catch_unwind(AssertUnwindSafe(|| {
        let _stream = stream;
        panic!("the first one");
    }));
    assert!(panics.is_err());
    record(CUDA_SUCCESS);
}
