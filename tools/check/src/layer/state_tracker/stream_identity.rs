//! The identity of streams, and the context and stream of a call.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use cuda_external_in_process::HookScope;

use crate::layer::host_process::driver_functions;

pub const LEGACY: usize = 1;
pub const PER_THREAD: usize = 2;

/// Returns the identity of a stream. `PER_THREAD` gets a new number in each thread: the system reuses thread IDs.
pub fn stream_key(stream: usize) -> usize {
    static THREADS: AtomicU32 = AtomicU32::new(0);
    thread_local! {
        static THREAD: u32 = THREADS.fetch_add(1, Relaxed);
    }
    if stream != PER_THREAD {
        return stream;
    }
    PER_THREAD | THREAD.with(|number| *number as usize) << 32
}

/// Returns whether a stream is a thread's default stream. The layer does not see when such a stream ends.
pub fn is_thread_default_stream(key: usize) -> bool {
    key & 0xffff_ffff == PER_THREAD
}

/// Returns the name of a stream for messages. The identity 0 represents a stream that was destroyed.
pub fn stream_name(key: usize) -> String {
    match key {
        0 => "a stream that was destroyed".to_owned(),
        LEGACY => "the default stream".to_owned(),
        _ if is_thread_default_stream(key) => "a thread's default stream".to_owned(),
        _ => format!("stream {key:#x}"),
    }
}

/// The current context of a call, and the context and the capture state of the call's stream, if it has one.
#[derive(Clone, Copy, Debug)]
pub struct StreamAndContext {
    /// The current context, 0 if there is none, or `None` if the driver returns an error.
    pub current: Option<usize>,
    /// The stream's context, or 0 for a default stream, for a call without a stream, or if the driver returns an error.
    pub of_stream: usize,
    pub is_capturing: bool,
}

impl StreamAndContext {
    pub fn from_current_context(section: &mut HookScope) -> Self {
        Self { current: driver_functions::current_context(section), of_stream: 0, is_capturing: false }
    }

    pub fn from_stream(section: &mut HookScope, stream: usize) -> Self {
        let of_stream =
            if stream > PER_THREAD { driver_functions::stream_context(section, stream) } else { 0 };
        let is_capturing = driver_functions::is_stream_capturing(section, stream);
        Self { of_stream, is_capturing, ..Self::from_current_context(section) }
    }

    pub fn context(&self) -> usize {
        self.current.unwrap_or(0)
    }
}
