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
/// A struct without the 16 reserved words does not compile. The error has both sizes. The error of a field has the
/// field's name, both offsets and both sizes:
///
/// ```text
/// the size is 40 bytes, and 104 in cuda_external_sys::CUDA_EXTERNAL_MEMORY_HANDLE_DESC: ExternalMemoryHandle
/// at byte 16 with 8 bytes, and at byte 24 with 8 bytes in cuda_external_sys::CUDA_EXTERNAL_MEMORY_HANDLE_DESC: size
/// ```
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
        const _: () = $crate::__layout::same_type(
            ::core::stringify!($mine),
            [::core::mem::size_of::<$mine>(), ::core::mem::align_of::<$mine>()],
            ::core::stringify!($cuda),
            [::core::mem::size_of::<$cuda>(), ::core::mem::align_of::<$cuda>()],
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

/// Compares one field. Where this crate's has no name of its own, it has the same one.
#[doc(hidden)]
#[macro_export]
macro_rules! __assert_field {
    ($mine:tt $cuda:tt $field:tt) => {
        $crate::__assert_field! { $mine $cuda $field $field }
    };
    ([$mine:ty] [$cuda:ty] ($($field:tt)+) ($($cuda_field:tt)+)) => {
        const _: () = $crate::__layout::same_field(
            ::core::stringify!($($field)+),
            [::core::mem::offset_of!($mine, $($field)+), $crate::__size_of_field!($mine, $($field)+)],
            ::core::stringify!($cuda),
            [::core::mem::offset_of!($cuda, $($cuda_field)+), $crate::__size_of_field!($cuda, $($cuda_field)+)],
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

/// Compares size and alignment.
pub const fn same_type(
    mine: &str,
    [size, align]: [usize; 2],
    cuda: &str,
    [cuda_size, cuda_align]: [usize; 2],
) {
    if size != cuda_size {
        fail([
            Text("the size is "),
            Number(size),
            Text(" bytes, and "),
            Number(cuda_size),
            Text(" in "),
            Text(cuda),
            Text(": "),
            Text(mine),
        ]);
    }
    if align != cuda_align {
        fail([
            Text("the alignment is "),
            Number(align),
            Text(" bytes, and "),
            Number(cuda_align),
            Text(" in "),
            Text(cuda),
            Text(": "),
            Text(mine),
        ]);
    }
}

/// Compares offset and size.
pub const fn same_field(mine: &str, [at, size]: [usize; 2], cuda: &str, [cuda_at, cuda_size]: [usize; 2]) {
    if at != cuda_at || size != cuda_size {
        fail([
            Text("at byte "),
            Number(at),
            Text(" with "),
            Number(size),
            Text(" bytes, and at byte "),
            Number(cuda_at),
            Text(" with "),
            Number(cuda_size),
            Text(" bytes in "),
            Text(cuda),
            Text(": "),
            Text(mine),
        ]);
    }
}

#[derive(Clone, Copy)]
enum Part<'a> {
    Text(&'a str),
    Number(usize),
}
use Part::{Number, Text};

/// Writes the parts one after the other, and panics with them: a constant cannot format.
const fn fail<const PARTS: usize>(parts: [Part<'_>; PARTS]) -> ! {
    let mut text = [0; 512];
    let mut end = 0;
    let mut part = 0;
    while part < PARTS {
        let mut digits = [0; 20];
        let bytes = match parts[part] {
            Text(text) => text.as_bytes(),
            Number(number) => decimal(number, &mut digits),
        };
        let mut at = 0;
        while at < bytes.len() && end < text.len() {
            text[end] = bytes[at];
            at += 1;
            end += 1;
        }
        part += 1;
    }
    let (text, _) = text.split_at(end);
    match core::str::from_utf8(text) {
        Ok(text) => panic!("{}", text),
        Err(_) => panic!("the layouts differ"),
    }
}

const fn decimal(mut number: usize, digits: &mut [u8; 20]) -> &[u8] {
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return digits.split_at(start).1;
        }
    }
}
