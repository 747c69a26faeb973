//! Sends file descriptors to another process over a Unix socket (SCM_RIGHTS), and receives them there.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

/// The maximum number of descriptors in one message.
const MOST: usize = 12;

/// Sends `bytes`, at least one, with descriptors. The receiver gets new descriptors; the caller keeps its own.
pub fn send_fds(socket: &UnixStream, bytes: &[u8], fds: &[BorrowedFd]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    assert!(fds.len() <= MOST, "too many descriptors");
    if !fds.is_empty() {
        control.push(SendAncillaryMessage::ScmRights(fds));
    }
    if sendmsg(socket, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL)? == bytes.len() {
        Ok(())
    } else {
        Err(io::Error::other("the socket took a part of the message"))
    }
}

/// Receives bytes until `bytes` is full, and returns the descriptors that came with them.
pub fn receive_fds(socket: &UnixStream, bytes: &mut [u8]) -> io::Result<Vec<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let length = bytes.len();
    // Without CLOEXEC, programs that this process starts would inherit the descriptors and keep their objects alive.
    let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::WAITALL;
    let message = recvmsg(socket, &mut [IoSliceMut::new(bytes)], &mut control, flags)?;
    let mut fds = Vec::new();
    for part in control.drain() {
        if let RecvAncillaryMessage::ScmRights(received) = part {
            fds.extend(received);
        }
    }
    if message.flags.contains(ReturnFlags::CTRUNC) {
        return Err(io::Error::other("more descriptors than room for them"));
    }
    if message.bytes == length { Ok(fds) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use rustix::io::{FdFlags, fcntl_getfd};

    use super::*;

    #[test]
    fn a_descriptor_arrives_closed_on_exec() {
        let (here, there) = UnixStream::pair().unwrap();
        let sent = std::fs::File::open("/dev/null").unwrap();
        send_fds(&here, b"hello", &[sent.as_fd()]).unwrap();
        let received = receive_fds(&there, &mut [0; 5]).unwrap();
        assert_eq!(received.len(), 1);
        assert_eq!(fcntl_getfd(&received[0]).unwrap(), FdFlags::CLOEXEC);
    }
}
