//! The layouts of other declarations, compared with those of this crate.

/// Compares a declaration of yours with this crate's when the program is compiled: size, alignment, and the offset of
/// each field that is named.
///
/// Every layout of this crate is checked against the C compiler's view of `cuda.h`, in each release, so this is a test
/// against the C headers that needs neither. It needs no feature of this crate and leaves nothing in the program.
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
///     handle: handle,
///     handle.fd: handle.fd,
///     handle.win32: handle.win32.handle,
///     size: size,
///     flags: flags,
/// });
/// ```
///
/// Before the colon is your field, after it this crate's. Each may be a path. A struct without the 16 reserved
/// words does not compile. The error has both sizes: this crate's is `expected`, yours is `found`. The error of a field has
/// its name and both offsets:
///
/// ```text
/// error[E0308]: mismatched types
///    | expected `SizeOf<104>`, found `SizeOf<40>`
/// error[E0308]: mismatched types
///    | expected `size<24>`, found `size<16>`
/// ```
///
/// ```compile_fail,E0308
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
    ($mine:ty as $cuda:ty {
        $($field:ident $(. $inner:ident)* : $cuda_field:ident $(. $cuda_inner:ident)*),* $(,)?
    }) => {
        const _: () = {
            // A type for each number, so that the compiler's error has both.
            struct SizeOf<const BYTES: usize>;
            struct AlignOf<const BYTES: usize>;
            let _: SizeOf<{ ::core::mem::size_of::<$cuda>() }> = SizeOf::<{ ::core::mem::size_of::<$mine>() }>;
            let _: AlignOf<{ ::core::mem::align_of::<$cuda>() }> = AlignOf::<{ ::core::mem::align_of::<$mine>() }>;
            $({
                #[allow(non_camel_case_types)]
                struct $field<const OFFSET: usize>;
                let _: $field<{ ::core::mem::offset_of!($cuda, $cuda_field $(. $cuda_inner)*) }> =
                    $field::<{ ::core::mem::offset_of!($mine, $field $(. $inner)*) }>;
            })*
        };
    };
}
