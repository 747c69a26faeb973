//! Compares the layouts of other declarations with those of this crate.

/// Compares your declaration of a struct or union with this crate's at compile time: the size, the alignment, and the
/// offset and size of each listed field.
///
/// This crate's tests compare its layouts with each `cuda.h` since CUDA 11.7, by a C compiler. Only some structs
/// with graph nodes' parameters differ: they are shorter in older releases. The macro adds nothing to the program.
///
/// ```
/// use std::ffi::c_void;
///
/// #[repr(C)]
/// union Handle {
///     fd: i32,
///     win32: [*const c_void; 2],
/// }
///
/// #[repr(C)]
/// struct ExternalMemoryHandle {
///     ty: u32,
///     handle: Handle,
///     size: u64,
///     flags: u32,
///     reserved: [u32; 16],
/// }
///
/// cuda_external_sys::assert_layout!(ExternalMemoryHandle as cuda_external_sys::CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
///     ty: type_,
///     handle,
///     handle.fd: handle.fd,
///     handle.win32: handle.win32,
///     size,
///     flags,
/// });
/// ```
///
/// Your field precedes the colon, and this crate's field follows it. If both names are equal, one is enough. A field
/// may be a path (`handle.fd`) or the number of a tuple struct's field. Fields that are not listed are not compared.
/// The macro does not distinguish types of the same size, for example `u32` and `i32`, or a pointer and `usize`.
///
/// If a compared size, alignment or offset differs, the program does not compile. The error names the type or the
/// field, and what differs. The declaration below, for example, lacks the 16 reserved integers.
///
/// ```compile_fail,E0080
/// #[repr(C)]
/// struct SemaphoreHandle {
///     ty: u32,
///     handle: [u64; 2],
///     flags: u32,
/// }
///
/// cuda_external_sys::assert_layout!(SemaphoreHandle as cuda_external_sys::CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {});
/// ```
#[macro_export]
macro_rules! assert_layout {
    ($mine:ty as $cuda:ty { $($fields:tt)* }) => {
        const _: () = ::core::assert!(
            ::core::mem::size_of::<$mine>() == ::core::mem::size_of::<$cuda>(),
            "{}",
            ::core::concat!(::core::stringify!($mine), " has another size than ", ::core::stringify!($cuda))
        );
        const _: () = ::core::assert!(
            ::core::mem::align_of::<$mine>() == ::core::mem::align_of::<$cuda>(),
            "{}",
            ::core::concat!(::core::stringify!($mine), " has another alignment than ", ::core::stringify!($cuda))
        );
        $crate::__assert_fields! { [$mine] [$cuda] $($fields)* }
    };
}

/// Compares each field of a list.
#[doc(hidden)]
#[macro_export]
macro_rules! __assert_fields {
    ($mine:tt $cuda:tt $(
        $field:tt $(. $inner:tt)* $(: $cuda_field:tt $(. $cuda_inner:tt)*)?
    ),* $(,)?) => {
        $($crate::__assert_field! { $mine $cuda ($field $(. $inner)*) $(($cuda_field $(. $cuda_inner)*))? })*
    };
}

/// Compares one field. If only one name is given, both fields have this name.
#[doc(hidden)]
#[macro_export]
macro_rules! __assert_field {
    ($mine:tt $cuda:tt $field:tt) => {
        $crate::__assert_field! { $mine $cuda $field $field }
    };
    ([$mine:ty] [$cuda:ty] ($($field:tt)+) ($($cuda_field:tt)+)) => {
        const _: () = ::core::assert!(
            ::core::mem::offset_of!($mine, $($field)+) == ::core::mem::offset_of!($cuda, $($cuda_field)+),
            "{}",
            ::core::concat!("another offset than in ", ::core::stringify!($cuda), ": ", ::core::stringify!($($field)+))
        );
        const _: () = ::core::assert!(
            $crate::__size_of_field!($mine, $($field)+) == $crate::__size_of_field!($cuda, $($cuda_field)+),
            "{}",
            ::core::concat!("another size than in ", ::core::stringify!($cuda), ": ", ::core::stringify!($($field)+))
        );
    };
}

/// Returns the size of a field. The field may be in a union, or unaligned in a packed struct.
#[doc(hidden)]
#[macro_export]
macro_rules! __size_of_field {
    ($of:ty, $($field:tt)+) => {{
        let value = ::core::mem::MaybeUninit::<$of>::uninit();
        // SAFETY: `addr_of!` only computes the address of a field of the value, which is uninitialized and is not read.
        #[allow(unused_unsafe)]
        $crate::__layout::size_of_pointee(unsafe { ::core::ptr::addr_of!((*value.as_ptr()).$($field)+) })
    }};
}

/// Returns the size of the type that a pointer points to.
pub const fn size_of_pointee<T>(_: *const T) -> usize {
    size_of::<T>()
}
