//! Closes a descriptor after a failed import into CUDA, unless the import has already closed the descriptor.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};

/// The command `F_DUPFD_QUERY` of `fcntl`, since Linux 6.10: asks whether two descriptors refer to the same open file.
const DUPFD_QUERY: i32 = 1027;
/// The type `KCMP_FILE` of `kcmp`, which asks the same in older kernels.
const KCMP_FILE: i32 = 0;

/// Passes a descriptor to an import. After a failure the caller gets a duplicate back, to try again or to close it.
///
/// After a failure, this function closes the original descriptor only if its number still refers to the same file. If
/// the failed import has closed the original, another thread may have reused the number. If the kernel cannot compare
/// the original with the duplicate, the original may leak.
pub fn import_or_close_fd<T, E>(
    fd: OwnedFd,
    import: impl FnOnce(OwnedFd) -> Result<T, E>,
) -> io::Result<Result<T, (E, OwnedFd)>> {
    let duplicate = fd.try_clone()?;
    let number = fd.into_raw_fd();
    // SAFETY: this process owned the number, and uses it no more.
    Ok(import(unsafe { OwnedFd::from_raw_fd(number) }).map_err(|error| {
        if is_same_open_file(number, &duplicate) == Some(true) {
            // SAFETY: the number still refers to the file that `fd` had, and no other code owns the number.
            drop(unsafe { OwnedFd::from_raw_fd(number) });
        }
        (error, duplicate)
    }))
}

/// Returns whether both descriptors refer to the same open file, or `None` if the kernel refuses `fcntl` and `kcmp`.
fn is_same_open_file(number: RawFd, of: &OwnedFd) -> Option<bool> {
    // SAFETY: the calls take numbers, of which any may be invalid.
    unsafe {
        match libc::fcntl(number, DUPFD_QUERY, of.as_raw_fd()) {
            -1 if io::Error::last_os_error().raw_os_error() == Some(libc::EBADF) => return Some(false),
            -1 => {}
            answer => return Some(answer == 1),
        }
        let process = libc::getpid();
        match libc::syscall(libc::SYS_kcmp, process, process, KCMP_FILE, number, of.as_raw_fd()) {
            -1 if io::Error::last_os_error().raw_os_error() == Some(libc::EBADF) => Some(false),
            -1 => None,
            order => Some(order == 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::mem::forget;

    use super::*;

    fn open_dev_null() -> OwnedFd {
        File::open("/dev/null").unwrap().into()
    }

    #[test]
    fn another_file_at_the_number_stays() {
        let fd = open_dev_null();
        let number = fd.as_raw_fd();
        let (code, kept) = import_or_close_fd(fd, |fd| {
            let other = open_dev_null();
            // SAFETY: the test owns both descriptors. `dup2` puts `other` at `number`, as another thread could do.
            assert_eq!(unsafe { libc::dup2(other.as_raw_fd(), fd.as_raw_fd()) }, number);
            forget(fd);
            Err::<(), _>(other)
        })
        .unwrap()
        .unwrap_err();
        assert_eq!(is_same_open_file(number, &code), Some(true));
        assert_eq!(is_same_open_file(number, &kept), Some(false));
        // SAFETY: the test owns the number.
        drop(unsafe { OwnedFd::from_raw_fd(number) });
    }
}
