//! Loads PTX with random changes and runs the accepted kernels. Neither `load_ptx` nor a run may panic. An accepted
//! module must load in less than 5 seconds. The kernels of at most 1 % of the texts may run for more than 10 seconds.
//! The process must always have less than `MEMORY_LIMIT` bytes allocated.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::instruction_forms::{self, splitmix64};
use crate::interpreter_runner::TestMemory;
use crate::ptx_runner;
use cuda_external_ptx::{Kernel, Module};

/// Counts the bytes that the process has allocated now, and the most at one time.
struct PeakMemoryAllocator;

static ALLOCATED_NOW: AtomicUsize = AtomicUsize::new(0);
static ALLOCATED_MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: `System` allocates and frees. The code here only counts the bytes.
unsafe impl GlobalAlloc for PeakMemoryAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED_MOST.fetch_max(ALLOCATED_NOW.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: the caller of `alloc` guarantees that the size in `layout` is not zero.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        ALLOCATED_NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller of `dealloc` guarantees that `alloc` returned `memory` for this layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: PeakMemoryAllocator = PeakMemoryAllocator;

/// The limit for the process's memory. A module's variables have at most 1 GiB, and all other memory is much less.
const MEMORY_LIMIT: usize = (1 << 30) + (256 << 20);

/// Runs a kernel with two blocks. A block has the size that the kernel requires, or 64 threads if the kernel requires
/// no size. Does nothing if a block would have no thread, or more threads than the kernel or a GPU allows.
fn run_on_two_blocks(kernel: &Kernel) {
    let block = kernel.required_block.unwrap_or([64, 1, 1]);
    let threads = block.iter().fold(1_u64, |product, size| product.saturating_mul((*size).into()));
    if !(1..=u64::from(kernel.max_threads.unwrap_or(1024).min(1024))).contains(&threads) {
        return;
    }
    let buffer = vec![0_u64; 8192].leak();
    let address = buffer.as_mut_ptr().expose_provenance() as u64;
    let memory = TestMemory::from_range(address..address + 65536);
    _ = memory.run_kernel(kernel, 2, block, &vec![address; kernel.parameters.len()], 1);
}

const MUTATION_LETTERS: &[u8] = b" .,;:%{}[]<>@!|-+_0179afsux\n\"/*";

/// Returns a text with one or two changes: bytes or words that are replaced, removed, repeated or inserted.
fn mutate_text(text: &str, words: &[&str], seed: u64) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for change in 0..1 + splitmix64(seed) % 2 {
        let choice = splitmix64(seed << 8 | change);
        let at = (choice >> 8) as usize % bytes.len();
        let end = (at + 1 + (choice >> 40) as usize % 24).min(bytes.len());
        let word = words[(choice >> 24) as usize % words.len()].bytes();
        match choice % 6 {
            0 => bytes[at] = MUTATION_LETTERS[(choice >> 50) as usize % MUTATION_LETTERS.len()],
            1 => drop(bytes.drain(at..end)),
            2 => drop(bytes.splice(at..at, bytes[at..end].to_vec())),
            3 => drop(bytes.splice(at..end, word)),
            4 => drop(bytes.splice(at..at, word)),
            // Replaces the next digit by another number.
            _ => {
                let Some(digit) = bytes[at..].iter().position(u8::is_ascii_digit) else { continue };
                let number = ["0", "-1", "4294967295", "18446744073709551616", "0x8000000000000000", "1e999"];
                let number = number[(choice >> 50) as usize % number.len()].bytes();
                drop(bytes.splice(at + digit..=at + digit, number));
            }
        }
        if bytes.is_empty() {
            bytes.push(b'.');
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn changed_texts_are_refused_or_run() {
    let count: u64 = std::env::var("PTX_HOSTILE").map_or(400, |count| count.parse().expect("a number"));
    let first: u64 = std::env::var("PTX_HOSTILE_SEED").map_or(0, |seed| seed.parse().expect("a number"));
    let rows = instruction_forms::parse_form_rows(ptx_runner::FORM_TABLE);
    let table = Vec::from_iter(rows.into_iter().flat_map(|(_, forms)| forms));
    let faults = Vec::from_iter(ptx_runner::fault_cases().map(|(_, text)| text));
    let (mut accepted, mut ran, mut endless, mut panics) = (0, 0_u64, Vec::new(), Vec::new());
    for seed in first..first + count {
        let choice = splitmix64(seed);
        let text = match choice % 2 {
            0 => faults[(choice >> 8) as usize % faults.len()].clone(),
            _ => table[(choice >> 8) as usize % table.len()].module_text(),
        };
        let words = Vec::from_iter(text.split_inclusive(|letter: char| " ,;.[{".contains(letter)));
        let text = mutate_text(&text, &words, seed);
        let start = Instant::now();
        let Ok(loaded) = std::panic::catch_unwind(|| Module::load_ptx(&text)) else {
            panics.push(seed);
            continue;
        };
        let Ok(module) = loaded else { continue };
        assert!(start.elapsed() < Duration::from_secs(5), "seed {seed}: loaded in {:?}", start.elapsed());
        // A changed kernel may run endlessly, so another thread runs it, until the process ends.
        let (done, end) = mpsc::channel();
        std::thread::spawn(move || {
            let mut ran = 0;
            for kernel in module.kernels().filter_map(|name| module.kernel(name)?.ok()) {
                run_on_two_blocks(kernel);
                ran += 1;
            }
            _ = done.send(ran);
        });
        accepted += 1;
        match end.recv_timeout(Duration::from_secs(10)) {
            Ok(kernels) => ran += kernels,
            Err(mpsc::RecvTimeoutError::Timeout) => endless.push(seed),
            Err(mpsc::RecvTimeoutError::Disconnected) => panics.push(seed),
        }
    }
    let most = ALLOCATED_MOST.load(Relaxed);
    println!("{count} texts, {accepted} accepted, {ran} kernels ran, {most} bytes, endless: {endless:?}");
    assert!(panics.is_empty(), "these seeds panic: {panics:?}");
    assert!(most < MEMORY_LIMIT, "{most} bytes");
    assert!(ran * 40 > count, "{ran} kernels ran");
    assert!(endless.len() as u64 * 100 <= count, "{endless:?}");
}

/// 400 kernels call one function of 5,000 instructions. Loading takes seconds if `load_ptx` lowers the function for
/// each kernel.
#[test]
fn a_function_that_many_kernels_call_is_lowered_once() {
    let mut text = format!(
        ".version 8.0\n.target sm_75\n.func long() {{ .reg .u32 %x; {} ret; }}\n",
        "add.u32 %x, %x, 1;\n".repeat(5000)
    );
    for number in 0..400 {
        text += &format!(".entry k{number}() {{ call long; ret; }}\n");
    }
    let start = Instant::now();
    let module = Module::load_ptx(&text).expect("a module");
    assert!(start.elapsed() < Duration::from_secs(2), "loaded in {:?}", start.elapsed());
    run_on_two_blocks(module.kernel("k399").expect("a kernel").expect("it runs"));
}
