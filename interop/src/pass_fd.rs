//! File descriptors to another process, over a Unix socket (SCM_RIGHTS).

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::ptr;

/// Room for the descriptors of one message, aligned as their header must be.
type Control = [u64; 8];

/// Sends bytes, at least one, and descriptors with them. The receiver gets descriptors of its own;
/// the sender's stay the sender's to close.
pub fn send(socket: &UnixStream, bytes: &[u8], fds: &[BorrowedFd]) -> io::Result<()> {
    let numbers: Vec<RawFd> = fds.iter().map(AsRawFd::as_raw_fd).collect();
    let length = size_of_val(&numbers[..]) as u32;
    let mut control = Control::default();
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    // SAFETY: `message` points to `part` and `control`, which outlive it. The macros of libc stay
    // within `control`, whose room is checked before they are used.
    let sent = unsafe {
        assert!(libc::CMSG_SPACE(length) as usize <= size_of_val(&control), "too many descriptors");
        let mut message = message(&mut part, &mut control);
        message.msg_controllen = libc::CMSG_SPACE(length) as _;
        let header = libc::CMSG_FIRSTHDR(&message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(length) as _;
        let data = libc::CMSG_DATA(header).cast::<RawFd>();
        numbers.iter().enumerate().for_each(|(i, number)| data.add(i).write_unaligned(*number));
        libc::sendmsg(socket.as_raw_fd(), &message, libc::MSG_NOSIGNAL)
    };
    match usize::try_from(sent) {
        Ok(sent) if sent == bytes.len() => Ok(()),
        Ok(_) => Err(io::Error::other("the socket took a part of the message")),
        Err(_) => Err(io::Error::last_os_error()),
    }
}

/// Receives as many bytes as there is room for, and the descriptors that came with them.
pub fn receive(socket: &UnixStream, bytes: &mut [u8]) -> io::Result<Vec<OwnedFd>> {
    let mut control = Control::default();
    let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let mut fds = Vec::new();
    // SAFETY: as in `send`. A descriptor that the system has written is ours alone.
    let (received, flags) = unsafe {
        let mut message = message(&mut part, &mut control);
        // CLOEXEC, or a program that this process starts would hold the memory alive as well.
        let flags = libc::MSG_CMSG_CLOEXEC | libc::MSG_WAITALL;
        let received = libc::recvmsg(socket.as_raw_fd(), &mut message, flags);
        let mut header = if received < 0 { ptr::null_mut() } else { libc::CMSG_FIRSTHDR(&message) };
        while !header.is_null() {
            if ((*header).cmsg_level, (*header).cmsg_type) == (libc::SOL_SOCKET, libc::SCM_RIGHTS) {
                let length = (*header).cmsg_len as usize - libc::CMSG_LEN(0) as usize;
                let data = libc::CMSG_DATA(header).cast::<RawFd>();
                let numbers = (0..length / size_of::<RawFd>()).map(|i| data.add(i).read_unaligned());
                fds.extend(numbers.map(|number| OwnedFd::from_raw_fd(number)));
            }
            header = libc::CMSG_NXTHDR(&message, header);
        }
        (received, message.msg_flags)
    };
    match usize::try_from(received) {
        Ok(_) if flags & libc::MSG_CTRUNC != 0 => {
            Err(io::Error::other("more descriptors than room for them"))
        }
        Ok(received) if received == bytes.len() => Ok(fds),
        Ok(_) => Err(io::ErrorKind::UnexpectedEof.into()),
        Err(_) => Err(io::Error::last_os_error()),
    }
}

fn message(part: &mut libc::iovec, control: &mut Control) -> libc::msghdr {
    // SAFETY: all zeros is an empty message.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = part;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = size_of_val(control) as _;
    message
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Read;
    use std::os::fd::AsFd;

    use super::*;

    fn file_with(byte: u8) -> File {
        use std::io::{Seek, Write};

        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[byte]).unwrap();
        file.rewind().unwrap();
        file
    }

    fn inode(fd: &impl AsRawFd) -> u64 {
        use std::os::unix::fs::MetadataExt;

        std::fs::metadata(format!("/proc/self/fd/{}", fd.as_raw_fd())).unwrap().ino()
    }

    #[test]
    fn descriptors_arrive_in_their_order_with_the_bytes() {
        let (here, there) = UnixStream::pair().unwrap();
        let files = [file_with(1), file_with(2), file_with(3)];
        send(&here, b"hello", &files.each_ref().map(AsFd::as_fd)).unwrap();
        let mut bytes = [0; 5];
        let received = receive(&there, &mut bytes).unwrap();
        assert_eq!(&bytes, b"hello");
        assert_eq!(received.len(), 3);
        for (sent, received) in files.iter().zip(received) {
            assert_eq!(inode(sent), inode(&received));
            // New descriptors: the sender's stay the sender's.
            assert_ne!(sent.as_raw_fd(), received.as_raw_fd());
        }
        let mut byte = [0];
        (&files[0]).read_exact(&mut byte).unwrap();
        assert_eq!(byte, [1]);
    }

    #[test]
    fn a_received_descriptor_is_closed_on_exec() {
        let (here, there) = UnixStream::pair().unwrap();
        send(&here, b"x", &[file_with(1).as_fd()]).unwrap();
        let received = receive(&there, &mut [0]).unwrap();
        // SAFETY: asks about a descriptor that lives.
        let flags = unsafe { libc::fcntl(received[0].as_raw_fd(), libc::F_GETFD) };
        assert_eq!(flags & libc::FD_CLOEXEC, libc::FD_CLOEXEC);
    }

    #[test]
    fn more_descriptors_than_room_for_them_is_an_error() {
        let (here, there) = UnixStream::pair().unwrap();
        let file = file_with(1);
        // More than `send` takes, by the same call: 13 are too many for the receiver's 64 bytes.
        let numbers = [file.as_raw_fd(); 13];
        let mut control = [0_u64; 16];
        let mut byte = [0_u8];
        let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
        // SAFETY: the message points to live variables, and the control data fits.
        let sent = unsafe {
            let length = size_of_val(&numbers) as u32;
            assert!(libc::CMSG_SPACE(length) as usize <= size_of_val(&control));
            let mut message: libc::msghdr = std::mem::zeroed();
            message.msg_iov = &mut part;
            message.msg_iovlen = 1;
            message.msg_control = control.as_mut_ptr().cast();
            message.msg_controllen = libc::CMSG_SPACE(length) as _;
            let header = libc::CMSG_FIRSTHDR(&message);
            (*header).cmsg_level = libc::SOL_SOCKET;
            (*header).cmsg_type = libc::SCM_RIGHTS;
            (*header).cmsg_len = libc::CMSG_LEN(length) as _;
            libc::CMSG_DATA(header).cast::<[RawFd; 13]>().write_unaligned(numbers);
            libc::sendmsg(here.as_raw_fd(), &message, libc::MSG_NOSIGNAL)
        };
        assert_eq!(sent, 1);
        let error = receive(&there, &mut [0]).unwrap_err();
        assert_eq!(error.to_string(), "more descriptors than room for them");
    }

    #[test]
    fn a_message_that_ends_early_is_an_error() {
        let (here, there) = UnixStream::pair().unwrap();
        send(&here, b"ab", &[]).unwrap();
        drop(here);
        let error = receive(&there, &mut [0; 3]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    #[should_panic = "too many descriptors"]
    fn too_many_descriptors_are_not_sent() {
        let (here, _there) = UnixStream::pair().unwrap();
        let file = file_with(1);
        let _ = send(&here, b"x", &[file.as_fd(); 13]);
    }
}
