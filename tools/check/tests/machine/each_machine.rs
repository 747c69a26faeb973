//! Broken machines, and the sentence that `cuda-external-check --machine` prints for each. It runs with the driver in
//! software and Mesa's lavapipe; dev/scripts/cpu-tests starts it.

use std::env;
use std::fs;
use std::process::{Command, ExitCode, Output};
use std::sync::Arc;

use serde_json::Value;
use tempfile::TempDir;
use test_support::Need;

const PROGRAM: &str = env!("CARGO_BIN_EXE_cuda-external-check");
/// Functions that the rows call. There is one Vulkan driver, so that each machine takes half a second, and every
/// machine is a container.
const SHELL: &str = r#"
set -ea
LD_LIBRARY_PATH=$D/cpu VK_DRIVER_FILES=$LVP container=test
fault() { CUDA_EXTERNAL_CPU_FAULTS=$1; }
shim() { LD_LIBRARY_PATH=$D/shim; }
egl() { LD_LIBRARY_PATH=$D/shim SHIM_NAME='NVIDIA H200' __EGL_VENDOR_LIBRARY_FILENAMES=$1; }
h200() { shim; SHIM_NAME='NVIDIA H200' SHIM_LAST=9; }
no_manifests() { unset VK_DRIVER_FILES; XDG_DATA_DIRS=$D/none XDG_CONFIG_DIRS=$D/none HOME=$D/none; }
gpu() {
    cd /sys/bus/pci/devices; mount -t tmpfs none .; cd $PWD; mkdir 0; echo 0x10de >0/vendor; echo 0x030200 >0/class
}
bare() { # not a container: a root without the files that tell, with all directories
    unset container; mount --bind /dev/null /proc/1/cgroup; mount -t tmpfs none $D/root
    for each in /*/; do mkdir $D/root$each; mount --rbind $each $D/root$each; done
    ROOT="chroot $D/root"
}
module() { mount -t tmpfs none /sys/module; mkdir /sys/module/nvidia; echo $1 >/sys/module/nvidia/version; }
"#;

/// A /dev of the machine's own.
const NAMESPACE: &str = r#"
mkdir "$D/dev" 2>&- || :
mount -t tmpfs none "$D/dev" && mkdir "$D/dev/shm"
for file in null zero full random urandom; do touch "$D/dev/$file" && mount --bind /dev/$file "$D/dev/$file"; done
mount --rbind "$D/dev" /dev
"#;

const SECONDS: &str = "CUDA_EXTERNAL_CHECK_MACHINE_SECONDS";

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
    // The machine as it is: dev/scripts/on-cpu's.
    let whole = run(Command::new(PROGRAM).arg("--machine"), |text| text.contains("every byte is right"));
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
        (NAMESPACE, "cd /; exec $ROOT setpriv --bounding-set=-all --inh-caps=-all --")
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
    let says = machine.says.replace("$D", &files.directory.path().to_string_lossy());
    let output = run(&mut command, |text| text.contains(&says));
    let text = String::from_utf8_lossy(&output.stdout);
    let json: Value =
        serde_json::from_slice(&fs::read(file.path()).expect("it was written")).unwrap_or_default();
    assert_eq!(json["next"]["id"], machine.next, "{output:?}");
    let sentence = json["next"]["sentence"].as_str().expect("a sentence");
    assert!(sentence.contains(&says) && text.contains(sentence), "{text}");
    let goes = text.contains("every byte is right");
    assert_eq!(output.status.code(), Some(i32::from(!goes)), "{text}");
}

/// Runs it. On a busy machine a probe may need longer than a user waits: then once more, with a minute.
fn run(command: &mut Command, is_right: impl Fn(&str) -> bool) -> Output {
    let output = command.output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    if is_right(&text) || !text.contains("did not return in time") {
        return output;
    }
    command.env(SECONDS, "60").output().expect("the program starts")
}

/// The directory with the libraries and the manifests of all machines.
struct Files {
    directory: TempDir,
    /// lavapipe's manifest, and its UUID without the layer.
    lavapipe: String,
    uuid: String,
}

impl Files {
    /// Makes them on a machine that is whole, which printed this text.
    fn new(text: &str) -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        let is_manifest = |path: &&str| path.contains("/lvp_icd") && path.ends_with(".json");
        let mut words = text.split([' ', ',', ':', '\n']);
        let lavapipe = words.find(is_manifest).expect("lavapipe has a manifest").to_owned();
        let list = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let mut drivers = env::split_paths(&list).map(|path| path.join("libcuda.so.1"));
        let mut make = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/machine/make.sh"));
        make.env("CPU", drivers.find(|path| path.exists()).expect("it is on the path")).env("LVP", &lavapipe);
        let status = make.current_dir(directory.path()).status().expect("a shell");
        assert!(status.success(), "{make:?}: {status}");
        let json = directory.path().join("bare.json");
        let mut bare = Command::new(PROGRAM);
        bare.arg("--machine").arg("--json").arg(&json).env_remove("VK_INSTANCE_LAYERS");
        bare.env(SECONDS, "60");
        bare.env("VK_DRIVER_FILES", &lavapipe).output().expect("the program starts");
        let json: Value = serde_json::from_slice(&fs::read(json).expect("it was written")).expect("JSON");
        let uuid = json["machine"]["vulkan"]["devices"][0]["uuid"].as_str().expect("lavapipe has one");
        Self { directory, lavapipe, uuid: uuid.trim_start_matches("GPU").replace('-', "") }
    }
}
