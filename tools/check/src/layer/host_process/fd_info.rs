//! Finds out the kind of a descriptor's open file, and marks the files that exports open.

use std::ffi::c_int;
use std::fs;
use std::io::Read;
use std::mem::MaybeUninit;
use std::os::fd::IntoRawFd;

use crate::layer::host_process::current_process::active_check;

/// A descriptor's open file. `what` is the file's kind or path, and is empty if only a device's driver knows the kind.
pub struct FdInfo {
    pub is_open: bool,
    pub what: String,
    pub may_be_exported: bool,
}

pub fn inspect_fd(fd: i32) -> FdInfo {
    let status = stat_fd(fd);
    let exported = status.as_ref().and_then(kind_of_exported_file);
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
    // SAFETY: fstat fills the struct if it returns 0, and only then this function reads the struct.
    unsafe { (libc::fstat(fd, status.as_mut_ptr()) == 0).then(|| status.assume_init()) }
}

/// Returns a file's kind, or `None` if the file is no export. The kind is empty if only a device's driver knows it.
fn kind_of_exported_file(status: &libc::stat) -> Option<&'static str> {
    match status.st_mode & libc::S_IFMT {
        libc::S_IFREG if status.st_nlink == 0 => Some("a file without a name"),
        // Memory devices, such as /dev/null, have the major number 1, and terminals have the others.
        libc::S_IFCHR => (!matches!(libc::major(status.st_rdev), 1 | 4 | 5 | 136..=143)).then_some(""),
        libc::S_IFREG | libc::S_IFDIR | libc::S_IFIFO | libc::S_IFSOCK | libc::S_IFBLK => None,
        _ => Some("neither a file nor an exported device, such as an eventfd"),
    }
}

/// The identity of an open file. A duplicate of the file's descriptor has the same identity, also in another process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenFileId {
    device: u64,
    inode: u64,
    /// Whether the file is a regular file: no other export has its inode. All open files of a device share an inode.
    has_own_inode: bool,
    /// The mark by `set_file_mark`, or 0 if the file has no mark or `may_mark_files` returns false. Linux keeps the
    /// mark as the file's signal number for O_ASYNC (F_SETSIG). Programs do not normally use O_ASYNC on exports.
    pub mark: c_int,
}

impl OpenFileId {
    pub fn read_open_file_id(fd: i32) -> Option<Self> {
        let status = stat_fd(fd)?;
        let has_own_inode = status.st_mode & libc::S_IFMT == libc::S_IFREG;
        // SAFETY: the call gets no pointer and changes nothing.
        let mark = if may_mark_files() { unsafe { libc::fcntl(fd, F_GETSIG) } } else { 0 };
        Some(Self { device: status.st_dev, inode: status.st_ino, has_own_inode, mark })
    }

    /// Returns whether both identities are of one open file, or of open files of one device with the same mark.
    pub fn is_same_file(&self, other: &Self) -> bool {
        self == other && (self.has_own_inode || self.mark > 0)
    }

    /// Returns whether two descriptors with this identity are certainly duplicates. For a file that is not a regular
    /// file, the result is false if kcmp is not safe to call, or if kcmp fails, for example for a closed descriptor.
    pub fn is_duplicate(&self, fd: i32, other: i32) -> bool {
        const KCMP_FILE: c_int = 0;
        let process = std::process::id();
        // SAFETY: the call gets no pointer and changes nothing.
        let is_equal =
            || unsafe { libc::syscall(libc::SYS_kcmp, process, process, KCMP_FILE, fd, other) == 0 };
        self.has_own_inode || (may_mark_files() && is_equal())
    }
}

pub fn set_file_mark(fd: i32, number: c_int) {
    if may_mark_files() {
        // SAFETY: the call gets no pointer. It only sets a number of the open file.
        unsafe { libc::fcntl(fd, F_SETSIG, number) };
    }
}

const F_SETSIG: c_int = 10;
const F_GETSIG: c_int = 11;

/// Returns whether kcmp and F_SETSIG are safe to call: a seccomp filter may end the process at such a call. If the
/// process has filters, the result is true only if the process inherited its filters from `cuda-external-check`, and
/// the child of [`filters_that_allow_marks`] survived both calls under these filters.
fn may_mark_files() -> bool {
    // SAFETY: the call only returns a number.
    match unsafe { libc::prctl(libc::PR_GET_SECCOMP) } {
        0 => true,
        _ => active_check().is_some_and(|check| {
            let inherited = check.options.filters_that_allow_marks;
            inherited > 0 && system_call_filters() == Some(inherited)
        }),
    }
}

pub fn system_call_filters() -> Option<u64> {
    let mut status = String::new();
    let mut file = fs::File::open("/proc/self/status").ok()?;
    let result = file.read_to_string(&mut status);
    // The C function `close` would be that of the preloaded library, which would take this call for one by the program.
    // SAFETY: this function owns the descriptor, and nothing uses it afterwards.
    unsafe { libc::syscall(libc::SYS_close, file.into_raw_fd()) };
    result.ok()?;
    status.lines().find_map(|line| line.strip_prefix("Seccomp_filters:")?.trim().parse().ok())
}

/// Returns the number of this process's seccomp filters if a forked child survives kcmp and F_SETSIG, or else 0.
pub fn filters_that_allow_marks() -> u64 {
    // SAFETY: `prctl` only returns a number. The child makes only system calls, as it must after a fork, and ends.
    unsafe {
        if libc::prctl(libc::PR_GET_SECCOMP) == 0 {
            return 0;
        }
        let child = libc::fork();
        if child == 0 {
            let process = libc::getpid();
            let is_equal = libc::syscall(libc::SYS_kcmp, process, process, 0, 0, 0) >= -1;
            let is_marked = libc::fcntl(0, F_SETSIG, libc::fcntl(0, F_GETSIG).max(0)) >= -1;
            libc::_exit(i32::from(!(is_equal && is_marked)));
        }
        let mut status = 0;
        let is_allowed = child > 0 && libc::waitpid(child, &mut status, 0) == child && status == 0;
        if is_allowed { system_call_filters().unwrap_or(0) } else { 0 }
    }
}

/// The mark of memory of 512 MiB or more that CUDA exported. All other exports have smaller marks.
pub const LARGE_CUDA_MEMORY_MARK: c_int = 64;
