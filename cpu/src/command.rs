//! The program's arguments, the directory with the library, and the variables that lead to it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const HELP: &str = "\
Starts a program with a CUDA driver in software: tests without a GPU.

Usage: cuda-external-cpu [options] [--] program [arguments]
       cuda-external-cpu [options] --environment | --help | --version

  --devices N      the number of devices, 1 to 8 (default: 1)
  --kernels FILE   a library of kernels in C: void NAME(const unsigned grid[3], const unsigned block[3], void **arguments)
  --fault FAULT    FUNCTION[:CALL]=CODE, =delay:MILLISECONDS or =lost: cuMemAlloc:3=CUDA_ERROR_OUT_OF_MEMORY is the third call,
                   cuStreamSynchronize=delay:50 every one. May be given several times
  --environment    prints the variables as NAME=VALUE lines and starts nothing
  --help           this text
  --version        the version

The program finds the driver as libcuda.so.1, and a Vulkan layer for Mesa's lavapipe. It replaces this process: signals and the
exit status are its own. Exits with 2 where an argument is wrong, and with 127 where the program cannot be started.";

static LIBRARY: &[u8] = include_bytes!(env!("CUDA_EXTERNAL_CPU_LIBRARY"));
const LAYER: &str = include_str!("vulkan/layer.json");
const LAYER_NAME: &str = "VK_LAYER_CUDA_EXTERNAL_cpu";

/// Where Vulkan's loader looks for layers unless `VK_LAYER_PATH` says otherwise. With it, it looks nowhere else.
const LAYER_DIRECTORIES: [&str; 4] = [
    "/usr/local/etc/vulkan/explicit_layer.d",
    "/usr/local/share/vulkan/explicit_layer.d",
    "/etc/vulkan/explicit_layer.d",
    "/usr/share/vulkan/explicit_layer.d",
];

#[derive(Default)]
struct Options {
    devices: Option<OsString>,
    kernels: Option<OsString>,
    faults: Vec<String>,
    program: Vec<OsString>,
    environment: bool,
}

pub fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err((code, message)) => {
            eprintln!("cuda-external-cpu: {message}");
            ExitCode::from(code)
        }
    }
}

/// Returns only where no program was asked for, or it could not be started.
fn run() -> Result<(), (u8, String)> {
    let Some(options) = parse(env::args_os().skip(1)).map_err(|message| (2, message))? else { return Ok(()) };
    let directory = directory().map_err(|error| (1, format!("no directory for the driver: {error}")))?;
    let variables = variables(&options, &directory);
    if options.environment {
        for (name, value) in variables {
            println!("{name}={}", value.to_string_lossy());
        }
        return Ok(());
    }
    let Some((program, arguments)) = options.program.split_first() else {
        return Err((2, format!("no program\n\n{HELP}")));
    };
    let error = Command::new(program).args(arguments).envs(variables).exec();
    Err((127, format!("{}: {error}", program.to_string_lossy())))
}

/// Returns `None` where everything was printed.
fn parse(mut arguments: impl Iterator<Item = OsString>) -> Result<Option<Options>, String> {
    let mut options = Options::default();
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy().into_owned();
        let (name, inline) = match text.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
            _ => (text.as_str(), None),
        };
        let mut value = || {
            inline
                .clone()
                .map(OsString::from)
                .or_else(|| arguments.next())
                .ok_or(format!("{name} needs a value"))
        };
        match name {
            "--help" | "-h" => println!("{HELP}"),
            "--version" => println!("cuda-external-cpu {}", env!("CARGO_PKG_VERSION")),
            "--devices" => {
                let count = value()?;
                if !matches!(count.as_encoded_bytes(), [b'1'..=b'8']) {
                    return Err(format!("--devices {}: not a number from 1 to 8", count.to_string_lossy()));
                }
                options.devices = Some(count);
                continue;
            }
            "--kernels" => {
                // The program may run in another directory.
                let path = value()?;
                let found = fs::canonicalize(&path);
                options.kernels =
                    Some(found.map_err(|error| format!("{}: {error}", path.to_string_lossy()))?.into());
                continue;
            }
            "--fault" => {
                let fault = value()?.to_string_lossy().into_owned();
                fault.parse::<cuda_external_cpu::Fault>().map_err(|error| error.to_string())?;
                options.faults.push(fault);
                continue;
            }
            "--environment" => {
                options.environment = true;
                continue;
            }
            "--" => {
                options.program.extend(arguments);
                return Ok(Some(options));
            }
            _ if text.starts_with('-') => return Err(format!("no such option: {text}")),
            _ => {
                options.program.push(argument);
                options.program.extend(arguments);
                return Ok(Some(options));
            }
        }
        return Ok(None);
    }
    Ok(Some(options))
}

/// Returns a directory of this user with the library and the layer's description. Every start of this version uses it.
fn directory() -> io::Result<PathBuf> {
    // SAFETY: only returns a number.
    let user = unsafe { libc::getuid() };
    let cache = env::var_os("XDG_CACHE_HOME").filter(|path| Path::new(path).is_absolute()).map(PathBuf::from);
    let cache = cache.or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".cache")));
    let places = cache.into_iter().map(|cache| cache.join("cuda-external-cpu"));
    let places = places.chain([env::temp_dir().join(format!("cuda-external-cpu-{user}"))]);
    let mut result = Err(io::Error::other("no place"));
    for place in places {
        result = fill(&place, user).map(|()| place);
        if result.is_ok() {
            break;
        }
    }
    result
}

/// Makes a directory what the variables need. A file is replaced in one step, since other programs may have it open.
fn fill(directory: &Path, user: u32) -> io::Result<()> {
    DirBuilder::new().mode(0o700).recursive(true).create(directory)?;
    let metadata = fs::symlink_metadata(directory)?;
    // A library that somebody else can write would run in the program.
    if !metadata.is_dir() || metadata.uid() != user || metadata.mode() & 0o022 != 0 {
        return Err(io::Error::other(format!("{}: others can write it", directory.display())));
    }
    write(directory, "libcuda.so.1", LIBRARY)?;
    write(directory, "layer.json", LAYER.as_bytes())?;
    match symlink("libcuda.so.1", directory.join("libcuda.so")) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn write(directory: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let path = directory.join(name);
    if fs::read(&path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let new = directory.join(format!("{name}.{}", std::process::id()));
    fs::write(&new, bytes)?;
    fs::rename(&new, &path)
}

/// Returns the variables that the program gets.
fn variables(options: &Options, directory: &Path) -> Vec<(&'static str, OsString)> {
    let with = |name: &str, default: &[&str]| {
        let before = env::var_os(name).filter(|value| !value.is_empty());
        (before, default.iter().map(PathBuf::from).collect::<Vec<_>>())
    };
    let path = |parts: Vec<PathBuf>| env::join_paths(parts).unwrap_or_else(|_| directory.into());
    let own = vec![directory.to_owned()];
    let (libraries, _) = with("LD_LIBRARY_PATH", &[]);
    let libraries = own.iter().cloned().chain(libraries.iter().flat_map(env::split_paths)).collect();
    let (layers, default) = with("VK_LAYER_PATH", &LAYER_DIRECTORIES);
    let layers = layers.map_or(default, |layers| env::split_paths(&layers).collect());
    let (enabled, _) = with("VK_INSTANCE_LAYERS", &[]);
    let mut enabled = enabled.map_or(Vec::new(), |enabled| env::split_paths(&enabled).collect());
    if !enabled.iter().any(|layer| layer.as_os_str() == OsStr::new(LAYER_NAME)) {
        enabled.push(LAYER_NAME.into());
    }
    let mut variables = vec![
        ("LD_LIBRARY_PATH", path(libraries)),
        ("VK_LAYER_PATH", path(own.into_iter().chain(layers).collect())),
        ("VK_INSTANCE_LAYERS", path(enabled)),
    ];
    variables.extend(options.devices.clone().map(|count| ("CUDA_EXTERNAL_CPU_DEVICES", count)));
    variables.extend(options.kernels.clone().map(|path| ("CUDA_EXTERNAL_CPU_KERNELS", path)));
    if !options.faults.is_empty() {
        variables.push(("CUDA_EXTERNAL_CPU_FAULTS", options.faults.join(",").into()));
    }
    variables
}
