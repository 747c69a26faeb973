//! File descriptors: what they are, and the marks on them.

use std::ffi::c_int;
use std::fs;
use std::mem::MaybeUninit;

/// Whether the descriptor is open, and the name of its kind if it cannot be imported. The name is empty for a device,
/// which only its driver can identify.
pub struct FdInfo {
    pub is_open: bool,
    pub what: String,
    /// Whether an exporter may have made it.
    pub may_be_exported: bool,
}

/// Looks at a descriptor.
pub fn inspect_fd(fd: i32) -> FdInfo {
    let status = stat_fd(fd);
    let exported = status.as_ref().and_then(exported_kind);
    let path = || fs::read_link(format!("/proc/self/fd/{fd}")).ok().map(|path| path.display().to_string());
    let what = match exported {
        Some(what) => what.to_owned(),
        None => path().unwrap_or("no export".to_owned()),
    };
    FdInfo { is_open: status.is_some(), what, may_be_exported: exported.is_some() }
}

pub fn is_open(fd: i32) -> bool {
    stat_fd(fd).is_some()
}

fn stat_fd(fd: i32) -> Option<libc::stat> {
    let mut status = MaybeUninit::uninit();
    // SAFETY: asks about a number, and reads the struct where the call filled it.
    unsafe { (libc::fstat(fd, status.as_mut_ptr()) == 0).then(|| status.assume_init()) }
}

/// The kind of an open file that an exporter may have made. It is empty for a device, which only its driver can
/// identify. `None` for other files: a file of a directory, a pipe, a terminal, or a memory device such as /dev/null.
fn exported_kind(status: &libc::stat) -> Option<&'static str> {
    match status.st_mode & libc::S_IFMT {
        libc::S_IFREG if status.st_nlink == 0 => Some("a file without a name"),
        libc::S_IFCHR => (!matches!(libc::major(status.st_rdev), 1 | 4 | 5 | 136..=143)).then_some(""),
        libc::S_IFREG | libc::S_IFDIR | libc::S_IFIFO | libc::S_IFSOCK | libc::S_IFBLK => None,
        _ => Some("neither a file nor an exported device, such as an eventfd"),
    }
}

/// A number that marks an open file: its signal number (F_SETSIG). A duplicate of the descriptor has the mark too,
/// also in another process. The signal number would matter only with O_ASYNC, which nobody sets on these files.
pub fn set_mark(fd: i32, number: c_int) {
    const F_SETSIG: c_int = 10;
    // SAFETY: the call sets a number that belongs to the open file.
    unsafe { libc::fcntl(fd, F_SETSIG, number) };
}

pub fn mark_of(fd: i32) -> c_int {
    const F_GETSIG: c_int = 11;
    // SAFETY: the call only asks about a number.
    unsafe { libc::fcntl(fd, F_GETSIG) }
}

/// Whether two descriptors are of one open file, where the system says it and the second one is still open.
pub fn may_be_duplicates(fd: i32, other: i32) -> bool {
    const KCMP_FILE: c_int = 0;
    let process = std::process::id();
    // SAFETY: the call compares two numbers of this process.
    unsafe { libc::syscall(libc::SYS_kcmp, process, process, KCMP_FILE, fd, other) <= 0 }
}

/// The mark of 512 MiB or more of CUDA's own memory. Vulkan's exports have smaller ones.
pub const LARGE_CUDA_MEMORY_MARK: c_int = 64;
