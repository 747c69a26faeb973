//! For each rule a program that breaks it and one that does not. The test program runs one where a variable names it.

mod closes;
mod cuda;
mod descriptors;
mod graphs;
mod handles;
mod images;
mod lifetimes;
mod mappings;
mod semaphores;
mod variants;

use cuda_external_check::rules::Rule;
use variants::Variant;

/// Names the case that this process runs: `rule-name/bad` or `rule-name/good`.
pub const VARIABLE: &str = "CUDA_EXTERNAL_CHECK_CASE";

pub struct Case {
    pub rule: Rule,
    pub bad: fn(),
    pub good: fn(),
    /// The rules that the bad program breaks besides.
    pub also: &'static [Rule],
    /// The rules that the good program breaks, where it cannot do without: never the case's own.
    pub also_good: &'static [Rule],
    pub options: &'static [&'static str],
    pub gpus: &'static str,
    /// Whether it runs on a real driver too: where the exporter need not be Vulkan, and nothing is invented.
    pub on_gpu: bool,
}

impl Case {
    const fn new(rule: Rule, bad: fn(), good: fn()) -> Self {
        Self { rule, bad, good, also: &[], also_good: &[], options: &[], gpus: "1", on_gpu: true }
    }

    const fn also(self, also: &'static [Rule]) -> Self {
        Self { also, ..self }
    }

    const fn also_good(self, also_good: &'static [Rule]) -> Self {
        Self { also_good, ..self }
    }

    /// Needs semaphores or a device that the fake driver alone has.
    const fn fake(self) -> Self {
        Self { on_gpu: false, ..self }
    }
}

/// Every case. The test compares the list with the rules.
pub fn all() -> Vec<Case> {
    let rooms = [
        descriptors::cases(),
        handles::cases(),
        mappings::cases(),
        images::cases(),
        lifetimes::cases(),
        semaphores::cases(),
        graphs::cases(),
    ];
    rooms.into_iter().flatten().collect()
}

/// The programs beside the cases.
pub fn variants() -> impl Iterator<Item = &'static Variant> {
    variants::VARIANTS.iter().chain(closes::VARIANTS)
}

/// Runs the case of this process.
pub fn run(name: &str) {
    if let Some(variant) = variants().find(|variant| variant.name == name) {
        (variant.run)();
        return println!("reached the end");
    }
    let (rule, which) = name.split_once('/').expect("rule/bad or rule/good");
    let case = all().into_iter().find(|case| case.rule.row().id == rule).expect("a case of the rule");
    match which {
        "bad" => (case.bad)(),
        "good" => (case.good)(),
        _ => panic!("{which} is neither bad nor good"),
    }
    println!("reached the end");
}
