//! The command cuda-external-cpu: its arguments, the driver's files, and the environment of the program that it starts.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use cuda_external_in_process::path_variables::{prepend_path, refuse_path_separators};
use libloading::Library;

const HELP: &str = "\
Starts a program with a CUDA driver in software: tests without a GPU.

Usage: cuda-external-cpu [options] [--] program [arguments]
       cuda-external-cpu [options] --environment | --help | --version

  --devices N      the number of devices, 1 to 8 (default: 1)
  --fault FAULT    FUNCTION[:CALL]=CODE, =delay:MILLISECONDS or =lost: cuMemAlloc:3=CUDA_ERROR_OUT_OF_MEMORY is the
                   third call, cuStreamSynchronize=delay:50 every call. May be given several times
  --unsupported    prints the name of each function that this driver does not have, when it is first called; and why a
                   module or a kernel is refused, or a kernel failed
  --nvrtc-ptx      gives the program PTX where the program asks a shared NVRTC for a cubin, which this driver cannot run
  --environment    prints the variables as NAME=VALUE lines and starts nothing
  --help           this text
  --version        the version

The program finds the driver as libcuda.so.1 (a compiler as -lcuda), and a Vulkan layer for Mesa's lavapipe. The
program replaces this process: signals and the exit status are the program's. Exits with 2 if an argument is wrong, and
with 127 if the program cannot be started.";

static LIBRARY: &[u8] = include_bytes!(env!("CUDA_EXTERNAL_CPU_LIBRARY"));
const MANIFEST: &[u8] = include_bytes!("vulkan/layer.json");

/// glibc's variable that lists audit libraries (man 7 rtld-audit). nvrtc_audit.rs makes the driver an audit library.
const AUDIT: &str = "LD_AUDIT";

/// The system's directories with explicit Vulkan layers. The Vulkan loader skips them if `VK_LAYER_PATH` is set.
const LAYER_DIRECTORIES: &str = "/usr/local/etc/vulkan/explicit_layer.d:/usr/local/share/vulkan/explicit_layer.d:\
                                 /etc/vulkan/explicit_layer.d:/usr/share/vulkan/explicit_layer.d";

/// The name of the driver's directory, with a hash of the library, so that two builds can run at the same time.
const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), "-", env!("CUDA_EXTERNAL_CPU_CONTENT"));

type DriverVariables = BTreeMap<&'static str, OsString>;
type CommandFailure = (u8, String);

pub fn main() -> ExitCode {
    let Err((code, message)) = parse_arguments_and_start_program() else { return ExitCode::SUCCESS };
    eprintln!("cuda-external-cpu: {message}");
    ExitCode::from(code)
}

/// Replaces this process by the program. Returns only for `--help`, `--version` and `--environment`, or with an error.
fn parse_arguments_and_start_program() -> Result<(), CommandFailure> {
    let (mut variables, mut rest) = (DriverVariables::new(), env::args_os().skip(1));
    let program = loop {
        let argument = rest.next().ok_or_else(|| (2, format!("no program\n\n{HELP}")))?;
        match &*argument.to_string_lossy() {
            "--help" | "-h" => return print_line(HELP),
            "--version" => return print_line(concat!("cuda-external-cpu ", env!("CARGO_PKG_VERSION"))),
            "--environment" => {
                add_driver_variables(&mut variables)?;
                let lines =
                    variables.iter().map(|(name, value)| format!("{name}={}", value.to_string_lossy()));
                return print_line(&Vec::from_iter(lines).join("\n"));
            }
            "--unsupported" => {
                variables.insert("CUDA_EXTERNAL_CPU_UNSUPPORTED", "1".into());
            }
            // `add_driver_variables` replaces this empty value.
            "--nvrtc-ptx" => {
                variables.insert(AUDIT, OsString::new());
            }
            "--" => break rest.next().ok_or((2, "no program".to_owned()))?,
            option if option.starts_with('-') => {
                let value =
                    rest.next().ok_or_else(|| (2, format!("{option}: no such option, or no value")))?;
                set_driver_option(&mut variables, option, value)
                    .map_err(|message| (2, format!("{option} {message}")))?;
            }
            _ => break argument,
        }
    };
    add_driver_variables(&mut variables)?;
    let error = Command::new(&program).args(rest).envs(variables).exec();
    Err((127, format!("{}: {error}", program.to_string_lossy())))
}

fn print_line(text: &str) -> Result<(), CommandFailure> {
    println!("{text}");
    Ok(())
}

fn set_driver_option(variables: &mut DriverVariables, option: &str, value: OsString) -> Result<(), String> {
    let text = value.to_string_lossy();
    match option {
        "--devices" => {
            let is_number = text.parse().is_ok_and(cuda_external_cpu::set_device_count);
            is_number.then_some(()).ok_or(format!("{text}: not a number from 1 to 8"))?;
            variables.insert("CUDA_EXTERNAL_CPU_DEVICES", value);
        }
        "--fault" => {
            text.parse::<cuda_external_cpu::InjectedFault>()?;
            let faults = variables.entry("CUDA_EXTERNAL_CPU_FAULTS").or_default();
            faults.push(if faults.is_empty() { "" } else { "," });
            faults.push(&value);
        }
        _ => return Err("is not an option".to_owned()),
    }
    Ok(())
}

fn add_driver_variables(variables: &mut DriverVariables) -> Result<(), CommandFailure> {
    let directory =
        driver_directory().map_err(|error| (1, format!("no directory for the driver: {error}")))?;
    // A compiler searches LIBRARY_PATH for `-lcuda`.
    for name in ["LD_LIBRARY_PATH", "LIBRARY_PATH"] {
        variables.insert(name, prepend_path(name, directory.as_os_str()));
    }
    if variables.contains_key(AUDIT) {
        variables.insert(AUDIT, prepend_path(AUDIT, directory.join("libcuda.so.1").as_os_str()));
    }
    let behind = |name, default: &str, last: &Path| {
        let others = env::var_os(name).filter(|others| !others.is_empty());
        let others = others.unwrap_or_else(|| default.into());
        let others = env::split_paths(&others).filter(|path| path != last && path != Path::new(""));
        let all = others.chain([last.to_owned()]);
        env::join_paths(all).map_err(|error| (1, format!("{name}: {error}")))
    };
    // The driver's layer is last in VK_LAYER_PATH and in VK_INSTANCE_LAYERS: a validation layer must be nearer to the
    // program. The Vulkan loaders 1.3.234 to 1.3.246 order the layers as VK_LAYER_PATH orders their directories. Other
    // loaders order the layers as VK_INSTANCE_LAYERS does.
    variables.insert("VK_LAYER_PATH", behind("VK_LAYER_PATH", LAYER_DIRECTORIES, &directory)?);
    let layer = Path::new("VK_LAYER_CUDA_EXTERNAL_cpu");
    variables.insert("VK_INSTANCE_LAYERS", behind("VK_INSTANCE_LAYERS", "", layer)?);
    Ok(())
}

/// Writes the library and the layer's manifest to a directory of this user, and returns the directory.
fn driver_directory() -> io::Result<PathBuf> {
    // SAFETY: the function only returns a number.
    let user = unsafe { libc::getuid() };
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = cache.or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".cache")));
    let own = cache.map(|cache| cache.join("cuda-external-cpu").join(BUILD));
    let other = format!("cuda-external-cpu-{user}-{BUILD}");
    let places = own
        .into_iter()
        .chain([env::temp_dir(), "/dev/shm".into(), "/var/tmp".into()].map(|place| place.join(&other)));
    let mut reasons = String::new();
    for place in places {
        match refuse_path_separators(&place).and_then(|()| write_driver_files(&place, user)) {
            Ok(()) => return Ok(place),
            Err(error) => reasons += &format!("\n  {}: {error}", place.display()),
        }
    }
    Err(io::Error::other(reasons))
}

/// Writes the driver's files to a directory. Replaces a file by a rename, since processes may have the old file mapped.
fn write_driver_files(directory: &Path, user: u32) -> io::Result<()> {
    DirBuilder::new().mode(0o700).recursive(true).create(directory)?;
    let metadata = fs::symlink_metadata(directory)?;
    // Whoever can write the library can run code in the program.
    if !metadata.is_dir() || metadata.uid() != user || metadata.mode() & 0o022 != 0 {
        return Err(io::Error::other(format!("{}: others can write it", directory.display())));
    }
    write_file(directory, "libcuda.so.1", LIBRARY)?;
    write_file(directory, "layer.json", MANIFEST)?;
    // Loads the library once as a test: loading fails if the file system is mounted with noexec.
    let library = unsafe { Library::new(directory.join("libcuda.so.1")) }.map_err(io::Error::other)?;
    std::mem::forget(library);
    match symlink("libcuda.so.1", directory.join("libcuda.so")) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn write_file(directory: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let path = directory.join(name);
    if fs::read(&path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let new = directory.join(format!("{name}.{}", std::process::id()));
    fs::write(&new, bytes).inspect_err(|_| _ = fs::remove_file(&new))?;
    fs::rename(&new, &path)
}
