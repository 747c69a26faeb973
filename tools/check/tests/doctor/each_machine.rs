//! Broken machines, and the sentence that `cuda-external-check --machine` prints for each. It runs with the driver in
//! software and Mesa's lavapipe; dev/scripts/cpu-tests starts it.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::process::{Command, ExitCode, Output};
use std::sync::Arc;

use cuda_external_check::remedies::remedy_rows;
use serde_json::Value;
use tempfile::TempDir;
use test_support::Need;

const PROGRAM: &str = env!("CARGO_BIN_EXE_cuda-external-check");
/// Functions that the rows call. There is one Vulkan driver, so that each machine takes half a second, and every
/// machine is a container.
const SHELL_HELPERS: &str = r#"
set -ea
LD_LIBRARY_PATH=$D/cpu VK_DRIVER_FILES=$LVP container=test
fault() { CUDA_EXTERNAL_CPU_FAULTS=$1; }
shim() { LD_LIBRARY_PATH=$D/shim; }
egl() { LD_LIBRARY_PATH=$D/shim; SHIM_NAME='NVIDIA H200'; __EGL_VENDOR_LIBRARY_FILENAMES=$1; }
compute_half() { shim; SHIM_NAME='NVIDIA H200'; SHIM_LAST=9; }
h200() { compute_half; LD_LIBRARY_PATH=$D/shim:$D/graphics; }
no_manifests() { unset VK_DRIVER_FILES; XDG_DATA_DIRS=$D/none; XDG_CONFIG_DIRS=$D/none; HOME=$D/none; }
gpu() {
    cd /sys/bus/pci/devices; mount -t tmpfs none .; cd $PWD; mkdir 0; echo 0x10de >0/vendor; echo 0x030200 >0/class
}
bare() { # not a container: a root without the files that tell, with all directories
    unset container; mount --bind /dev/null /proc/1/cgroup; mount -t tmpfs none $D/root
    for each in /*/; do mkdir $D/root$each; mount --rbind $each $D/root$each; done
    ROOT="chroot $D/root"
}
devices() { # character devices that open
    mount -t devpts -o newinstance,ptmxmode=0666 none $D/pts; cd /dev
    for each in nvidia0 nvidiactl nvidia-uvm; do touch $each; mount --bind $D/pts/ptmx $each; done; cd $PWD
}
module() { mount -t tmpfs none /sys/module; mkdir /sys/module/nvidia; echo $1 >/sys/module/nvidia/version; }
"#;

/// A /dev of the machine's own.
const NAMESPACE_SETUP: &str = r#"
mkdir "$D/dev" 2>&- || :
mount -t tmpfs none "$D/dev" && mkdir "$D/dev/shm"
for file in null zero full random urandom; do touch "$D/dev/$file" && mount --bind /dev/$file "$D/dev/$file"; done
mount --rbind "$D/dev" /dev
"#;

const TIME_LIMIT_VARIABLE: &str = "CUDA_EXTERNAL_CHECK_MACHINE_SECONDS";

#[derive(Clone)]
struct BrokenMachine {
    next: &'static str,
    says: &'static str,
    has_namespace: bool,
    shell: String,
}

fn broken_machines() -> Vec<BrokenMachine> {
    let rows = include_str!("machines.txt").lines().filter(|row| !row.is_empty() && !row.starts_with('#'));
    let machine = |row: &'static str| {
        let cells = Vec::from_iter(row.splitn(4, '|').map(str::trim));
        let [next, says, namespace, shell] = cells[..] else { panic!("{row}") };
        BrokenMachine { next, says, has_namespace: namespace == "yes", shell: shell.to_owned() }
    };
    rows.map(machine).collect()
}

/// The place of a remedy in the table: the one before the other is the one without which the other does nothing.
fn table_position(id: &str) -> usize {
    remedy_rows().position(|row| row.id == id).expect("the table has each remedy")
}

impl BrokenMachine {
    /// What the shell assigns, with the helpers' assignments, and the directories that it changes.
    fn changed_settings(&self) -> BTreeMap<String, String> {
        let mut changes = BTreeMap::new();
        for statement in self.shell.split("; ") {
            let words = Vec::from_iter(statement.split(' '));
            let helper =
                SHELL_HELPERS.lines().find_map(|line| line.strip_prefix(&format!("{}() {{ ", words[0])));
            let place = ["/dev", "devices", "/proc", "module", "gpu", "ulimit", "chmod", "$D/root"];
            let place = place.into_iter().find(|place| statement.contains(place));
            if let Some(body) = helper.and_then(|body| body.strip_suffix("; }")) {
                let body = body.replace("$1", words.get(1).unwrap_or(&""));
                for (name, value) in (Self { shell: body, ..self.clone() }).changed_settings() {
                    changes.entry(name).or_insert(value);
                }
            } else if words[0] == "unset" {
                changes.insert(words[1].to_owned(), String::new());
            } else if let Some((name, value)) =
                statement.split_once('=').filter(|(name, _)| !name.contains(' '))
            {
                // One of these variables takes the effect from the other.
                changes.insert(
                    name.replace("CPU_DEVICES", "CPU_FAULTS").replace("SHIM_LAST", "SHIM_UUID"),
                    value.to_owned(),
                );
            } else if let Some(place) = place {
                changes.insert(place.replace("devices", "/dev"), statement.to_owned());
            }
        }
        // A call that fails without the files in /dev is about them.
        if self.shell.contains("cuInit") {
            changes.entry("/dev".to_owned()).or_default();
        }
        // A machine that is not a container has a GPU and its module or has none, and its root is made there.
        if self.shell.contains("bare") {
            for name in ["gpu", "module", "$D/root"] {
                changes.entry(name.to_owned()).or_default();
            }
        }
        changes
    }

    /// The driver, for Vulkan and what follows: NVIDIA's, its name before lavapipe's UUID, or the one in software.
    fn driver_under_test(&self) -> Option<&str> {
        let helpers = [("egl ", "egl"), ("h200", "NVIDIA's"), ("compute_half", "NVIDIA's")];
        helpers.into_iter().find_map(|(helper, driver)| self.shell.contains(helper).then_some(driver))
    }

    /// This fault and another one on one machine, unless they cannot stand together: they change one thing in two ways,
    /// one changes all that the other does, one of them needs another driver, or a container and the other none, or both are
    /// calls of one round trip, of which the first counts.
    fn combined_with(&self, other: &Self) -> Option<Self> {
        let (changes, others) = (self.changed_settings(), other.changed_settings());
        let is_bare = |machine: &Self| machine.shell.contains("bare");
        let is_in_container =
            |machine: &Self| remedy_rows().any(|row| row.id == machine.next && row.page == "containers");
        let is_after_cuda = |machine: &Self| table_position(machine.next) >= table_position("wsl-no-vulkan");
        let is_round_trip = |machine: &Self| {
            (table_position("mps-context")..table_position("library-not-on-path"))
                .contains(&table_position(machine.next))
        };
        let contains = |some: &BTreeMap<_, _>, all: &BTreeMap<_, _>| {
            some.iter().all(|(name, value)| all.get(name) == Some(value))
        };
        let differs =
            |(name, value): (&String, &String)| others.get(name).is_some_and(|other| other != value);
        if changes.iter().any(differs)
            || contains(&changes, &others)
            || contains(&others, &changes)
            || is_round_trip(self) && is_round_trip(other)
            || is_bare(self) && is_in_container(other)
            || is_bare(other) && is_in_container(self)
            || is_after_cuda(self)
                && is_after_cuda(other)
                && self.driver_under_test() != other.driver_under_test()
        {
            return None;
        }
        // The root is made of what is mounted before, and the shell itself needs its files.
        let mut statements = Vec::from_iter(self.shell.split("; ").chain(other.shell.split("; ")));
        statements.sort_by_key(|statement| (statement.starts_with("ulimit"), *statement == "bare"));
        statements.dedup();
        let shell = statements.join("; ");
        let first = if table_position(self.next) <= table_position(other.next) { self } else { other };
        Some(Self {
            next: first.next,
            says: first.says,
            has_namespace: self.has_namespace || other.has_namespace,
            shell,
        })
    }
}

/// Every two faults of the rows that can stand together. A call that hangs takes its time, and is left out.
fn pairs_of_faults() -> Vec<BrokenMachine> {
    let mut rows = broken_machines();
    rows.retain(|machine| machine.next != "nothing-missing" && !machine.shell.contains("hang"));
    let pairs = rows.iter().enumerate().flat_map(|(at, first)| {
        let others = rows[at + 1..].iter().filter(|second| second.next != first.next);
        others.filter_map(|second| first.combined_with(second))
    });
    pairs.collect()
}

pub fn main() -> ExitCode {
    // The machine as it is: dev/scripts/on-cpu's.
    let whole =
        run_with_retry(Command::new(PROGRAM).arg("--machine"), |text| text.contains("every byte is right"));
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
    let files = Arc::new(is_software.then(|| MachineFiles::new(&text)));
    let mut trials = Vec::new();
    let mut add = |name: String, machines: Vec<BrokenMachine>| {
        let needs_namespace = machines.iter().any(|machine| machine.has_namespace);
        let needs = [&vulkan, &c, if needs_namespace { &namespaces } else { &c }];
        let files = files.clone();
        trials.push(test_support::test(&name, needs, move || {
            let files = files.as_ref().as_ref().expect("the test needs them");
            let wrong =
                Vec::from_iter(machines.iter().filter_map(|machine| check_remedy(machine, files).err()));
            assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), machines.len(), wrong.join("\n"));
        }));
    };
    for (at, machine) in broken_machines().into_iter().enumerate() {
        add(format!("{at}_{}", machine.next), vec![machine]);
    }
    let pairs = pairs_of_faults();
    // One of seven, but all of them for who asks: they take minutes.
    let every = if env::var_os("CUDA_EXTERNAL_CHECK_ALL_PAIRS").is_some() { 1 } else { 7 };
    for (at, pairs) in pairs.chunks(7 * 8).enumerate() {
        add(format!("pairs_{at}_of_8"), pairs.iter().step_by(every).cloned().collect());
    }
    test_support::run(trials, None)
}

/// Returns what is wrong with the sentence for a machine.
fn check_remedy(machine: &BrokenMachine, files: &MachineFiles) -> Result<(), String> {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let (namespace, start) = if machine.has_namespace {
        // Root of the namespace loses the right to read every file.
        (NAMESPACE_SETUP, "cd /; exec $ROOT setpriv --bounding-set=-all --inh-caps=-all --")
    } else {
        ("", "exec")
    };
    let shell =
        format!("{SHELL_HELPERS}{namespace}{}\n{start} \"$0\" --machine --json \"$1\"", machine.shell);
    let mut command = Command::new(if machine.has_namespace { "unshare" } else { "sh" });
    if machine.has_namespace {
        command.args(["-rm", "sh"]);
    }
    command.args(["-c", &shell, PROGRAM]).arg(file.path()).env("D", files.directory.path());
    command.env("LVP", &files.lavapipe).env("UUID", &files.uuid);
    let says = machine.says.replace("$D", &files.directory.path().to_string_lossy());
    let output = run_with_retry(&mut command, |text| text.contains(&says));
    let text = String::from_utf8_lossy(&output.stdout);
    let json: Value =
        serde_json::from_slice(&fs::read(file.path()).expect("it was written")).unwrap_or_default();
    let sentence = json["next"]["sentence"].as_str().unwrap_or_default();
    let code = i32::from(!text.contains("every byte is right"));
    let is_right = json["next"]["id"] == machine.next && sentence.contains(&says) && text.contains(sentence);
    if is_right && output.status.code() == Some(code) {
        return Ok(());
    }
    Err(format!("{} ({}), not {} by `{}`", json["next"]["id"], output.status, machine.next, machine.shell))
}

/// Runs it. On a busy machine a probe may need longer than a user waits: then once more, with a minute.
fn run_with_retry(command: &mut Command, is_right: impl Fn(&str) -> bool) -> Output {
    let output = command.output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    if is_right(&text) || !text.contains("did not return in time") {
        return output;
    }
    command.env(TIME_LIMIT_VARIABLE, "60").output().expect("the program starts")
}

/// The directory with the libraries and the manifests of all machines.
struct MachineFiles {
    directory: TempDir,
    /// lavapipe's manifest, and its UUID without the layer.
    lavapipe: String,
    uuid: String,
}

impl MachineFiles {
    /// Makes them on a machine that is whole, which printed this text.
    fn new(text: &str) -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        let is_manifest = |path: &&str| path.contains("/lvp_icd") && path.ends_with(".json");
        let mut words = text.split([' ', ',', ':', '\n']);
        let lavapipe = words.find(is_manifest).expect("lavapipe has a manifest").to_owned();
        let list = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let mut drivers = env::split_paths(&list).map(|path| path.join("libcuda.so.1"));
        let mut make = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doctor/make.sh"));
        make.env("CPU", drivers.find(|path| path.exists()).expect("it is on the path")).env("LVP", &lavapipe);
        let status = make.current_dir(directory.path()).status().expect("a shell");
        assert!(status.success(), "{make:?}: {status}");
        let json = directory.path().join("bare.json");
        let mut bare = Command::new(PROGRAM);
        bare.arg("--machine").arg("--json").arg(&json).env_remove("VK_INSTANCE_LAYERS");
        bare.env(TIME_LIMIT_VARIABLE, "60");
        bare.env("VK_DRIVER_FILES", &lavapipe).output().expect("the program starts");
        let json: Value = serde_json::from_slice(&fs::read(json).expect("it was written")).expect("JSON");
        let uuid = json["machine"]["vulkan"]["devices"][0]["uuid"].as_str().expect("lavapipe has one");
        Self { directory, lavapipe, uuid: uuid.trim_start_matches("GPU").replace('-', "") }
    }
}
