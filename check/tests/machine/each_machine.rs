//! Broken machines, and the sentence of each: `cuda-external-check --machine` over the driver in software and Mesa's lavapipe.
//! scripts/cpu-tests runs it on these.

use std::env;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::Arc;

use serde_json::Value;
use tempfile::TempDir;
use test_support::Need;

const PROGRAM: &str = env!("CARGO_BIN_EXE_cuda-external-check");
/// The sentences of machines whose round goes.
const GOES: [&str; 5] = [
    "nothing-missing",
    "opengl-elsewhere",
    "first-device-differs",
    "one-device-alone",
    "layer-does-not-open",
];

/// What the rows call. One driver of Vulkan, so that each machine takes half a second; and every machine is a container.
const SHELL: &str = r#"
set -ea
LD_LIBRARY_PATH=$D/cpu VK_DRIVER_FILES=$LVP container=test
fault() { CUDA_EXTERNAL_CPU_FAULTS=$1; }
shim() { LD_LIBRARY_PATH=$D/shim; }
h200() { shim; SHIM_NAME='NVIDIA H200' SHIM_LAST=9; }
no_manifests() { unset VK_DRIVER_FILES; XDG_DATA_DIRS=$D/none XDG_CONFIG_DIRS=$D/none HOME=$D/none; }
module() { mount -t tmpfs none /sys/module; mkdir /sys/module/nvidia; echo $1 >/sys/module/nvidia/version; }
"#;

/// A /dev of the machine's own.
const NAMESPACE: &str = r#"
mkdir "$D/dev" 2>&- || :
mount -t tmpfs none "$D/dev" && mkdir "$D/dev/shm"
for file in null zero full random urandom; do touch "$D/dev/$file" && mount --bind /dev/$file "$D/dev/$file"; done
mount --rbind "$D/dev" /dev
"#;

#[derive(Clone)]
struct Machine {
    next: &'static str,
    says: &'static str,
    has_namespace: bool,
    shell: &'static str,
}

fn machines() -> Vec<Machine> {
    let rows = include_str!("machines.txt").lines().filter(|row| !row.is_empty() && !row.starts_with('#'));
    let machine = |row: &'static str| {
        let cells = Vec::from_iter(row.splitn(4, '|').map(str::trim));
        let [next, says, namespace, shell] = cells[..] else { panic!("{row}") };
        Machine { next, says, has_namespace: namespace == "yes", shell }
    };
    rows.map(machine).collect()
}

pub fn main() -> ExitCode {
    // The machine as it is: scripts/on-cpu's.
    let whole = Command::new(PROGRAM).arg("--machine").output().expect("the program starts");
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
    let files = Arc::new(is_software.then(|| Files::new(&text)));
    let trials = machines().into_iter().enumerate().map(|(at, machine)| {
        let needs = [&vulkan, &c, if machine.has_namespace { &namespaces } else { &c }];
        let files = files.clone();
        test_support::test(&format!("{at}_{}", machine.next), needs, move || {
            check(&machine, files.as_ref().as_ref().expect("the test needs them"));
        })
    });
    test_support::run(trials.collect(), None)
}

fn check(machine: &Machine, files: &Files) {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let (namespace, start) = if machine.has_namespace {
        // Root of the namespace loses the right to read every file.
        (NAMESPACE, "cd /; exec setpriv --bounding-set=-all --inh-caps=-all --")
    } else {
        ("", "exec")
    };
    let shell = format!("{SHELL}{namespace}{}\n{start} \"$0\" --machine --json \"$1\"", machine.shell);
    let mut command = Command::new(if machine.has_namespace { "unshare" } else { "sh" });
    if machine.has_namespace {
        command.args(["-rm", "sh"]);
    }
    command.args(["-c", &shell, PROGRAM]).arg(file.path()).env("D", files.directory.path());
    command.env("LVP", &files.lavapipe).env("UUID", &files.uuid);
    let output = command.output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let json: Value =
        serde_json::from_slice(&fs::read(file.path()).expect("it was written")).unwrap_or_default();
    assert_eq!(json["next"]["id"], machine.next, "{output:?}");
    let sentence = json["next"]["sentence"].as_str().expect("a sentence");
    let says = machine.says.replace("$D", &files.directory.path().to_string_lossy());
    assert!(sentence.contains(&says) && text.contains(sentence), "{text}");
    assert_eq!(output.status.code(), Some(i32::from(!GOES.contains(&machine.next))), "{text}");
}

/// The directory with the libraries and the manifests of all machines.
struct Files {
    directory: TempDir,
    /// lavapipe's manifest, and its UUID without the layer.
    lavapipe: String,
    uuid: String,
}

impl Files {
    fn new(text: &str) -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        let is_manifest = |path: &&str| path.contains("/lvp_icd") && path.ends_with(".json");
        let mut words = text.split([' ', ',', ':', '\n']);
        let lavapipe = words.find(is_manifest).expect("lavapipe has a manifest").to_owned();
        let mut files = Self { directory, lavapipe, uuid: String::new() };
        files.make();
        let json = files.path("bare.json");
        let mut bare = Command::new(PROGRAM);
        bare.arg("--machine").arg("--json").arg(&json).env_remove("VK_INSTANCE_LAYERS");
        bare.env("VK_DRIVER_FILES", &files.lavapipe).output().expect("the program starts");
        let json: Value = serde_json::from_slice(&fs::read(json).expect("it was written")).expect("JSON");
        let uuid = json["machine"]["vulkan"]["devices"][0]["uuid"].as_str().expect("lavapipe has one");
        files.uuid = uuid.trim_start_matches("GPU").replace('-', "");
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, content: &[u8]) {
        fs::create_dir_all(self.path(name).parent().expect("a directory")).expect("it is made");
        fs::write(self.path(name), content).expect("it is written");
    }

    fn make(&self) {
        // The driver in software, under another name too: what has a driver's name needs it.
        let list = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let cpu = env::split_paths(&list).find_map(|path| fs::read(path.join("libcuda.so.1")).ok());
        let cpu = cpu.expect("it is there, since the machine is whole");
        let (name, other) = (b"libcuda.so.1\0", b"libcudb.so.1\0");
        let mut renamed = cpu.clone();
        let places = Vec::from_iter((0..cpu.len() - name.len()).filter(|at| cpu[*at..].starts_with(name)));
        places.into_iter().for_each(|at| renamed[at..at + name.len()].copy_from_slice(other));
        self.write("cpu/libcuda.so.1", &cpu);
        self.write("compat/libcuda.so.1", &cpu);
        self.write("shim/libcudb.so.1", &renamed);
        self.write("text/libcuda.so.1", b"text");
        self.write("loader/libvulkan.so.1", b"text");
        self.write("loader/egl/libEGL.so.1", b"text");
        self.write("versioned/libcuda.so.1.2.3", &cpu);
        symlink("libcuda.so.1.2.3", self.path("versioned/libcuda.so.1")).expect("it is made");
        self.compile("libneeded.so", "NEEDED", "-Wl,-soname,libneeded.so");
        self.compile("libXext.so", "NEEDED", "-Wl,-soname,libXext.so.99");
        self.compile("stub/libcuda.so.1", "STUB", "");
        self.compile("other/libcuda.so.1", "OTHER", "");
        self.compile("crash/libcuda.so.1", "CRASH", "");
        self.compile("hang/libcuda.so.1", "HANG", "");
        self.compile("libother.so", "ICD", "");
        self.compile("libnvidia.so", "ICD", "");
        self.compile("needs/libcuda.so.1", "OTHER", "-L. -lneeded");
        self.compile("libneeds.so", "ICD", "-L. -lXext");
        let shim = "-Lshim -l:libcudb.so.1 -Wl,-soname,libcuda.so.1 -Wl,-rpath,$ORIGIN";
        self.compile("shim/libcuda.so.1", "SHIM", shim);
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
            let json = serde_json::json!({ "library_path": library, "api_version": "1.3.0" });
            let json = serde_json::json!({ "file_format_version": "1.0.0", "ICD": json });
            self.write(&format!("{name}.json"), json.to_string().as_bytes());
        }
        self.write("invalid.json", br#"{"ICD":"#);
        for (directory, library) in [("crash", "./libcuda.so.1"), ("layer", "./libabsent.so")] {
            let name = if directory == "crash" { "VK_LAYER_crash" } else { "VK_LAYER_absent" };
            let layer = serde_json::json!({ "name": name, "type": "GLOBAL", "library_path": library,
                "api_version": "1.3.0", "implementation_version": "1", "description": "broken" });
            let json = serde_json::json!({ "file_format_version": "1.2.0", "layer": layer });
            self.write(&format!("{directory}/layer.json"), json.to_string().as_bytes());
        }
        let lavapipe = fs::read(&self.lavapipe).expect("a manifest");
        self.write("lvp.json", &lavapipe);
        self.write("unreadable.json", &lavapipe);
        fs::set_permissions(self.path("unreadable.json"), Permissions::from_mode(0o000))
            .expect("they are set");
    }

    fn compile(&self, library: &str, what: &str, options: &str) {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/machine/libraries.c");
        fs::create_dir_all(self.path(library).parent().expect("a directory")).expect("it is made");
        let mut compiler = Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()));
        compiler.args([
            "-shared",
            "-fPIC",
            "-w",
            "-Wl,--no-as-needed",
            &format!("-D{what}"),
            source,
            "-o",
            library,
        ]);
        let status = compiler.args(options.split_whitespace()).current_dir(self.directory.path()).status();
        assert!(status.expect("the compiler starts").success(), "{compiler:?}");
    }
}
