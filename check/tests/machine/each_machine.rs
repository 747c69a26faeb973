//! Broken machines, and the sentence of each: `cuda-external-check --machine` over the driver in software and Mesa's lavapipe.
//! scripts/cpu-tests runs it on these.

use std::env;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;

use serde_json::Value;
use tempfile::TempDir;
use test_support::Need;

/// What is done to a machine, and what it must be told. In a value, `{}` is the directory of the files, `{lvp}` lavapipe's manifest,
/// `{uuid}` lavapipe's UUID, and `-` removes the variable.
struct Machine {
    /// The name of the sentence.
    next: &'static str,
    /// Words of it.
    says: &'static str,
    variables: &'static [(&'static str, &'static str)],
    /// What root of a user namespace does first.
    script: &'static str,
}

const fn machine(
    next: &'static str,
    says: &'static str,
    variables: &'static [(&'static str, &'static str)],
) -> Machine {
    Machine { next, says, variables, script: "" }
}

const LIBRARIES: &str = "LD_LIBRARY_PATH";
const DRIVERS: &str = "VK_DRIVER_FILES";
const CAPABILITIES: &str = "NVIDIA_DRIVER_CAPABILITIES";
const SHIM: (&str, &str) = (LIBRARIES, "{}/shim");
const H200: (&str, &str) = ("SHIM_NAME", "NVIDIA H200");
const DATA: (&str, &str) = ("XDG_DATA_DIRS", "{}/none");
const CONFIG: (&str, &str) = ("XDG_CONFIG_DIRS", "{}/none");

const MACHINES: &[Machine] = &[
    machine("nothing-missing", "by the driver in software", &[]),
    // libcuda.
    machine("container-without-driver", "docker: --gpus all", &[(LIBRARIES, "-")]),
    machine("capability-compute", "utility lacks compute", &[(LIBRARIES, "-"), (CAPABILITIES, "utility")]),
    machine("stub-first", "{}/stub ", &[(LIBRARIES, "{}/stub")]),
    machine("not-a-driver", "{}/other/libcuda.so.1", &[(LIBRARIES, "{}/other")]),
    machine("library-does-not-open", "file too short", &[(LIBRARIES, "{}/text")]),
    machine("library-does-not-open", "libneeded.so: cannot open", &[(LIBRARIES, "{}/needs")]),
    machine("cuda-ended", "SIGABRT", &[(LIBRARIES, "{}/crash")]),
    machine("cuda-ended", "cuInit did not return in time", &[(LIBRARIES, "{}/hang")]),
    // cuInit.
    machine(
        "versions-differ",
        "SYSTEM_DRIVER_MISMATCH",
        &[(FAULTS, "cuInit=CUDA_ERROR_SYSTEM_DRIVER_MISMATCH")],
    ),
    machine("system-not-ready", "fabricmanager", &[(FAULTS, "cuInit=CUDA_ERROR_SYSTEM_NOT_READY")]),
    machine("compat-library", "COMPAT", &[(FAULTS, "cuInit=CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE")]),
    machine("devices-hidden", "\"7\" leaves no device", &[NO_DEVICE, ("CUDA_VISIBLE_DEVICES", "7")]),
    machine("container-without-devices", "no /dev/nvidiactl", &[NO_DEVICE]),
    // Vulkan.
    machine("vulkan-loader", "libvulkan.so.1: file too short", &[(LIBRARIES, "{}/loader:{}/cpu")]),
    machine("no-lavapipe", "mesa-vulkan-drivers", &[(DRIVERS, "-"), DATA, CONFIG, ("HOME", "{}/none")]),
    machine("manifest-absent", "VK_DRIVER_FILES: it names {}/absent.json", &[(DRIVERS, "{}/absent.json")]),
    machine("manifest-absent", "VK_ICD_FILENAMES", &[(DRIVERS, "-"), ("VK_ICD_FILENAMES", "{}/absent.json")]),
    machine("manifest-invalid", "{}/invalid.json anew", &[(DRIVERS, "{}/invalid.json")]),
    machine("driver-library-absent", "libabsent.so: cannot open", &[(DRIVERS, "{}/absent_library.json")]),
    machine("driver-library-needs", "libXext.so.99 (Debian: libxext6)", &[(DRIVERS, "{}/needs.json")]),
    machine("driver-ended", "SIGABRT", &[(DRIVERS, "{}/crash.json")]),
    machine("manifest-not-named", "lavapipe to VK_DRIVER_FILES", &[(DRIVERS, "{}/other.json")]),
    machine("driver-deselected", "VK_LOADER_DRIVERS_DISABLE", &[("VK_LOADER_DRIVERS_DISABLE", "*lvp*")]),
    machine("software-without-layer", "llvmpipe", &[("VK_INSTANCE_LAYERS", "-")]),
    machine(
        "vulkan-ended",
        "vkCreateInstance crashed",
        &[("VK_LAYER_PATH", "{}/crash"), ("VK_INSTANCE_LAYERS", "VK_LAYER_crash")],
    ),
    machine("another-gpu", "CUDA has GPU-", &[SHIM, ("SHIM_LAST", "9")]),
    machine(
        "device-lacks",
        "VK_KHR_external_semaphore_fd",
        &[SHIM, ("SHIM_UUID", "{uuid}"), ("VK_INSTANCE_LAYERS", "-")],
    ),
    // NVIDIA's driver, by its name alone.
    machine(
        "no-manifest",
        "nvidia_icd.json",
        &[SHIM, H200, ("SHIM_LAST", "9"), (DRIVERS, "-"), DATA, CONFIG],
    ),
    machine("manifest-not-named", "NVIDIA's driver to VK_DRIVER_FILES", &[SHIM, H200, ("SHIM_LAST", "9")]),
    machine(
        "capability-graphics",
        "compute,utility lacks graphics",
        &[SHIM, H200, ("SHIM_LAST", "9"), (DRIVERS, "{}/nvidia.json"), (CAPABILITIES, "compute,utility")],
    ),
    machine(
        "driver-library-absent",
        "libGLX_nvidia.so.0: cannot",
        &[SHIM, H200, ("SHIM_LAST", "9"), (DRIVERS, "{}/nvidia.json")],
    ),
    machine(
        "driver-needs-egl",
        "libnvidia.so finds no device",
        &[SHIM, H200, ("SHIM_LAST", "9"), (DRIVERS, "{}/nvidia_none.json")],
    ),
    machine("opengl-elsewhere", "llvmpipe", &[SHIM, H200]),
    // The round.
    machine("round-import", "OUT_OF_MEMORY", &[(FAULTS, "cuImportExternalMemory=CUDA_ERROR_OUT_OF_MEMORY")]),
    machine(
        "round-driver",
        "cuDevicePrimaryCtxRetain",
        &[(FAULTS, "cuDevicePrimaryCtxRetain=CUDA_ERROR_DEVICE_UNAVAILABLE")],
    ),
    machine("round-bytes", "from Vulkan to CUDA", &[SHIM, ("SHIM_NO_COPY", "1")]),
    machine("round-ended", "cuImportExternalSemaphore crashed", &[SHIM, ("SHIM_CRASH", "1")]),
    // The round goes.
    machine(
        "first-device-differs",
        "the device 1",
        &[SHIM, ("SHIM_LAST", "1"), (DRIVERS, "{lvp}:{}/lvp.json")],
    ),
    machine("one-device-alone", "device 1", &[("CUDA_EXTERNAL_CPU_DEVICES", "2")]),
    // What variables cannot do. Root of the namespace loses the right to read every file.
    Machine {
        next: "manifest-unreadable",
        says: "Permission denied",
        variables: &[(DRIVERS, "{}/unreadable.json")],
        script: "",
    },
    Machine {
        next: "devices-unreadable",
        says: "/dev/nvidia0",
        variables: &[NO_DEVICE],
        script: "cd /dev && touch nvidia0 nvidiactl nvidia-uvm && chmod 0 nvidia0",
    },
    Machine {
        next: "device-file-wrong",
        says: "not a device",
        variables: &[NO_DEVICE],
        script: "cd /dev && touch nvidia0 nvidiactl nvidia-uvm",
    },
    Machine {
        next: "no-uvm",
        says: "/dev/nvidia-uvm",
        variables: &[(FAULTS, "cuInit=CUDA_ERROR_UNKNOWN")],
        script: "cd /dev && touch nvidia0 nvidiactl",
    },
    Machine {
        next: "versions-differ",
        says: "1.2.3 and 4.5.6",
        variables: &[(FAULTS, "cuInit=CUDA_ERROR_UNKNOWN"), (LIBRARIES, "{}/versioned")],
        script: "mount -t tmpfs none /sys/module && mkdir /sys/module/nvidia && echo 4.5.6 >/sys/module/nvidia/version",
    },
];
const FAULTS: &str = "CUDA_EXTERNAL_CPU_FAULTS";
const NO_DEVICE: (&str, &str) = (FAULTS, "cuInit=CUDA_ERROR_NO_DEVICE");

/// A /dev of the machine's own, then the script, then the program as a user who is not root.
const NAMESPACE: &str = r#"
mkdir -p "$0/dev" && mount -t tmpfs none "$0/dev" && mkdir "$0/dev/shm"
for file in null zero full random urandom; do touch "$0/dev/$file" && mount --bind /dev/$file "$0/dev/$file"; done
mount --rbind "$0/dev" /dev
eval "$1" && shift && cd / && exec setpriv --bounding-set=-all --inh-caps=-all -- "$@""#;

/// The directory with the libraries and the manifests of all machines.
struct Files {
    directory: TempDir,
    /// lavapipe's manifest, and its UUID without the layer.
    lavapipe: String,
    uuid: String,
}

pub fn main() -> ExitCode {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_cuda-external-check"));
    // The machine as it is: scripts/on-cpu's.
    let whole = Command::new(&program).arg("--machine").output().expect("the program starts");
    let text = String::from_utf8_lossy(&whole.stdout).into_owned();
    let sentence =
        text.lines().find_map(|line| line.strip_prefix("Next")).unwrap_or_default().trim().to_owned();
    let is_software = text.contains("a driver in software") && whole.status.success();
    let vulkan = Need::new("vulkan", &is_software.then_some(()).ok_or(sentence));
    let c = Need::new("c-compiler", &test_support::compiler());
    let namespaces = Command::new("unshare").args(["-rm", "setpriv", "--version"]).output();
    let has_namespaces = namespaces.is_ok_and(|output| output.status.success());
    let namespaces =
        Need::new("namespaces", &has_namespaces.then_some(()).ok_or("unshare -rm fails".to_owned()));
    let files = Arc::new(is_software.then(|| Files::new(&program, &text)));
    let trials = MACHINES.iter().enumerate().map(|(at, machine)| {
        let needs_namespace = !machine.script.is_empty() || machine.next == "manifest-unreadable";
        let needs = [&vulkan, &c, if needs_namespace { &namespaces } else { &c }];
        let (files, program) = (files.clone(), program.clone());
        test_support::test(&format!("{at}_{}", machine.next), needs, move || {
            check(machine, files.as_ref().as_ref().expect("the test needs them"), &program, needs_namespace);
        })
    });
    test_support::run(trials.collect(), None)
}

fn check(machine: &Machine, files: &Files, program: &Path, needs_namespace: bool) {
    let directory = files.directory.path().to_string_lossy();
    let fill = |text: &str| {
        let text = text.replace("{lvp}", &files.lavapipe).replace("{uuid}", &files.uuid);
        text.replace("{}", &directory)
    };
    let json = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut command = if needs_namespace {
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-ec", NAMESPACE]).arg(tempfile::tempdir().expect("a directory").keep());
        command.arg(if machine.script.is_empty() { ":" } else { machine.script }).arg(program);
        command
    } else {
        Command::new(program)
    };
    command.arg("--machine").arg("--json").arg(json.path());
    // One driver of Vulkan, so that each machine takes half a second; and every machine is a container.
    command.env(LIBRARIES, files.path("cpu")).env(DRIVERS, &files.lavapipe).env("container", "test");
    for (name, value) in machine.variables {
        if *value == "-" {
            command.env_remove(name)
        } else {
            command.env(name, fill(value))
        };
    }
    let output = command.output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let json: Value =
        serde_json::from_slice(&fs::read(json.path()).expect("it was written")).unwrap_or_default();
    assert_eq!(json["next"]["id"], machine.next, "{output:?}");
    let sentence = json["next"]["sentence"].as_str().expect("a sentence");
    assert!(sentence.contains(&fill(machine.says)) && text.contains(sentence), "{text}");
    let goes = ["nothing-missing", "opengl-elsewhere", "first-device-differs", "one-device-alone"];
    assert_eq!(output.status.code(), Some(i32::from(!goes.contains(&machine.next))), "{text}");
}

impl Files {
    fn new(program: &Path, text: &str) -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        let is_manifest = |path: &&str| path.contains("/lvp_icd") && path.ends_with(".json");
        let mut words = text.split([' ', ':', '\n']);
        let lavapipe = words.find(is_manifest).expect("lavapipe has a manifest").to_owned();
        let mut files = Self { directory, lavapipe, uuid: String::new() };
        files.make();
        let json = files.path("bare.json");
        let mut bare = Command::new(program);
        bare.arg("--machine").arg("--json").arg(&json).env_remove("VK_INSTANCE_LAYERS");
        bare.env(DRIVERS, &files.lavapipe).output().expect("the program starts");
        let json: Value = serde_json::from_slice(&fs::read(json).expect("it was written")).expect("JSON");
        let uuid =
            json["machine"]["vulkan"]["answer"]["devices"][0]["uuid"].as_str().expect("lavapipe has one");
        files.uuid = uuid.trim_start_matches("GPU").replace('-', "");
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn make(&self) {
        // The driver in software, under another name too: what has a driver's name needs it.
        let cpu = fs::read(first_driver()).expect("the driver in software");
        let (name, other) = (b"libcuda.so.1\0", b"libcudb.so.1\0");
        let mut renamed = cpu.clone();
        let places = Vec::from_iter((0..cpu.len() - name.len()).filter(|at| cpu[*at..].starts_with(name)));
        places.into_iter().for_each(|at| renamed[at..at + name.len()].copy_from_slice(other));
        for (path, bytes) in [
            ("cpu/libcuda.so.1", &cpu[..]),
            ("shim/libcudb.so.1", &renamed),
            ("text/libcuda.so.1", b"text"),
            ("loader/libvulkan.so.1", b"text"),
            ("versioned/libcuda.so.1.2.3", &cpu),
        ] {
            fs::create_dir_all(self.path(path).parent().expect("a directory")).expect("it is made");
            fs::write(self.path(path), bytes).expect("it is written");
        }
        symlink("libcuda.so.1.2.3", self.path("versioned/libcuda.so.1")).expect("it is made");
        let needed = ["-L.", "-Wl,--no-as-needed"];
        self.compile("libneeded.so", "NEEDED", &["-Wl,-soname,libneeded.so"]);
        self.compile("libXext.so", "NEEDED", &["-Wl,-soname,libXext.so.99"]);
        self.compile("stub/libcuda.so.1", "STUB", &[]);
        self.compile("other/libcuda.so.1", "OTHER", &[]);
        self.compile("crash/libcuda.so.1", "CRASH", &[]);
        self.compile("hang/libcuda.so.1", "HANG", &[]);
        self.compile("libother.so", "ICD", &[]);
        self.compile("libnvidia.so", "ICD", &[]);
        self.compile("needs/libcuda.so.1", "OTHER", &[needed[0], needed[1], "-lneeded"]);
        self.compile("libneeds.so", "ICD", &[needed[0], needed[1], "-lXext"]);
        self.compile(
            "shim/libcuda.so.1",
            "SHIM",
            &["-Lshim", needed[1], "-l:libcudb.so.1", "-Wl,-soname,libcuda.so.1", "-Wl,-rpath,$ORIGIN"],
        );
        // What they are linked to is not there later.
        for name in ["libneeded.so", "libXext.so"] {
            fs::remove_file(self.path(name)).expect("it is removed");
        }
        for (name, library) in [
            ("absent_library", "libabsent.so"),
            ("needs", "./libneeds.so"),
            ("crash", "./crash/libcuda.so.1"),
            ("other", "./libother.so"),
            ("nvidia", "libGLX_nvidia.so.0"),
            ("nvidia_none", "./libnvidia.so"),
        ] {
            let text = format!(
                r#"{{"file_format_version":"1.0.0","ICD":{{"library_path":"{library}","api_version":"1.3.0"}}}}"#
            );
            fs::write(self.path(&format!("{name}.json")), text).expect("it is written");
        }
        fs::write(self.path("invalid.json"), r#"{"ICD":"#).expect("it is written");
        let layer = r#"{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_crash","type":"GLOBAL","library_path":
            "./libcuda.so.1","api_version":"1.3.0","implementation_version":"1","description":"crashes"}}"#;
        fs::write(self.path("crash/layer.json"), layer).expect("it is written");
        for copy in ["lvp.json", "unreadable.json"] {
            fs::copy(&self.lavapipe, self.path(copy)).expect("it is copied");
        }
        fs::set_permissions(self.path("unreadable.json"), Permissions::from_mode(0o000))
            .expect("they are set");
    }

    fn compile(&self, library: &str, what: &str, options: &[&str]) {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/machine/libraries.c");
        fs::create_dir_all(self.path(library).parent().expect("a directory")).expect("it is made");
        let mut compiler = Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()));
        compiler.args(["-shared", "-fPIC", "-w", &format!("-D{what}"), source, "-o", library]).args(options);
        let status = compiler.current_dir(self.directory.path()).status().expect("the compiler starts");
        assert!(status.success(), "{compiler:?}: {status}");
    }
}

/// The driver in software that scripts/on-cpu has put on the search path.
fn first_driver() -> PathBuf {
    let list = env::var_os(LIBRARIES).unwrap_or_default();
    let found = env::split_paths(&list).map(|path| path.join("libcuda.so.1")).find(|path| path.exists());
    found.expect("it is there, since the machine is whole")
}
