//! The Python functions that this thread is in, where the process has CPython.
//!
//! A thread reads its own frames, which no other thread changes. No Python code runs, and no lock is taken: CPython's
//! faulthandler finds the frames in the same way in a signal handler. Where a field is depends on the version. A
//! structure is used only if it begins with the address of its type, and an address is read only if the kernel says
//! that it can be. Nothing here allocates.

use std::ffi::{CStr, c_char, c_long};
use std::io::{Cursor, Write};
use std::mem::transmute;
use std::sync::OnceLock;

use crate::shared_file::PATH_BYTES;

/// A release of CPython, and where its fields are.
struct PythonVersion {
    minor: u32,
    /// The pointers that lead from a thread's state to its innermost frame.
    to_frame: &'static [usize],
    frame: FrameFields,
    code: CodeFields,
    lines: LineEncoding,
    /// The sizes of a string's header: before ASCII text, and before other text.
    headers: [usize; 2],
}

struct FrameFields {
    previous: usize,
    code: usize,
    /// The last instruction: its number, or from 3.11 on its address.
    instruction: usize,
}

struct CodeFields {
    file: usize,
    function: usize,
    first_line: usize,
    lines: usize,
    instructions: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum LineEncoding {
    /// How far the next line is: in bytes of code, and in lines.
    Distances,
    /// The bytes of code of a line, and how far the line before is.
    Ranges,
    /// Lines and columns.
    Locations,
}

const OLD_CODE: CodeFields =
    CodeFields { file: 104, function: 112, first_line: 40, lines: 120, instructions: 0 };
const CODE: CodeFields = CodeFields { file: 112, function: 120, first_line: 68, lines: 136, instructions: 0 };

static RELEASES: [PythonVersion; 5] = [
    PythonVersion {
        minor: 9,
        to_frame: &[24],
        frame: FrameFields { previous: 24, code: 32, instruction: 104 },
        code: OLD_CODE,
        lines: LineEncoding::Distances,
        headers: [48, 72],
    },
    PythonVersion {
        minor: 10,
        to_frame: &[24],
        frame: FrameFields { previous: 24, code: 32, instruction: 96 },
        code: OLD_CODE,
        lines: LineEncoding::Ranges,
        headers: [48, 72],
    },
    PythonVersion {
        minor: 11,
        to_frame: &[56, 8],
        frame: FrameFields { previous: 48, code: 32, instruction: 56 },
        code: CodeFields { first_line: 72, instructions: 184, ..CODE },
        lines: LineEncoding::Locations,
        headers: [48, 72],
    },
    PythonVersion {
        minor: 12,
        to_frame: &[56, 0],
        frame: FrameFields { previous: 8, code: 0, instruction: 56 },
        code: CodeFields { instructions: 192, ..CODE },
        lines: LineEncoding::Locations,
        headers: [40, 56],
    },
    PythonVersion {
        minor: 13,
        to_frame: &[72],
        frame: FrameFields { previous: 8, code: 0, instruction: 56 },
        code: CodeFields { instructions: 200, ..CODE },
        lines: LineEncoding::Locations,
        headers: [40, 56],
    },
];

/// The interpreter of this process.
pub struct Interpreter {
    state_of_thread: unsafe extern "C" fn() -> usize,
    minor: u32,
    /// `None` for a release that is not known.
    release: Option<&'static PythonVersion>,
    code_type: usize,
    string_type: usize,
    bytes_type: usize,
}

static INTERPRETER: OnceLock<Interpreter> = OnceLock::new();

pub fn interpreter() -> Option<&'static Interpreter> {
    INTERPRETER.get()
}

/// Looks for CPython among the libraries of the process. Returns whether it was found now. The loader may allocate.
pub fn find_interpreter() -> bool {
    if interpreter().is_some() {
        return false;
    }
    // SAFETY: the names end in zeros.
    let symbol = |name: &CStr| unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()).addr() };
    let (state, version) = (symbol(c"PyGILState_GetThisThreadState"), symbol(c"Py_GetVersion"));
    if state == 0 || version == 0 {
        return false;
    }
    // SAFETY: CPython's functions of these names have these types. The second one returns a string, which stays.
    let (state_of_thread, version) = unsafe {
        let version = transmute::<usize, unsafe extern "C" fn() -> *const c_char>(version);
        (transmute::<usize, unsafe extern "C" fn() -> usize>(state), CStr::from_ptr(version()))
    };
    let version = version.to_str().unwrap_or_default();
    let minor = version.strip_prefix("3.").and_then(|rest| rest.split('.').next()?.parse().ok()).unwrap_or(0);
    // Without the interpreter's lock the structures are others.
    let is_known = |of: &&PythonVersion| of.minor == minor && !version.contains("free-threading");
    _ = INTERPRETER.set(Interpreter {
        state_of_thread,
        minor,
        release: RELEASES.iter().find(is_known),
        code_type: symbol(c"PyCode_Type"),
        string_type: symbol(c"PyUnicode_Type"),
        bytes_type: symbol(c"PyBytes_Type"),
    });
    true
}

/// A function: the path of its file and its name, with a zero between them, which no path has. The path is empty where
/// the release is not known.
type FunctionName = Cursor<[u8; PATH_BYTES]>;

impl Interpreter {
    /// An address in the interpreter's file.
    pub fn address(&self) -> usize {
        self.state_of_thread as *const () as usize
    }

    /// Calls `each` with the functions of this thread and their current lines, the innermost first, until it returns
    /// false.
    pub fn each_function(&self, mut each: impl FnMut(&[u8], u32) -> bool) {
        /// A thread's state that is not understood may be a circle.
        const FRAMES: usize = 256;
        // SAFETY: CPython's function reads a value of this thread. It may be called where nothing of Python runs.
        let state = unsafe { (self.state_of_thread)() };
        if state == 0 {
            return;
        }
        let Some(release) = self.release else {
            each(b"\0", self.minor);
            return;
        };
        let mut name = FunctionName::new([0; PATH_BYTES]);
        let mut memory = ReadableMemory::NONE;
        let mut to_frame = release.to_frame.iter();
        let mut frame = to_frame.try_fold(state, |at, offset| memory.read::<usize>(at, *offset)).unwrap_or(0);
        for _ in 0..FRAMES {
            if frame == 0 {
                return;
            }
            name.set_position(0);
            // One without a line is the interpreter's own.
            let line = self.function_of(&mut memory, release, frame, &mut name);
            let length = name.position() as usize;
            if line.is_some_and(|line| !each(&name.get_ref()[..length], line)) {
                return;
            }
            frame = memory.read(frame, release.frame.previous).unwrap_or(0);
        }
    }

    fn function_of(
        &self,
        memory: &mut ReadableMemory,
        release: &PythonVersion,
        frame: usize,
        name: &mut FunctionName,
    ) -> Option<u32> {
        let (fields, lines) = (&release.code, release.lines);
        let code = memory.read_object(frame, release.frame.code, self.code_type)?;
        let at = release.frame.instruction;
        let instruction = match lines {
            LineEncoding::Distances => memory.read::<u32>(frame, at)? as usize,
            LineEncoding::Ranges => memory.read::<u32>(frame, at)? as usize * 2,
            LineEncoding::Locations => {
                memory.read::<usize>(frame, at)?.checked_sub(code + fields.instructions)?
            }
        };
        let first: i32 = memory.read(code, fields.first_line)?;
        let table = memory.read_object(code, fields.lines, self.bytes_type)?;
        let end = (table + BYTES_HEADER).checked_add(memory.read(table, LENGTH)?)?;
        let line = LineTable { memory, at: table + BYTES_HEADER, end }.line_at(lines, first, instruction)?;
        // Of a long path the rest is left out.
        for (field, most) in [(fields.file, PATH_BYTES * 3 / 4), (fields.function, PATH_BYTES)] {
            let string = memory.read_object(code, field, self.string_type)?;
            memory.read_string(string, release.headers, name, most as u64)?;
            if field == fields.file {
                name.write_all(b"\0").ok()?;
            }
        }
        u32::try_from(line).ok()
    }
}

struct LineTable<'a> {
    memory: &'a mut ReadableMemory,
    at: usize,
    end: usize,
}

impl LineTable<'_> {
    /// Finds the line of the instruction that begins at a byte of the code.
    fn line_at(&mut self, encoding: LineEncoding, first: i32, instruction: usize) -> Option<i32> {
        let is_distance = encoding == LineEncoding::Distances;
        let (mut line, mut end) = (first, 0);
        while let Some(head) = self.next() {
            let before = line;
            let (bytes, lines) = match encoding {
                LineEncoding::Locations => (2 * (usize::from(head & 7) + 1), self.rest_of_location(head)?),
                _ => (head.into(), Some(i32::from(self.next()? as i8))),
            };
            let lines = lines.filter(|lines| is_distance || *lines != i32::from(i8::MIN));
            line = line.checked_add(lines.unwrap_or(0))?;
            end += bytes;
            if instruction < end {
                return if is_distance { Some(before) } else { lines.map(|_| line) };
            }
        }
        is_distance.then_some(line)
    }

    fn next(&mut self) -> Option<u8> {
        let byte = if self.at < self.end { self.memory.read(self.at, 0) } else { None };
        self.at += 1;
        byte
    }

    /// Reads an entry behind its first byte, and returns how far its line is from the one before: the inner `None` is
    /// for code without a line.
    fn rest_of_location(&mut self, head: u8) -> Option<Option<i32>> {
        let distance = match head >> 3 & 15 {
            15 => None,
            13 | 14 => Some(self.signed_number()?),
            kind @ 10..13 => Some(i32::from(kind) - 10),
            _ => Some(0),
        };
        // Only the first byte of an entry has the upper bit.
        while self.at < self.end && self.memory.read::<u8>(self.at, 0)? < 128 {
            self.at += 1;
        }
        Some(distance)
    }

    /// A number in groups of six bits, the lower ones first. Its lowest bit is the sign.
    fn signed_number(&mut self) -> Option<i32> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.next()?;
            number |= i32::from(byte & 63).checked_shl(shift)?;
            shift += 6;
            if byte & 64 == 0 {
                return Some(if number & 1 == 0 { number >> 1 } else { -(number >> 1) });
            }
        }
    }
}

/// The fields of an object, of a string and of bytes that are where they were in all these releases.
const TYPE: usize = 8;
const LENGTH: usize = 16;
const STRING_STATE: usize = 32;
const BYTES_HEADER: usize = 32;

/// The memory of this process. It keeps the numbers of some pages that can be read.
struct ReadableMemory([usize; 64]);

impl ReadableMemory {
    const NONE: Self = Self([usize::MAX; 64]);
    /// The smallest that a system has.
    const PAGE: usize = 4096;

    /// Reads a number at a distance from an address.
    fn read<T: Copy>(&mut self, from: usize, distance: usize) -> Option<T> {
        let at = from.checked_add(distance)?;
        for page in [at, at.checked_add(size_of::<T>() - 1)?].map(|at| at / Self::PAGE) {
            let known = &mut self.0[page % 64];
            if *known != page && !is_readable(page * Self::PAGE) {
                return None;
            }
            *known = page;
        }
        // SAFETY: the kernel has read from these pages, and each value of the bytes is a number.
        Some(unsafe { (at as *const T).read_unaligned() })
    }

    /// Reads a pointer to an object of a type.
    fn read_object(&mut self, from: usize, distance: usize, of_type: usize) -> Option<usize> {
        let object: usize = self.read(from, distance)?;
        (self.read::<usize>(object, TYPE)? == of_type).then_some(object)
    }

    /// Adds a string to a name, as far as there is room.
    fn read_string(
        &mut self,
        string: usize,
        [ascii, other]: [usize; 2],
        name: &mut FunctionName,
        most: u64,
    ) -> Option<()> {
        const COMPACT: u32 = 1 << 5;
        const ASCII: u32 = 1 << 6;
        let (length, state): (usize, u32) = (self.read(string, LENGTH)?, self.read(string, STRING_STATE)?);
        if state & COMPACT == 0 {
            return None;
        }
        let (begin, size) = (string + if state & ASCII != 0 { ascii } else { other }, state >> 2 & 7);
        for at in 0..length {
            let number = match size {
                1 => self.read::<u8>(begin, at)?.into(),
                2 => self.read::<u16>(begin, at.checked_mul(2)?)?.into(),
                _ => self.read::<u32>(begin, at.checked_mul(4)?)?,
            };
            let character = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
            if name.position() + character.len_utf8() as u64 >= most {
                break;
            }
            name.write_all(character.encode_utf8(&mut [0; 4]).as_bytes()).ok()?;
        }
        Some(())
    }
}

/// Asks the kernel to read a signal mask at an address, for an operation that does not exist. It reads nothing at null.
fn is_readable(at: usize) -> bool {
    const NO_OPERATION: c_long = -1;
    // SAFETY: the call changes nothing. The C library returns a place of this thread.
    unsafe {
        let none = std::ptr::null_mut::<libc::sigset_t>();
        let code = libc::syscall(libc::SYS_rt_sigprocmask, NO_OPERATION, at, none, size_of::<u64>());
        code != 0 && *libc::__errno_location() == libc::EINVAL
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri does not run this system call")]
fn memory_that_cannot_be_read_is_not_read() {
    let (size, kind) = (2 * ReadableMemory::PAGE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: new pages, of which the second one cannot be read from here on.
    let page = unsafe {
        let page = libc::mmap(std::ptr::null_mut(), size, libc::PROT_READ, kind, -1, 0);
        assert_eq!(
            libc::mprotect(page.byte_add(ReadableMemory::PAGE), ReadableMemory::PAGE, libc::PROT_NONE),
            0
        );
        page.addr()
    };
    let mut memory = ReadableMemory::NONE;
    for (from, distance, value) in [
        (page, 4088, Some(0)),
        (page, 4089, None),
        (page, 4096, None),
        (0, 0, None),
        (0, 8, None),
        (usize::MAX, 1, None),
    ] {
        assert_eq!(memory.read::<u64>(from, distance), value, "{from:#x} {distance}");
    }
}
