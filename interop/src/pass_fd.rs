//! Passing file descriptors to another process, over a Unix socket (SCM_RIGHTS).

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
