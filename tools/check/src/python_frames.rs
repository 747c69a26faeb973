//! Finds the Python functions that this thread is in, if the process has CPython.
//!
//! A walk reads the frames of its own thread only, which no other thread changes. A walk may run in a signal handler:
//! it runs no Python code, takes no lock and does not allocate (`find_frame_reader` may take a lock and allocate). The
//! offsets of the fields in CPython's structures depend on the release. Until one walk has succeeded, each walk asks
//! the kernel whether an address can be read.

use std::ffi::{CStr, c_char, c_int, c_long};
use std::io::{Cursor, Write};
use std::mem::transmute;
use std::slice;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::shared_file::PATH_BYTES;

/// A release of CPython, and the offsets of the fields in its structures.
struct CPythonLayout {
    minor: u32,
    /// The offsets of the pointers that lead from a thread's state to its innermost frame.
    to_frame: &'static [usize],
    // Offsets in a frame.
    previous: usize,
    code: usize,
    instruction: usize,
    instruction_field: FrameInstructionEncoding,
    // Offsets in a code object.
    file: usize,
    function: usize,
    /// The sizes of a string's header: before ASCII text, and before other text.
    headers: [usize; 2],
}

/// How a frame stores which instruction runs.
enum FrameInstructionEncoding {
    ByteNumber,
    /// Each instruction has two bytes.
    InstructionNumber,
    /// The first instruction is at this offset of the code object.
    Address(usize),
}

use FrameInstructionEncoding::{Address, ByteNumber, InstructionNumber};

impl CPythonLayout {
    const fn of_release(
        minor: u32,
        to_frame: &'static [usize],
        [previous, code, instruction]: [usize; 3],
        instruction_field: FrameInstructionEncoding,
        [file, function]: [usize; 2],
        headers: [usize; 2],
    ) -> Self {
        Self { minor, to_frame, previous, code, instruction, instruction_field, file, function, headers }
    }
}

static LAYOUTS: [CPythonLayout; 5] = [
    CPythonLayout::of_release(9, &[24], [24, 32, 104], ByteNumber, [104, 112], [48, 72]),
    CPythonLayout::of_release(10, &[24], [24, 32, 96], InstructionNumber, [104, 112], [48, 72]),
    CPythonLayout::of_release(11, &[56, 8], [48, 32, 56], Address(184), [112, 120], [48, 72]),
    CPythonLayout::of_release(12, &[56, 0], [8, 0, 56], Address(192), [112, 120], [40, 56]),
    CPythonLayout::of_release(13, &[72], [8, 0, 56], Address(200), [112, 120], [40, 56]),
];

/// The interpreter of this process: CPython's functions, and the offsets of fields in its structures.
pub struct PythonFrameReader {
    /// `PyGILState_GetThisThreadState`, which is in the interpreter's file.
    pub state_of_thread: unsafe extern "C" fn() -> usize,
    /// `PyCode_Addr2Line`, which returns the line of the instruction at a byte of the code, or -1.
    line_of_byte: unsafe extern "C" fn(usize, c_int) -> c_int,
    /// The beginning of what `Py_GetVersion` returns, such as `3.13.0` or `3.14.0 free-threading build`.
    version: &'static str,
    /// `None` for a release that `LAYOUTS` lacks, and for a free-threaded build.
    layout: Option<&'static CPythonLayout>,
    /// Whether a walk over frames has succeeded, which proves that the offsets are right for this interpreter.
    is_layout_proven: AtomicBool,
    code_type: usize,
    string_type: usize,
}

static INTERPRETER: OnceLock<PythonFrameReader> = OnceLock::new();

pub fn found_frame_reader() -> Option<&'static PythonFrameReader> {
    INTERPRETER.get()
}

/// Looks for CPython in the process. The look-up may allocate. Returns whether this call found CPython.
pub fn find_frame_reader() -> bool {
    if found_frame_reader().is_some() {
        return false;
    }
    // SAFETY: the names end in zeros.
    let symbol = |name: &CStr| unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()).addr() };
    let (state, version) = (symbol(c"PyGILState_GetThisThreadState"), symbol(c"Py_GetVersion"));
    let line = symbol(c"PyCode_Addr2Line");
    if [state, version, line].contains(&0) {
        return false;
    }
    // SAFETY: CPython's functions of these names have these types, and `Py_GetVersion`'s string is never freed.
    let (state_of_thread, line_of_byte, version) = unsafe {
        let version = transmute::<usize, unsafe extern "C" fn() -> *const c_char>(version);
        let line = transmute::<usize, unsafe extern "C" fn(usize, c_int) -> c_int>(line);
        (transmute::<usize, unsafe extern "C" fn() -> usize>(state), line, CStr::from_ptr(version()))
    };
    let version = version.to_str().unwrap_or_default().split(" (").next().unwrap_or_default();
    let minor = version.strip_prefix("3.").and_then(|rest| rest.split('.').next()?.parse().ok()).unwrap_or(0);
    // A free-threaded build has other structures.
    let is_known = |of: &&CPythonLayout| of.minor == minor && !version.contains("free-threading");
    _ = INTERPRETER.set(PythonFrameReader {
        state_of_thread,
        line_of_byte,
        version,
        layout: LAYOUTS.iter().find(is_known),
        is_layout_proven: AtomicBool::new(false),
        code_type: symbol(c"PyCode_Type"),
        string_type: symbol(c"PyUnicode_Type"),
    });
    true
}

/// The path of a function's file, a zero byte, and the function's name. For an unknown version of CPython, the path is
/// empty, and the version replaces the name.
type PythonFunctionName = Cursor<[u8; PATH_BYTES]>;

impl PythonFrameReader {
    /// Calls `each` with the name and the current line of each Python function that this thread is in, the innermost
    /// first, until `each` returns false. In a thread without a Python thread state, does not call `each`. For an
    /// unknown version of CPython, otherwise calls `each` once, with the version and line 0.
    pub fn for_each_python_function(&self, mut each: impl FnMut(&[u8], u32) -> bool) {
        /// The greatest number of frames in a walk: with wrong offsets the frames may form a circle.
        const FRAMES: usize = 256;
        // SAFETY: CPython's function reads a value of this thread, and may be called without Python's lock (the GIL).
        let state = unsafe { (self.state_of_thread)() };
        if state == 0 {
            return;
        }
        let mut name = PythonFunctionName::new([0; PATH_BYTES]);
        let Some(layout) = self.layout else {
            _ = write!(name, "\0{}", self.version);
            each(&name.get_ref()[..name.position() as usize], 0);
            return;
        };
        let memory = OwnMemoryReader { is_kernel_asked: !self.is_layout_proven.load(Relaxed) };
        let to_frame = layout.to_frame.iter().try_fold(state, |at, offset| memory.peek::<usize>(at, *offset));
        let (mut frame, mut has_function) = (to_frame, false);
        for _ in 0..FRAMES {
            let Some(at) = frame.filter(|at| *at != 0) else { break };
            name.set_position(0);
            // A frame without a line belongs to no Python function.
            let line = self.read_frame_function(&memory, layout, at, &mut name);
            has_function |= line.is_some();
            let length = name.position() as usize;
            if line.is_some_and(|line| !each(&name.get_ref()[..length], line)) {
                break;
            }
            frame = memory.peek(at, layout.previous);
        }
        if has_function && frame.is_some() {
            self.is_layout_proven.store(true, Relaxed);
        }
    }

    /// Reads the name of a frame's function. Returns the current line, or `None` if the frame has no Python function.
    fn read_frame_function(
        &self,
        memory: &OwnMemoryReader,
        layout: &CPythonLayout,
        frame: usize,
        name: &mut PythonFunctionName,
    ) -> Option<u32> {
        let code = memory.read_object_of_type(frame, layout.code, self.code_type)?;
        let at = layout.instruction;
        let byte = match layout.instruction_field {
            ByteNumber => memory.peek::<c_int>(frame, at)?,
            InstructionNumber => memory.peek::<c_int>(frame, at)?.checked_mul(2)?,
            Address(first) => memory.peek::<usize>(frame, at)?.checked_sub(code + first)?.try_into().ok()?,
        };
        // SAFETY: a frame of this thread keeps the code object alive, and CPython reads only its table of lines.
        let line = unsafe { (self.line_of_byte)(code, byte) };
        // A long path loses its end.
        for (field, most) in [(layout.file, PATH_BYTES * 3 / 4), (layout.function, PATH_BYTES)] {
            let string = memory.read_object_of_type(code, field, self.string_type)?;
            memory.append_python_string(string, layout.headers, name, most)?;
            if field == layout.file {
                name.write_all(b"\0").ok()?;
            }
        }
        u32::try_from(line).ok().filter(|line| *line > 0)
    }
}

struct OwnMemoryReader {
    /// Whether the kernel is asked if an address can be read.
    is_kernel_asked: bool,
}

impl OwnMemoryReader {
    /// The smallest page size of Linux on x86-64 and AArch64.
    const PAGE: usize = 4096;
    /// The offsets of an object's and a string's fields that are the same in all releases of `LAYOUTS`.
    const TYPE: usize = 8;
    const LENGTH: usize = 16;
    const STRING_STATE: usize = 32;

    fn bytes_at(&self, from: usize, distance: usize, length: usize) -> Option<&[u8]> {
        let at = from.checked_add(distance)?;
        let end = at.checked_add(length)?;
        let mut pages = at / Self::PAGE..end.div_ceil(Self::PAGE);
        // A frame that belongs to no Python function may have a null pointer to its code.
        let is_null = at < Self::PAGE;
        if is_null || (self.is_kernel_asked && !pages.all(|page| is_address_readable(page * Self::PAGE))) {
            return None;
        }
        // SAFETY: the kernel has read these pages, or the offsets are proven and frames keep the objects alive.
        Some(unsafe { slice::from_raw_parts(at as *const u8, length) })
    }

    /// Reads a number. `T` must be an integer.
    fn peek<T: Copy>(&self, from: usize, distance: usize) -> Option<T> {
        let bytes = self.bytes_at(from, distance, size_of::<T>())?;
        // SAFETY: the slice has the size of `T`, and every value of its bytes is a valid integer.
        Some(unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
    }

    /// Reads a pointer to an object. Returns `None` if the type of the object is not `of_type`.
    fn read_object_of_type(&self, from: usize, distance: usize, of_type: usize) -> Option<usize> {
        let object: usize = self.peek(from, distance)?;
        (self.peek::<usize>(object, Self::TYPE)? == of_type).then_some(object)
    }

    /// Adds a string to a name, as far as there is room.
    fn append_python_string(
        &self,
        string: usize,
        [ascii, other]: [usize; 2],
        name: &mut PythonFunctionName,
        most: usize,
    ) -> Option<()> {
        const COMPACT: u32 = 1 << 5;
        const ASCII: u32 = 1 << 6;
        let length: usize = self.peek(string, Self::LENGTH)?;
        let state: u32 = self.peek(string, Self::STRING_STATE)?;
        if state & COMPACT == 0 {
            return None;
        }
        // A character has at least one byte in UTF-8, so more characters than `room` cannot fit.
        let room = most.checked_sub(name.position() as usize)?;
        if state & ASCII != 0 {
            return name.write_all(self.bytes_at(string, ascii, length.min(room))?).ok();
        }
        let size = (state >> 2 & 7).max(1) as usize;
        for character in self.bytes_at(string, other, length.min(room).checked_mul(size)?)?.chunks_exact(size)
        {
            let number = character.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
            let character = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
            if name.position() as usize + character.len_utf8() > most {
                break;
            }
            name.write_all(character.encode_utf8(&mut [0; 4]).as_bytes()).ok()?;
        }
        Some(())
    }
}

/// Returns whether the 8 bytes at an address can be read. Passes the address as a mask to rt_sigprocmask, with an
/// invalid operation. The kernel reads the mask first: it returns EFAULT if the mask cannot be read, and otherwise
/// EINVAL.
fn is_address_readable(at: usize) -> bool {
    const NO_OPERATION: c_long = -1;
    // SAFETY: the operation does not exist, so the call changes nothing but this thread's errno.
    unsafe {
        let none = std::ptr::null_mut::<libc::sigset_t>();
        let code = libc::syscall(libc::SYS_rt_sigprocmask, NO_OPERATION, at, none, size_of::<u64>());
        code != 0 && *libc::__errno_location() == libc::EINVAL
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri does not run this system call")]
fn memory_that_cannot_be_read_is_not_read() {
    let (size, kind) = (2 * OwnMemoryReader::PAGE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: the pages are new, so nothing else uses them. The second one cannot be read from here on.
    let page = unsafe {
        let page = libc::mmap(std::ptr::null_mut(), size, libc::PROT_READ, kind, -1, 0);
        assert_eq!(
            libc::mprotect(page.byte_add(OwnMemoryReader::PAGE), OwnMemoryReader::PAGE, libc::PROT_NONE),
            0
        );
        page.addr()
    };
    let memory = OwnMemoryReader { is_kernel_asked: true };
    for (from, distance, value) in [
        (page, 4088, Some(0)),
        (page, 4089, None),
        (page, 4096, None),
        (0, 0, None),
        (0, 8, None),
        (usize::MAX, 1, None),
    ] {
        assert_eq!(memory.peek::<u64>(from, distance), value, "{from:#x} {distance}");
    }
    assert_eq!(OwnMemoryReader { is_kernel_asked: false }.peek::<u64>(0, 8), None);
}
