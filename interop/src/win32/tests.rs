//! The descriptors and parameters, field by field. tests/calls proves that every field arrives in C.

use super::*;

const HANDLE: *mut c_void = 0x1122_3344_5566_7788_u64 as *mut c_void;

/// Each way to name an object, with the union's two pointers.
fn names(name: &[u16]) -> [(Win32Handle<'_>, *mut c_void, *const c_void); 3] {
    [
        (Win32Handle::Nt(HANDLE), HANDLE, ptr::null()),
        (Win32Handle::Kmt(HANDLE), HANDLE, ptr::null()),
        (Win32Handle::Name(name), ptr::null_mut(), name.as_ptr().cast()),
    ]
}

fn name() -> Vec<u16> {
    "Local\\a name\0".encode_utf16().collect()
}

#[test]
fn memory_is_named_by_a_handle_or_by_a_name() {
    let (name, type_) = (name(), CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP);
    for ((shared, handle, pointer), dedicated) in names(&name).into_iter().zip([true, false, true]) {
        let desc = memory_desc(type_, shared, 0x1_0000_0001, dedicated);
        // SAFETY: this is the field that is written.
        let win32 = unsafe { desc.handle.win32 };
        assert_eq!((win32.handle, win32.name), (handle, pointer), "{shared:?}");
        assert_eq!((desc.type_, desc.size), (type_, 0x1_0000_0001));
        assert_eq!((desc.flags, desc.reserved), (u32::from(dedicated), [0; 16]));
    }
}

#[test]
fn a_semaphore_is_named_by_a_handle_or_by_a_name() {
    let (name, type_) = (name(), CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT);
    for (shared, handle, pointer) in names(&name) {
        let desc = semaphore_desc(type_, shared);
        // SAFETY: this is the field that is written.
        let win32 = unsafe { desc.handle.win32 };
        assert_eq!((win32.handle, win32.name), (handle, pointer), "{shared:?}");
        assert_eq!((desc.type_, desc.flags, desc.reserved), (type_, 0, [0; 16]));
    }
}

#[test]
fn an_adapter_has_a_luid_and_one_node() {
    let luid = [1, 2, 3, 4, 5, 6, 7, 0x88];
    assert_eq!(adapter(luid, 1).unwrap(), (0x0403_0201, 0x8807_0605_u32 as i32));
    for (node_mask, reason) in [(0, "no node"), (2, "node mask 0x2"), (3, "node mask 0x3")] {
        let error = adapter(luid, node_mask).unwrap_err();
        assert!(matches!(&error, Error::Missing(text) if text.contains(reason)), "{error}");
    }
}
