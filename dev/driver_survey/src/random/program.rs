//! A random program: it makes calls of the table with what it has created.

use std::collections::BTreeMap;
use std::ffi::{CString, c_void};
use std::fmt::Write as _;
use std::mem::{ManuallyDrop, transmute};
use std::os::fd::{IntoRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::ptr::{null_mut, with_exposed_provenance_mut as pointer};
use std::str::SplitWhitespace;

use cuda_external_sys::*;
use example_support::Result;
use example_support::vulkan::Semaphore;

use super::table::CALLS;
use crate::case::{answer, begin};
use crate::gpu::{cuda, vulkan};
use crate::groups::shared::{Exported, idle};

/// Who chooses between what is right and what is wrong.
struct Choices {
    /// The state of SplitMix64, which begins with the program's number.
    state: u64,
    /// The choices of a call that are wrong, where that is not random.
    wrong: Option<[usize; 2]>,
    /// How many choices the call has had.
    made: usize,
}

impl Choices {
    fn below(&mut self, end: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((word ^ word >> 31) % end as u64) as usize
    }

    /// Returns 0 for what is right, and another choice in one of `rarity` cases, or never for 0.
    fn choose(&mut self, count: usize, rarity: usize) -> usize {
        self.made += 1;
        let is_wrong = match self.wrong {
            Some(wrong) => wrong.contains(&self.made),
            None => rarity > 0 && self.below(rarity) == 0,
        };
        if is_wrong && count > 1 { 1 + self.below(count - 1) } else { 0 }
    }

    /// Chooses one of the table's numbers: `right/rarity|wrong|wrong`.
    fn number(&mut self, text: &str) -> u64 {
        let (first, others) = text.split_once('|').unwrap_or((text, ""));
        let (right, rarity) = first.split_once('/').unwrap_or((first, "0"));
        let others = others.split('|').filter(|text| !text.is_empty());
        let all = Vec::from_iter(std::iter::once(right).chain(others));
        parsed(all[self.choose(all.len(), parsed(rarity) as usize)])
    }
}

fn parsed(text: &str) -> u64 {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().map(|number: i64| number as u64).ok(),
    };
    number.unwrap_or_else(|| panic!("{text} in the table"))
}

/// A created object: whether it is alive, and the objects that it was made of.
struct Object {
    handle: u64,
    lives: bool,
    made_of: Vec<u64>,
}

/// A semaphore of Vulkan: the value of the last signal that was enqueued.
struct Shared {
    semaphore: ManuallyDrop<Semaphore<'static>>,
    value: u64,
}

/// The surroundings of a call: nothing special, no context, or a capture of its stream or of a new one.
const AROUND: [&str; 3] = ["", "no context: ", "captured: "];

/// A call of the program, with its text, its results and its effects.
#[derive(Default)]
struct Call {
    text: String,
    created: Option<(&'static str, *mut u64)>,
    /// Places of results, and how many bytes of them are printed.
    printed: Vec<(*mut u64, usize)>,
    used: Vec<u64>,
    ended: Option<(&'static str, usize)>,
    stream: Option<CUstream>,
    is_awaited: bool,
    fd: Option<i32>,
    next: Option<usize>,
}

pub struct Program<'m> {
    choices: Choices,
    pools: BTreeMap<&'static str, Vec<Object>>,
    memory: &'m [&'static Exported],
    /// A binary semaphore and a timeline.
    shared: [Shared; 2],
}

/// The arguments of the table's functions: numbers, which C passes in registers or as words.
type Function = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64) -> CUresult;

/// Parts of objects end with them.
const PARTS: [&str; 3] = ["array", "node", "signal"];

/// The table's rows, without their weights: the function and its arguments.
fn rows() -> impl Iterator<Item = (usize, &'static str)> {
    let row =
        |line: &'static str| line.split_once(' ').map(|(weight, row)| (weight.parse().unwrap_or(0), row));
    CALLS.lines().filter_map(row)
}

/// Returns the pools that a row names with one of these marks.
fn pools(row: &'static str, marks: &'static [char]) -> impl Iterator<Item = &'static str> {
    let of_field = |word: &'static str| word.split_once(':').filter(|(place, _)| place.contains('.'));
    let words = row.split(' ').map(move |word| of_field(word).map_or(word, |(_, word)| word));
    words.filter_map(move |word| word.strip_prefix(marks)?.split(':').next())
}

unsafe extern "C" fn nothing(_argument: *mut c_void) {}

/// Returns a place for a struct or a result, which nobody frees: some calls keep its address.
fn place() -> *mut u64 {
    Box::leak(Box::new([0_u64; 64])).as_mut_ptr()
}

impl<'m> Program<'m> {
    pub fn new(memory: &'m [&'static Exported], number: u64) -> Result<Self> {
        let vulkan = vulkan(0)?;
        let semaphores = [Semaphore::binary(vulkan)?, Semaphore::timeline(vulkan, 0)?];
        let shared = semaphores.map(|semaphore| Shared { semaphore: ManuallyDrop::new(semaphore), value: 0 });
        let mut context: CUcontext = null_mut();
        unsafe { cuCtxGetCurrent(&mut context) }.result()?;
        let context = Object { handle: context.addr() as u64, lives: true, made_of: Vec::new() };
        let choices = Choices { state: number, wrong: None, made: 0 };
        Ok(Self { choices, pools: BTreeMap::from([("context", vec![context])]), memory, shared })
    }

    /// Whether a pool has an object that lives.
    fn has(&self, pool: &str) -> bool {
        self.pools.get(pool).is_some_and(|objects| objects.iter().any(|object| object.lives))
    }

    /// Picks one of a pool that lives; rarely null, or one that has ended. `None` where there is none.
    fn pick(&mut self, pool: &str) -> Option<Option<usize>> {
        let choice = self.choices.choose(4, 40);
        if choice == 1 {
            return Some(None);
        }
        let objects = self.pools.get(pool)?;
        let is_meant = |index: &usize| objects[*index].lives == (choice == 0);
        let found = Vec::from_iter((0..objects.len()).filter(is_meant));
        (!found.is_empty()).then(|| Some(found[self.choices.below(found.len())]))
    }

    fn descriptor(&self, which: usize) -> Option<i32> {
        let fd: OwnedFd = match which {
            0..=2 => self.memory.get(which)?.fd().ok()?,
            3 | 4 => self.shared[which - 3].semaphore.export().ok()?,
            5 => std::fs::File::open("/dev/null").ok()?.into(),
            6 => UnixStream::pair().ok()?.0.into(),
            _ => return Some(-1),
        };
        Some(fd.into_raw_fd())
    }

    /// Returns an argument. `None` where what it needs was not created yet.
    fn word(
        &mut self,
        word: &'static str,
        rest: &mut SplitWhitespace<'static>,
        call: &mut Call,
    ) -> Option<u64> {
        let (kind, name) = word.split_at(1);
        let is_null = "+{?_%!".contains(kind) && self.choices.choose(2, 200) == 1;
        if is_null {
            call.text += " null";
        }
        let value = match kind {
            "+" => {
                call.created = Some((name, place()));
                call.created?.1.expose_provenance() as u64
            }
            "?" | "_" => {
                call.printed.push((place(), name.parse().unwrap_or(0)));
                call.printed.last()?.0.expose_provenance() as u64
            }
            "@" | "-" | "~" => {
                let (pool, added) = name.split_once(':').unwrap_or((name, "0"));
                let index = self.pick(pool)?;
                let added = self.choices.number(added);
                let (handle, lives) = index.map_or((0, false), |index| {
                    let object = &self.pools[pool][index];
                    (object.handle, object.lives)
                });
                let index_text = index.map_or("null".to_owned(), |index| index.to_string());
                write!(call.text, " {pool} {index_text}").ok()?;
                if added != 0 {
                    write!(call.text, " + {added}").ok()?;
                }
                if kind == "-" {
                    call.ended = index.map(|index| (pool, index));
                }
                if pool == "stream" && lives {
                    (call.stream, call.is_awaited) = (Some(pointer(handle as usize)), kind == "~");
                }
                call.used.push(handle);
                handle.wrapping_add(added)
            }
            "{" => {
                let place = place();
                call.text += " {";
                while let Some((field, value)) = rest.next()?.split_once(':') {
                    let (offset, bytes) = field.split_once('.')?;
                    let value = self.word(value, rest, call)?.to_le_bytes();
                    let to = place.cast::<u8>().wrapping_add(offset.parse().ok()?);
                    // SAFETY: no struct of the table is larger than its place.
                    unsafe { to.copy_from(value.as_ptr(), bytes.parse().ok()?) };
                }
                call.text += " }";
                place.expose_provenance() as u64
            }
            "%" => Box::leak(Box::new([0_u64; 8192])).as_mut_ptr().expose_provenance() as u64,
            "!" => nothing as *const c_void as u64,
            "^" => {
                let (which, is_signal) = (usize::from(name.starts_with('1')), name.ends_with('s'));
                let value = self.shared[which].value;
                // A binary semaphore is signaled and waited for in turns.
                if which == 0 && (value % 2 == 0) != is_signal {
                    return None;
                }
                call.next = (is_signal || which == 0).then_some(which);
                write!(call.text, " value {}", value + u64::from(is_signal)).ok()?;
                value + u64::from(is_signal)
            }
            _ => {
                let (name, values) = word.split_once(['=', '#'])?;
                let number = self.choices.number(values);
                write!(call.text, " {name} {}", number as i64).ok()?;
                if !word.contains('#') {
                    return Some(number);
                }
                call.fd = Some(self.descriptor(number as usize)?);
                call.fd? as u64
            }
        };
        Some(if is_null { 0 } else { value })
    }

    /// Makes a call. Returns its code, or `None` where it cannot be made.
    fn call(&mut self, row: &'static str, is_told: bool) -> Option<CUresult> {
        self.choices.made = 0;
        let around = self.choices.choose(AROUND.len(), 25);
        let mut words = row.split_whitespace();
        let name = words.next()?;
        let mut call = Call { text: name.to_owned(), ..Default::default() };
        let mut arguments = Vec::new();
        while let Some(word) = words.next() {
            arguments.push(self.word(word, &mut words, &mut call)?);
        }
        let [a, b, c, d, e, f, g, h] =
            std::array::from_fn(|index| arguments.get(index).copied().unwrap_or(0));
        let function = load().ok()?.exact_symbol(&CString::new(name).ok()?)?;
        // SAFETY: the table has the function's parameters. Which of them are invalid is what is measured.
        let function: Function = unsafe { transmute(function.as_ptr()) };
        let captured = if around == 2 { Some(begin_capture(call.stream)?) } else { None };
        if around == 1 {
            unsafe { cuCtxSetCurrent(null_mut()) }.result().ok()?;
        }
        if is_told {
            begin(&format!("{}{}", AROUND[around], call.text)).ok()?;
        }
        let code = unsafe { function(a, b, c, d, e, f, g, h) };
        let text = self.after(&call, code, around, captured);
        if is_told {
            answer(text);
        }
        Some(code)
    }

    /// Notes what a call has done. Returns its answer.
    fn after(&mut self, call: &Call, code: CUresult, around: usize, captured: Option<CUstream>) -> String {
        let mut text = code.0.to_string();
        if code == CUDA_SUCCESS {
            if let Some((pool, place)) = call.created {
                // SAFETY: this is the call's own place.
                let object = Object { handle: unsafe { *place }, lives: true, made_of: call.used.clone() };
                self.pools.entry(pool).or_default().push(object);
            }
            if let Some((pool, index)) = call.ended {
                let handle = self.pools[pool][index].handle;
                for (of, objects) in &mut self.pools {
                    for (at, object) in objects.iter_mut().enumerate() {
                        let is_part = PARTS.contains(of) && object.made_of.contains(&handle);
                        object.lives &= !(is_part || (*of, at) == (pool, index));
                    }
                }
            }
            for (place, bytes) in &call.printed {
                for start in (0..*bytes).step_by(8) {
                    // SAFETY: this is the call's own place.
                    let word = unsafe { *place.add(start / 8) };
                    // Only the bytes of the result count.
                    let mask = u64::MAX >> (64 - 8 * (bytes - start).min(8));
                    text += &format!(" {:x}", word & mask);
                }
            }
        }
        let _ = cuda(0);
        if let Some(stream) = captured {
            text += &format!(", then {}", unsafe { cuStreamEndCapture(stream, &mut null_mut()) }.0);
        }
        let waited = call.stream.filter(|stream| call.is_awaited && around < 2 && !is_capturing(*stream));
        let end = waited.map(idle).filter(|_| around == 0);
        text += &end.map(|code| format!(" idle {}", code.0)).unwrap_or_default();
        let is_enqueued = code == CUDA_SUCCESS && waited.is_some();
        if let Some(which) = call.next.filter(|_| is_enqueued) {
            self.shared[which].value += 1;
        }
        if let Some(fd) = call.fd.filter(|fd| *fd != -1) {
            // SAFETY: closes what is left of this call's descriptor.
            let is_open = unsafe { libc::fcntl(fd, libc::F_GETFD) != -1 && libc::close(fd) == 0 };
            text += if is_open { ", open" } else { ", closed" };
        }
        text
    }

    /// Makes random calls, or several of one row with up to two wrong choices.
    pub fn run(&mut self, row: Option<usize>) {
        let of_one = row.and_then(|number| rows().map(|(_, row)| row).nth(number % rows().count()));
        let weights = rows().map(|(weight, _)| weight).sum();
        let length = if of_one.is_some() { 6 } else { 20 + self.choices.below(26) };
        let (mut made, mut tried) = (0, 0);
        while made < length && tried < 1000 {
            tried += 1;
            let row = of_one.unwrap_or_else(|| {
                let mut at = self.choices.below(weights);
                let mut is_this = |weight: usize| at.checked_sub(weight).map(|rest| at = rest).is_none();
                rows().find(|(weight, _)| is_this(*weight)).expect("the weights are counted").1
            });
            self.choices.wrong = None;
            if of_one.is_some() {
                self.prepare(row);
                let most = row.split(' ').count() + 3;
                self.choices.wrong = Some([self.choices.below(most), self.choices.below(most)]);
            }
            made += usize::from(self.call(row, true).is_some());
        }
    }

    /// Creates what a row needs.
    fn prepare(&mut self, row: &'static str) {
        for pool in pools(row, &['@', '-', '~']) {
            let mut all = rows().map(|(_, row)| row);
            let create = all.find(|row| pools(row, &['+']).next() == Some(pool) && !self.has(pool));
            if let Some(create) = create {
                self.prepare(create);
                self.call_right(create);
            }
        }
    }

    /// Makes a call without wrong choices, and without a word.
    fn call_right(&mut self, row: &'static str) -> Option<CUresult> {
        self.choices.wrong = Some([0; 2]);
        self.call(row, false)
    }

    /// Ends what lives, in the table's order. Returns whether the context works.
    pub fn clean(&mut self) -> bool {
        for stream in self.pools.get("stream").into_iter().flatten().filter(|stream| stream.lives) {
            let _ = unsafe { cuStreamEndCapture(pointer(stream.handle as usize), &mut null_mut()) };
        }
        for (_, row) in rows() {
            if let Some(pool) = pools(row, &['-']).next() {
                while self.has(pool) && self.call_right(row) == Some(CUDA_SUCCESS) {}
            }
        }
        unsafe { cuCtxSynchronize() == CUDA_SUCCESS }
    }
}

/// Begins a capture of this stream, or of a new one.
fn begin_capture(stream: Option<CUstream>) -> Option<CUstream> {
    let mut captured = stream.unwrap_or(null_mut());
    unsafe {
        if stream.is_none() {
            cuStreamCreate(&mut captured, 1).result().ok()?;
        }
        cuStreamBeginCapture_v2(captured, CU_STREAM_CAPTURE_MODE_GLOBAL).result().ok()?;
    }
    Some(captured)
}

fn is_capturing(stream: CUstream) -> bool {
    let mut status = CU_STREAM_CAPTURE_STATUS_NONE;
    let code = unsafe { cuStreamIsCapturing(stream, &mut status) };
    code != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_NONE
}
