//! The layouts of other declarations, compared with those of this crate.

/// Compares your declaration with this crate's at compile time: the size, the alignment, and the offset and size of
/// each named field.
///
/// Every layout of this crate is checked against the C compiler's view of `cuda.h`, in each release. This macro
/// therefore compares your declaration with C, and needs neither a C compiler nor a header. It needs no feature of
/// this crate and leaves nothing in the program.
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
/// Your field comes before the colon, this crate's field after it. Each may be a path; a tuple's field is its number.
/// Write a field once if both names are equal. Name each field, so that each is compared. Types of the same size are
/// equal to this macro: `u32` and `i32`, a pointer and `usize`.
///
/// A struct without the 16 reserved words does not compile, since its size differs. The error names the type, or the
/// field, and what differs.
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

/// The fields, one after the other.
#[doc(hidden)]
#[macro_export]
macro_rules! __assert_fields {
    ($mine:tt $cuda:tt $(
        $field:tt $(. $inner:tt)* $(: $cuda_field:tt $(. $cuda_inner:tt)*)?
    ),* $(,)?) => {
        $($crate::__assert_field! { $mine $cuda ($field $(. $inner)*) $(($cuda_field $(. $cuda_inner)*))? })*
    };
}

/// Compares one field. Without a name for this crate's field, both have the same name.
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

/// The size of a field, which may be packed or of a union.
#[doc(hidden)]
#[macro_export]
macro_rules! __size_of_field {
    ($of:ty, $($field:tt)+) => {{
        let value = ::core::mem::MaybeUninit::<$of>::uninit();
        // SAFETY: the address is within the value; nothing is read.
        #[allow(unused_unsafe)]
        $crate::__layout::size_of_pointee(unsafe { ::core::ptr::addr_of!((*value.as_ptr()).$($field)+) })
    }};
}

/// The size of what a pointer leads to.
pub const fn size_of_pointee<T>(_: *const T) -> usize {
    size_of::<T>()
}
