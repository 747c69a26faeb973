//! A fake Vulkan driver: each of its functions records how it was called, and returns fake values. Handles are
//! numbered as they are created.

use std::cell::{Cell, RefCell};
use std::ffi::CStr;
use std::fmt::{Debug, Write as _};
use std::slice;

use ash::vk::{self, Handle};

pub use functions::find;

/// Vulkan's functions, by name. Each has access to what its pointers point to.
macro_rules! driver {
    (
        $(create $create:ident($info:ident) -> $created:ident;)*
        $(destroy $destroy:ident($destroyed:ident);)*
        $(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block)*
    ) => {
        #[allow(non_snake_case, clippy::too_many_arguments, unused_unsafe, unused_variables)] // as Vulkan has them
        mod functions {
            use super::*;
            $(pub unsafe extern "system" fn $create(
                _: vk::Device, info: *const vk::$info, _: *const c_void, out: *mut vk::$created,
            ) -> vk::Result {
                // SAFETY: the caller keeps Vulkan's rules.
                let (info, out) = unsafe { (&*info, &mut *out) };
                *out = next();
                record(format!("{} {} = {out:?}", stringify!($create), text(info)));
                result()
            })*
            $(pub unsafe extern "system" fn $destroy(_: vk::Device, destroyed: vk::$destroyed, _: *const c_void) {
                record(format!("{} {destroyed:?}", stringify!($destroy)));
            })*
            $(pub unsafe extern "system" fn $name($($arg: $ty),*) $(-> $ret)? {
                // SAFETY: as above.
                unsafe { $body }
            })*
        }

        pub fn find(name: &CStr) -> *const c_void {
            match name.to_str().expect("Vulkan's names are ASCII") {
                $(stringify!($create) => functions::$create as *const c_void,)*
                $(stringify!($destroy) => functions::$destroy as *const c_void,)*
                $(stringify!($name) => functions::$name as *const c_void,)*
                _ => std::ptr::null(),
            }
        }
    };
}

pub mod functions;

thread_local! {
    static CALLS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static LAST: Cell<u64> = const { Cell::new(0) };
    /// After so many calls that may fail, one fails.
    static FAILS: Cell<Option<usize>> = const { Cell::new(None) };
    /// What the device lacks: an extension.
    static LACKS: Cell<&'static CStr> = const { Cell::new(c"") };
}

/// The calls since the last time.
pub fn calls() -> Vec<String> {
    CALLS.take()
}

/// Begins anew: the next handle is 1.
pub fn reset() {
    LAST.set(0);
    CALLS.take();
}

/// Makes the call after so many others return `VK_ERROR_UNKNOWN`. Only calls that may fail count.
pub fn fail_after(calls: Option<usize>) {
    FAILS.set(calls);
}

/// Whether the call of [`fail_after`] is still to come.
pub fn has_failed() -> bool {
    FAILS.get().is_none()
}

/// Makes the device lack an extension.
pub fn lack(extension: &'static CStr) {
    LACKS.set(extension);
}

fn record(call: String) {
    CALLS.with_borrow_mut(|calls| calls.push(call.trim_end().to_owned()));
}

fn result() -> vk::Result {
    let fails = FAILS.get();
    FAILS.set(fails.and_then(|after| after.checked_sub(1)));
    if fails == Some(0) { vk::Result::ERROR_UNKNOWN } else { vk::Result::SUCCESS }
}

fn next<T: Handle>() -> T {
    LAST.set(LAST.get() + 1);
    T::from_raw(LAST.get())
}

/// A struct without what differs from run to run and without what is zero, and the structs that it is chained to.
fn text<T: Debug>(value: &T) -> String {
    // Each of Vulkan's structs that has a chain begins so.
    let mut text = plain(value);
    let begins_a_chain = format!("{value:?}").contains("{ s_type: ");
    // SAFETY: as above.
    let mut next = match begins_a_chain {
        true => unsafe { (*(&raw const *value).cast::<vk::BaseInStructure>()).p_next },
        false => std::ptr::null(),
    };
    // SAFETY: each struct is of the type that it names, and lives as long as the call.
    while let Some(link) = unsafe { next.as_ref() } {
        let link: *const vk::BaseInStructure = link;
        macro_rules! links {
            ($($type_:ident: $name:ident,)*) => {
                // SAFETY: as above.
                match unsafe { (*link).s_type } {
                    $(vk::StructureType::$type_ => plain(unsafe { &*link.cast::<vk::$name>() }),)*
                    other => panic!("{other:?} is not expected"),
                }
            };
        }
        let words = links! {
            EXTERNAL_MEMORY_BUFFER_CREATE_INFO: ExternalMemoryBufferCreateInfo,
            EXTERNAL_MEMORY_IMAGE_CREATE_INFO: ExternalMemoryImageCreateInfo,
            EXPORT_MEMORY_ALLOCATE_INFO: ExportMemoryAllocateInfo,
            EXPORT_SEMAPHORE_CREATE_INFO: ExportSemaphoreCreateInfo,
            IMPORT_MEMORY_FD_INFO_KHR: ImportMemoryFdInfoKHR,
            MEMORY_DEDICATED_ALLOCATE_INFO: MemoryDedicatedAllocateInfo,
            PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES: PhysicalDeviceDynamicRenderingFeatures,
            PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO: PhysicalDeviceExternalImageFormatInfo,
            PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES: PhysicalDeviceSynchronization2Features,
            PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES: PhysicalDeviceTimelineSemaphoreFeatures,
            SEMAPHORE_TYPE_CREATE_INFO: SemaphoreTypeCreateInfo,
            TIMELINE_SEMAPHORE_SUBMIT_INFO: TimelineSemaphoreSubmitInfo,
        };
        let _ = write!(text, " + {words}");
        if words.starts_with("ImportMemoryFdInfoKHR") {
            // SAFETY: it is of this type.
            let file = unsafe { (*link.cast::<vk::ImportMemoryFdInfoKHR>()).fd };
            let file = std::fs::read_link(format!("/proc/self/fd/{file}"));
            let _ = write!(text, " of {}", file.expect("an open descriptor").display());
        }
        if words.starts_with("TimelineSemaphoreSubmitInfo") {
            // SAFETY: the lists are as long as the struct says.
            unsafe {
                let info = &*link.cast::<vk::TimelineSemaphoreSubmitInfo>();
                let waits = list(info.p_wait_semaphore_values, info.wait_semaphore_value_count);
                let signals = list(info.p_signal_semaphore_values, info.signal_semaphore_value_count);
                let _ = write!(text, " for {waits:?}, to {signals:?}");
            }
        }
        // SAFETY: as above.
        next = unsafe { (*link).p_next };
    }
    text
}

fn plain<T: Debug>(value: &T) -> String {
    let text = format!("{value:?}").replace("_marker: PhantomData<&()>", "").replace(",  }", " }");
    let is_kept = |part: &&str| {
        let is_zero =
            [": 0", ": 0x0", ": ", ": 0 }", ": 0x0 }", ":  }"].iter().any(|end| part.ends_with(end));
        !part.is_empty() && !is_zero && !["p_", "pp_", "fd: "].iter().any(|name| part.starts_with(name))
    };
    // The first part has the struct's name, and the last one its end.
    let (name, fields) = text.split_once(" { ").unwrap_or((&text, ""));
    let fields = fields
        .strip_prefix("s_type: ")
        .and_then(|rest| rest.split_once(", "))
        .map_or(fields, |(_, rest)| rest);
    let fields = fields.strip_suffix(" }").unwrap_or(fields);
    format!("{name} {{ {} }}", Vec::from_iter(fields.split(", ").filter(is_kept)).join(", "))
}

/// # Safety
///
/// Null, or so many elements.
unsafe fn list<'a, T>(first: *const T, count: u32) -> &'a [T] {
    // SAFETY: the caller's.
    if count == 0 { &[] } else { unsafe { slice::from_raw_parts(first, count as usize) } }
}
