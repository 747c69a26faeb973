//! Asks the CUDA driver of this machine what the interpreter's tests ask. Build it, and copy it to a machine with a GPU:
//!
//!     cargo build --release --package cuda-external-ptx --example on_driver
//!
//! on_driver                  prints all answers, as in tests/judges/h200.txt
//! on_driver modules FILE...  prints the answers of files that NVRTC made
//! on_driver results FILE     writes the results of each form: a line with its name and the number of bytes, then the bytes

#[path = "../tests/judges/forms.rs"]
mod forms;
#[path = "../tests/judges/questions.rs"]
mod questions;
#[path = "../tests/judges/random.rs"]
mod random;

use std::ffi::{CString, c_int, c_uint, c_void};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use forms::Form;
use libloading::Library;
use questions::{Loaded, Machine};

type Pointer = *mut c_void;

struct Driver {
    library: Library,
    /// The level of optimization: from 0 to 4, which is a driver's default.
    level: usize,
    buffers: [u64; 3],
}

/// The sizes of the buffers: enough for the form with the most operands.
const SIZES: [usize; 3] = [forms::OPERANDS << 16, forms::RESULTS << 16, forms::PLACE << 16];

/// Calls a function of the driver and returns its code.
macro_rules! call {
    ($driver:expr, $name:ident($($argument:expr => $type:ty),*)) => {{
        // SAFETY: the types are those of cuda.h, and the arguments are valid for it.
        unsafe {
            let function = $driver.library.get::<unsafe extern "C" fn($($type),*) -> c_uint>(stringify!($name).as_bytes());
            match function.expect("a function of the driver")($($argument),*) {
                0 => Ok(()),
                code => Err(code),
            }
        }
    }};
}

impl Driver {
    fn open(level: usize) -> Self {
        // SAFETY: the library is a driver, whose constructors may run.
        let library = unsafe { Library::new("libcuda.so.1") }.expect("a CUDA driver");
        let mut driver = Self { library, level, buffers: [0; 3] };
        let mut context: Pointer = std::ptr::null_mut();
        call!(driver, cuInit(0 => c_uint)).expect("cuInit");
        call!(driver, cuDevicePrimaryCtxRetain(&mut context => *mut Pointer, 0 => c_int)).expect("a context");
        call!(driver, cuCtxSetCurrent(context => Pointer)).expect("a context");
        for (index, size) in SIZES.into_iter().enumerate() {
            call!(driver, cuMemAlloc_v2(&mut driver.buffers[index] => *mut u64, size => usize))
                .expect("memory");
        }
        driver
    }

    fn copy_in(&self, index: usize, bytes: &[u8]) -> Result<(), c_uint> {
        call!(self, cuMemcpyHtoD_v2(self.buffers[index] => u64, bytes.as_ptr().cast() => *const c_void, bytes.len() => usize))
    }

    fn copy_out(&self, index: usize, size: usize) -> Result<Vec<u8>, c_uint> {
        let mut bytes = vec![0_u8; size];
        call!(self, cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast() => Pointer, self.buffers[index] => u64, size => usize))?;
        Ok(bytes)
    }
}

impl Machine for Driver {
    fn load<'a>(&'a self, text: &[u8]) -> Result<Box<dyn Loaded + 'a>, u32> {
        let (text, mut module) = (CString::new(text).expect("no zero"), std::ptr::null_mut());
        // CU_JIT_OPTIMIZATION_LEVEL
        let (mut options, mut values) = ([7_u32], [self.level as Pointer]);
        call!(self, cuModuleLoadDataEx(&mut module => *mut Pointer, text.as_ptr().cast() => *const c_void, 1 => c_uint,
            options.as_mut_ptr() => *mut u32, values.as_mut_ptr() => *mut Pointer))?;
        Ok(Box::new(Image { driver: self, module }))
    }
}

struct Image<'a> {
    driver: &'a Driver,
    module: Pointer,
}

impl Drop for Image<'_> {
    fn drop(&mut self) {
        _ = call!(self.driver, cuModuleUnload(self.module => Pointer));
    }
}

impl Loaded for Image<'_> {
    fn run(&self, name: &str, input: &[u64], shared: u32) -> Result<(Vec<u8>, Vec<u8>), u32> {
        let (driver, threads, mut function) = (self.driver, input.len() / 4, std::ptr::null_mut());
        let name = CString::new(name).expect("no zero");
        call!(driver, cuModuleGetFunction(&mut function => *mut Pointer, self.module => Pointer, name.as_ptr() => *const std::ffi::c_char))?;
        driver.copy_in(0, &input.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>())?;
        driver.copy_in(1, &vec![0; threads * forms::RESULTS])?;
        driver.copy_in(2, &vec![0; threads * forms::PLACE])?;
        let mut arguments =
            driver.buffers.each_ref().map(|buffer| std::ptr::from_ref(buffer).cast_mut().cast::<c_void>());
        let block = forms::BLOCK as c_uint;
        call!(driver, cuLaunchKernel(function => Pointer, threads as c_uint / block => c_uint, 1 => c_uint, 1 => c_uint, block => c_uint,
            1 => c_uint, 1 => c_uint, shared => c_uint, std::ptr::null_mut() => Pointer, arguments.as_mut_ptr() => *mut Pointer,
            std::ptr::null_mut() => *mut Pointer))?;
        call!(driver, cuCtxSynchronize())?;
        Ok((driver.copy_out(1, threads * forms::RESULTS)?, driver.copy_out(2, 256)?))
    }
}

/// A case in a process of its own, since a fault ends a context, for at most ten seconds.
fn process(kind: &str, name: &str) {
    let program = std::env::current_exe().expect("this program");
    let mut child =
        Command::new(program).args([kind, name]).stderr(Stdio::null()).spawn().expect("a process");
    let end = Instant::now() + Duration::from_secs(10);
    while child.try_wait().expect("a child").is_none() {
        if Instant::now() > end {
            child.kill().expect("a child");
            println!("{kind} {name} hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn all() {
    let driver = Driver::open(4);
    let mut version = 0;
    call!(driver, cuDriverGetVersion(&mut version => *mut c_int)).expect("a version");
    println!("# A driver for CUDA {}.{}.", version / 1000, version % 1000 / 10);
    let mut ran = std::collections::HashSet::new();
    let lines = questions::forms(&driver, &mut |form, results| {
        if !results.is_empty() {
            ran.insert(form.name.clone());
        }
    });
    lines.iter().for_each(|line| println!("{line}"));
    let known = |form: &Form| ran.contains(&form.name);
    questions::random(&Driver::open(0), 0..256, &known).iter().for_each(|line| println!("{line}"));
    let faults = questions::faults().map(|(name, _)| ("fault", name));
    let cases = Vec::from_iter(faults.chain(questions::texts().map(|(name, _)| ("text", name))));
    std::thread::scope(|scope| {
        for part in cases.chunks(cases.len().div_ceil(8)) {
            scope.spawn(move || part.iter().for_each(|(kind, name)| process(kind, name)));
        }
    });
}

fn main() {
    let arguments = Vec::from_iter(std::env::args().skip(1));
    match Vec::from_iter(arguments.iter().map(String::as_str)).as_slice() {
        [] => all(),
        ["fault", name] => {
            let (_, text) = questions::faults().find(|(case, _)| case == name).expect("a case");
            println!("fault {name} {}", questions::fault(&Driver::open(4), &text));
        }
        ["text", name] => {
            let (_, text) = questions::texts().find(|(case, _)| case == name).expect("a case");
            println!("text {name} {}", Driver::open(4).load(&text).err().unwrap_or(0));
        }
        ["results", path] => {
            let mut file = std::io::BufWriter::new(std::fs::File::create(path).expect("a file"));
            questions::forms(&Driver::open(4), &mut |form, results| {
                writeln!(file, "{} {}", form.name, results.len())
                    .and_then(|()| file.write_all(results))
                    .expect("a file");
            });
        }
        ["modules", paths @ ..] => {
            let driver = Driver::open(4);
            for path in paths {
                let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".ptx");
                println!(
                    "{}",
                    questions::module(&driver, name, &std::fs::read_to_string(path).expect("a file"))
                );
            }
        }
        _ => eprintln!("usage: on_driver [modules FILE... | results FILE]"),
    }
}
