//! File descriptors to another process, over a Unix socket (SCM_RIGHTS).

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

/// The most descriptors of one message.
const MOST: usize = 12;

/// Sends bytes, at least one, and descriptors with them. The receiver gets new descriptors;
/// the sender closes its own.
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

/// Receives as many bytes as there is room for, and the descriptors that came with them.
pub fn receive_fds(socket: &UnixStream, bytes: &mut [u8]) -> io::Result<Vec<OwnedFd>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let length = bytes.len();
    // Without CLOEXEC, programs that this process starts would keep the memory alive too.
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
    use std::os::fd::{AsFd, AsRawFd};

    use super::*;

    fn inode_of_fd(fd: &impl AsRawFd) -> u64 {
        use std::os::unix::fs::MetadataExt;

        std::fs::metadata(format!("/proc/self/fd/{}", fd.as_raw_fd())).unwrap().ino()
    }

    #[test]
    fn descriptors_arrive_in_their_order_and_are_closed_on_exec() {
        let (here, there) = UnixStream::pair().unwrap();
        let files = [(); 3].map(|()| tempfile::tempfile().unwrap());
        send_fds(&here, b"hello", &files.each_ref().map(AsFd::as_fd)).unwrap();
        let mut bytes = [0; 5];
        let received = receive_fds(&there, &mut bytes).unwrap();
        assert_eq!(&bytes, b"hello");
        assert_eq!(received.len(), 3);
        for (sent, received) in files.iter().zip(received) {
            assert_eq!(inode_of_fd(sent), inode_of_fd(&received));
            // New descriptors: the sender keeps its own.
            assert_ne!(sent.as_raw_fd(), received.as_raw_fd());
            assert_eq!(rustix::io::fcntl_getfd(&received).unwrap(), rustix::io::FdFlags::CLOEXEC);
        }
    }
}
