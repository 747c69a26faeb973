//! Random edits of the oldest, a middle and the newest release's header: each ends as the surface with the C compiler's
//! layouts, or as a reason, within seconds, and rustc accepts what is made.
//!
//! CUDA_EXTERNAL_SYS_EDITS is the number of edits, CUDA_EXTERNAL_SYS_EDITS_SEED the number that decides them.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::tempdir;
use test_support::build_script::host;

use super::random::{Edit, Random};
use super::{NEWER, NEWEST, OLDER, OLDEST, c_view, header, names};
use crate::layout::{comparison, releases};
use crate::support;

/// Edits in every run of the tests: seven seconds. CI makes more.
const COUNT: u64 = 30;
/// What an edit may take, on a machine that does other work too.
const LIMIT: Duration = Duration::from_secs(60);

#[derive(Default)]
struct Outcomes {
    /// How often each reason was given. The items' names are left out.
    refused: BTreeMap<String, u32>,
    /// The texts that were made, without those that differ in nothing.
    made: BTreeSet<String>,
    made_count: u32,
    /// Headers that clang takes and the C compiler does not.
    not_compared: u32,
    slowest: Duration,
    problems: Vec<String>,
}

pub fn random_edits() {
    let number = |name: &str| env::var(name).ok().map(|value| value.parse().expect("a number"));
    let count = number("CUDA_EXTERNAL_SYS_EDITS").unwrap_or(COUNT);
    let seed = number("CUDA_EXTERNAL_SYS_EDITS_SEED").unwrap_or(1);
    let headers: Vec<(&str, String)> =
        [OLDEST, OLDER, NEWEST, NEWER].map(|release| (release, without_comments(&header(release)))).to_vec();
    let names: BTreeSet<String> = comparison::read(releases::embedded()).type_names().cloned().collect();
    let (outcomes, next) = (Mutex::new(Outcomes::default()), AtomicU64::new(0));
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return;
            }
            let mut random = Random::new(seed * 1_000_000 + at);
            let (release, header) = &headers[random.below(headers.len())];
            let text = header.clone();
            let changes = 1 + random.below(3) / 2;
            let mut edit = Edit { text, random: &mut random, names: &names, done: Vec::new() };
            (0..changes).for_each(|_| edit.change());
            let done = format!("{release}, edit {at}: {}", edit.done.join("; "));
            try_one(&edit.text, &done, &outcomes);
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let outcomes = outcomes.into_inner().expect("no thread panicked");
    let refused: u32 = outcomes.refused.values().sum();
    println!(
        "{count} edits with seed {seed}: {} the surface ({} texts), {refused} refused, {} not compared, slowest {:?}\n{:#?}",
        outcomes.made_count,
        outcomes.made.len(),
        outcomes.not_compared,
        outcomes.slowest,
        outcomes.refused
    );
    c_view::compile(&outcomes.made.iter().collect::<Vec<_>>());
    assert!(outcomes.problems.is_empty(), "{}", outcomes.problems.join("\n\n"));
    // A grammar that changes nothing, or that breaks everything, would prove nothing.
    assert!(count < 50 || (u64::from(outcomes.made_count) * 5 > count && u64::from(refused) * 5 > count));
}

fn try_one(header: &str, done: &str, outcomes: &Mutex<Outcomes>) {
    let include = tempdir().expect("a temporary directory");
    fs::write(include.path().join("cuda.h"), header).expect("a file");
    let start = Instant::now();
    let run = test_support::build_script!(&host()).generate_from(include.path()).run();
    let time = start.elapsed();
    let made = run.bindings.as_ref().filter(|_| run.output.status.success());
    let mut problems = Vec::new();
    let (mut reason, mut is_compared) = (None, true);
    match made {
        Some(text) => {
            let bindings = comparison::read(text);
            let missing: Vec<_> = names(releases::embedded()).difference(&names(text)).cloned().collect();
            problems.extend((!missing.is_empty()).then(|| format!("missing: {missing:?}")));
            match c_view::problems(include.path(), header, &bindings) {
                Ok(found) => problems.extend(found),
                Err(_) => is_compared = false,
            }
        }
        None => {
            let report = support::exit_report(&run.output);
            match report.lines().skip_while(|line| !line.contains("found by")).nth(1) {
                Some(why) if !why.contains("panicked") => reason = Some(kind_of(why.trim())),
                _ => problems.push(report),
            }
        }
    }
    problems.extend((time > LIMIT).then(|| format!("{time:?}")));
    let mut outcomes = outcomes.lock().expect("no thread panicked");
    outcomes.problems.extend((!problems.is_empty()).then(|| format!("{done}\n  {}", problems.join("\n  "))));
    outcomes.slowest = outcomes.slowest.max(time);
    outcomes.not_compared += u32::from(!is_compared);
    if let Some(reason) = reason {
        *outcomes.refused.entry(reason).or_default() += 1;
    }
    if let Some(text) = made {
        outcomes.made_count += 1;
        outcomes.made.insert(text.clone());
    }
}

/// A reason without what is one header's own.
fn kind_of(why: &str) -> String {
    let is_name = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_lowercase()) && !word.contains(['_', '/', '.', ':'])
    };
    let words: Vec<&str> = why.split(' ').filter(is_name).take(8).collect();
    words.join(" ")
}

/// The header without its comments, which are most of it.
fn without_comments(header: &str) -> String {
    let (mut text, mut rest) = (String::new(), header);
    while let Some((code, comment)) = rest.split_once("/*") {
        text += code;
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    text += rest;
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default().trim_end());
    lines.filter(|line| !line.is_empty()).flat_map(|line| [line, "\n"]).collect()
}
