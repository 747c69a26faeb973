//! Checks what `cuda-external-check --machine` prints on many broken machines. dev/scripts/cpu-tests runs the test.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::process::{Command, ExitCode, Output};
use std::sync::Arc;

use cuda_external_check::machine_remedies::remedy_rows;
use serde_json::Value;
use tempfile::TempDir;
use test_support::Need;

const PROGRAM: &str = env!("CARGO_BIN_EXE_cuda-external-check");
const TIME_LIMIT: &str = "CUDA_EXTERNAL_CHECK_MACHINE_SECONDS";

/// Abbreviations for assignments in the rows of machines.txt.
const ASSIGNMENTS: [(&str, &str); 7] = [
    ("fault ", "CUDA_EXTERNAL_CPU_FAULTS="),
    ("egl ", "shim; SHIM_NAME='NVIDIA H200'; DRIVER=egl; __EGL_VENDOR_LIBRARY_FILENAMES="),
    ("h200", "nvidia; LD_LIBRARY_PATH=$D/shim:$D/graphics"),
    ("compute_half", "nvidia; shim"),
    ("nvidia", "SHIM_NAME='NVIDIA H200'; SHIM_LAST=9; DRIVER=nvidia"),
    ("shim", "LD_LIBRARY_PATH=$D/shim"),
    ("no_manifests", "unset VK_DRIVER_FILES; XDG_DATA_DIRS=$D/none; XDG_CONFIG_DIRS=$D/none; HOME=$D/none"),
];

/// Variables, and functions for rows of machines.txt. A machine whose row does not call `root` looks like a container.
const SHELL_HELPERS: &str = r#"
set -ea
LD_LIBRARY_PATH=$D/cpu VK_DRIVER_FILES=$LVP container=test
dev() { (cd /dev; eval "$1"); }
gpu() {
    cd /sys/bus/pci/devices; mount -t tmpfs none .; cd $PWD; mkdir 0; echo 0x10de >0/vendor; echo 0x030200 >0/class
}
module() { mount -t tmpfs none /sys/module; mkdir /sys/module/nvidia; echo $1 >/sys/module/nvidia/version; }
noexec() { mount -t tmpfs -o noexec none $D/noexec; cp $D/cpu/libcuda.so.1 $D/noexec; }
proc() { mount -t tmpfs none /proc; }
root() { # not a container: a root without the files that tell, with all directories
    unset container; mount --bind /dev/null /proc/1/cgroup; mount -t tmpfs none $D/root
    for each in /*/; do mkdir $D/root$each; mount --rbind $each $D/root$each; done
    ROOT="chroot $D/root"
}
devices() { # character devices that open
    mount -t devpts -o newinstance,ptmxmode=0666 none $D/pts
    for each in nvidia0 nvidiactl nvidia-uvm; do touch $each; mount --bind $D/pts/ptmx $each; done
}
"#;

/// Mounts a new /dev, which a row can change.
const NAMESPACE_SETUP: &str = r#"
mkdir "$D/dev" 2>&- || :
mount -t tmpfs none "$D/dev" && mkdir "$D/dev/shm"
for file in null zero full random urandom; do touch "$D/dev/$file" && mount --bind /dev/$file "$D/dev/$file"; done
mount --rbind "$D/dev" /dev
"#;

#[derive(Clone)]
struct BrokenMachine {
    next: &'static str,
    says: &'static str,
    has_namespace: bool,
    /// The statements that break the machine. A statement's key is its variable or command. The statements run in the
    /// ASCII order of the keys: variables first, then changes of files, then `root`, which mounts the changed
    /// directories. `ulimit` is last, since it limits the shell too. An empty statement excludes a second fault with
    /// the same key.
    changes: BTreeMap<String, String>,
}

fn broken_machines() -> Vec<BrokenMachine> {
    let rows = include_str!("machines.txt").lines().filter(|row| !row.is_empty() && !row.starts_with('#'));
    rows.map(BrokenMachine::parse_machine_row).collect()
}

/// Returns a remedy's row number in machine_remedies.txt. Of two remedies, `--machine` prints the first.
fn remedy_rank(id: &str) -> usize {
    remedy_rows().position(|row| row.id == id).expect("the table has each remedy")
}

impl BrokenMachine {
    fn parse_machine_row(row: &'static str) -> Self {
        let cells = Vec::from_iter(row.splitn(4, '|').map(str::trim));
        let [next, says, namespace, shell] = cells[..] else { panic!("{row}") };
        let mut shell = format!("; {shell}");
        for (name, assignments) in ASSIGNMENTS {
            shell = shell.replace(&format!("; {name}"), &format!("; {assignments}"));
        }
        let mut changes = BTreeMap::new();
        for statement in shell.split("; ").filter(|statement| !statement.is_empty()) {
            let name = statement.trim_start_matches("unset ").split(['=', ' ']).next().unwrap_or_default();
            changes.insert(name.to_owned(), statement.to_owned());
        }
        let is_in_container = remedy_rows().any(|row| row.id == next && row.page.ends_with("#containers"));
        let unchanged: [(bool, &[&str]); 4] = [
            // With another fault in /dev, `--machine` would explain a failing cuInit by that fault.
            (shell.contains("cuInit"), &["dev"]),
            (shell.contains("; root"), &["gpu", "module"]),
            (is_in_container, &["root"]),
            // From the row `wsl-no-vulkan` on, the sentences depend on which driver the machine has.
            (remedy_rank(next) >= remedy_rank("wsl-no-vulkan"), &["DRIVER"]),
        ];
        for name in unchanged.iter().filter(|(is_here, _)| *is_here).flat_map(|(_, names)| *names) {
            changes.entry((*name).to_owned()).or_default();
        }
        Self { next, says, has_namespace: namespace == "yes", changes }
    }

    fn as_sh(&self) -> String {
        Vec::from_iter(self.changes.values().filter(|statement| !statement.is_empty()).cloned()).join("; ")
    }

    /// Returns a machine with both faults, unless they change one thing in two ways, or one fault includes the other.
    fn with_both_faults(&self, other: &Self) -> Option<Self> {
        let mut changes = self.changes.clone();
        for (name, statement) in &other.changes {
            if changes.insert(name.clone(), statement.clone()).is_some_and(|of_self| of_self != *statement) {
                return None;
            }
        }
        let first = if remedy_rank(self.next) <= remedy_rank(other.next) { self } else { other };
        let has_namespace = self.has_namespace || other.has_namespace;
        let both = Self { has_namespace, changes, ..first.clone() };
        [self, other].iter().all(|one| one.as_sh() != both.as_sh()).then_some(both)
    }
}

/// Returns machines with two faults whose remedies differ. Leaves out rows that set `TIME_LIMIT`, which take long.
fn pairs_of_machines() -> Vec<BrokenMachine> {
    let mut rows = broken_machines();
    rows.retain(|machine| machine.next != "nothing-missing" && !machine.changes.contains_key(TIME_LIMIT));
    let pairs = rows.iter().enumerate().flat_map(|(at, first)| {
        let others = rows[at + 1..].iter().filter(|second| second.next != first.next);
        others.filter_map(|second| first.with_both_faults(second))
    });
    pairs.collect()
}

pub fn main() -> ExitCode {
    // The machine without a fault, which dev/scripts/on-cpu sets up.
    let (output, whole) = run_doctor(&mut Command::new(PROGRAM));
    let is_whole = output.status.success() && whole["machine"]["cuda"]["kind"] == "a driver in software";
    let vulkan = Need::new("vulkan", &is_whole.then_some(()).ok_or(whole["next"]["sentence"].to_string()));
    let c = Need::new("c-compiler", &test_support::find_compiler());
    let namespaces = Command::new("unshare").args(["-rm", "setpriv", "--version"]).output();
    let has_namespaces = namespaces.is_ok_and(|output| output.status.success());
    let namespaces =
        Need::new("namespaces", &has_namespaces.then_some(()).ok_or("unshare -rm fails".to_owned()));
    let files = Arc::new(is_whole.then(|| BrokenMachineFiles::new(&whole["machine"])));
    let mut trials = Vec::new();
    let mut add = |name: String, machines: Vec<BrokenMachine>| {
        let needs_namespace = machines.iter().any(|machine| machine.has_namespace);
        let needs = [&vulkan, &c, if needs_namespace { &namespaces } else { &c }];
        let files = files.clone();
        trials.push(test_support::trial_if(&name, needs, move || {
            let files = files.as_ref().as_ref().expect("the test needs them");
            let wrong =
                Vec::from_iter(machines.iter().filter_map(|machine| check_remedy(machine, files).err()));
            assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), machines.len(), wrong.join("\n"));
        }));
    };
    for (at, machine) in broken_machines().into_iter().enumerate() {
        add(format!("{at}_{}", machine.next), vec![machine]);
    }
    let pairs = pairs_of_machines();
    // By default one pair of 63 runs, since all the pairs together take minutes.
    let every = if env::var_os("CUDA_EXTERNAL_CHECK_ALL_PAIRS").is_some() { 1 } else { 63 };
    for (at, pairs) in pairs.chunks(63 * 4).enumerate() {
        add(format!("pairs_{at}"), pairs.iter().step_by(every).cloned().collect());
    }
    trials.push(test_support::trial_if("every_remedy_is_used", [], every_remedy_is_used));
    test_support::run_trials(trials, None)
}

fn every_remedy_is_used() {
    let files =
        fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctor")).expect("the sources").flatten();
    let sources = String::from_iter(files.filter_map(|file| fs::read_to_string(file.path()).ok()));
    for row in remedy_rows() {
        let text = format!("{}: {}.", row.step, row.seen);
        assert!(text.matches("{}").count() <= 5 && !text.contains(". "), "{}", row.id);
        assert!(sources.contains(&format!("\"{}\"", row.id)), "nothing uses {}", row.id);
    }
}

fn check_remedy(machine: &BrokenMachine, files: &BrokenMachineFiles) -> Result<(), String> {
    let (namespace, start) = if machine.has_namespace {
        // The namespace's root drops its capabilities: with them it could read a file that has no read permission.
        (NAMESPACE_SETUP, "cd /; exec $ROOT setpriv --bounding-set=-all --inh-caps=-all --")
    } else {
        ("", "exec")
    };
    let shell = format!("{SHELL_HELPERS}{namespace}{}\n{start} \"$0\" \"$@\"", machine.as_sh());
    let mut command = Command::new(if machine.has_namespace { "unshare" } else { "sh" });
    if machine.has_namespace {
        command.args(["-rm", "sh"]);
    }
    command.args(["-c", &shell, PROGRAM]).env("D", files.directory.path());
    let (output, json) = run_doctor(command.env("LVP", &files.lavapipe).env("UUID", &files.uuid));
    let says = machine.says.replace("$D", &files.directory.path().to_string_lossy());
    let text = String::from_utf8_lossy(&output.stdout);
    let sentence = json["next"]["sentence"].as_str().unwrap_or_default();
    let code = i32::from(!text.contains("every byte is right"));
    let is_right = json["next"]["id"] == machine.next && sentence.contains(&says) && text.contains(sentence);
    if is_right && output.status.code() == Some(code) {
        return Ok(());
    }
    Err(format!("{} ({}), not {} by `{}`", json["next"]["id"], output.status, machine.next, machine.as_sh()))
}

/// Runs `--machine` by a command that may change the machine first. The time limit is long, for busy machines.
fn run_doctor(command: &mut Command) -> (Output, Value) {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    command.args(["--machine", "--json"]).arg(file.path()).env(TIME_LIMIT, "60");
    let output = command.output().expect("the program starts");
    (output, serde_json::from_slice(&fs::read(file.path()).expect("the file")).unwrap_or_default())
}

struct BrokenMachineFiles {
    directory: TempDir,
    /// The path of lavapipe's manifest, and lavapipe's UUID without the layer of cuda-external-cpu.
    lavapipe: String,
    uuid: String,
}

impl BrokenMachineFiles {
    /// Makes the files that the rows of machines.txt use. `whole` is the report on the machine without a fault.
    fn new(whole: &Value) -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        let manifests = whole["vulkan"]["manifests"].as_array().into_iter().flatten();
        let mut names = manifests.filter_map(|manifest| manifest["name"].as_str());
        let lavapipe = names.find(|name| name.contains("/lvp_icd")).expect("it has a manifest").to_owned();
        let mut make = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doctor/make-machine.sh"));
        make.env("CPU", whole["cuda"]["driver"].as_str().unwrap_or_default()).env("LVP", &lavapipe);
        let status = make.current_dir(directory.path()).status().expect("a shell");
        assert!(status.success(), "{make:?}: {status}");
        let mut bare = Command::new(PROGRAM);
        let (_, json) = run_doctor(bare.env_remove("VK_INSTANCE_LAYERS").env("VK_DRIVER_FILES", &lavapipe));
        let uuid = json["machine"]["vulkan"]["devices"][0]["uuid"].as_str().expect("lavapipe has one");
        Self { directory, lavapipe, uuid: uuid.trim_start_matches("GPU").replace('-', "") }
    }
}
