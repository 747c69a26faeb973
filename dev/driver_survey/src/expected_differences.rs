//! Compares a run's answers with the answers in ANSWERS.md.

use crate::groups::QuestionGroup;
use crate::results_file::MachineResults;

/// The machine whose answers cuda-external-cpu must give.
pub const EXPECTED_MACHINE: &str = "H200, 580.159.04";

const NO_DMA_BUF: &str = "the driver in software exports no dma-buf";
const RETURNS: &str = "NVIDIA's driver hangs where the one in software returns";
const NOT_COUNTED: &str = "CUDA's free memory does not count what lavapipe allocates: it is the machine's";

/// Answers of cuda-external-cpu that may differ from `EXPECTED_MACHINE`'s: the group, the question and the reason.
pub const DIFFERENCES: &[(&str, &str, &str)] = &[
    ("import-memory", "dma-buf", NO_DMA_BUF),
    ("import-memory", "dma-buf, type DMABUF_FD", NO_DMA_BUF),
    ("teardown", "a semaphore with a wait that never ends", RETURNS),
    ("teardown", "the documented order, memory of Vulkan", NOT_COUNTED),
];

/// Prints the answers that differ from `expected`, and returns an error if one of them has no reason in `reasons`.
pub fn print_answer_differences(
    groups: &[QuestionGroup],
    expected: &MachineResults,
    (new, failures): &(MachineResults, Vec<String>),
    reasons: &[(&str, &str, &str)],
) -> Result<(), String> {
    let (mut equal, mut all, mut unexplained) = (0, 0, 0);
    for (group, question) in
        groups.iter().flat_map(|group| group.questions.iter().map(move |question| (group, question)))
    {
        // `expected` has no answer if the machine lacked what the question needs, such as a second GPU.
        let Some(before) = expected.answer_to(group.name, &question.name) else { continue };
        all += 1;
        let now = new.answer_to(group.name, &question.name).unwrap_or("no answer");
        if without_signal_name(now) == without_signal_name(before) {
            equal += 1;
            continue;
        }
        let listed =
            reasons.iter().find(|(of_group, name, _)| *of_group == group.name && *name == question.name);
        unexplained += usize::from(listed.is_none());
        let reason = listed.map_or("NO REASON IS LISTED", |(_, _, reason)| reason);
        println!(
            "{}: {}: {now}; {}: {before} ({reason})",
            group.name,
            question.name,
            expected.machine.machine_key()
        );
    }
    failures.iter().for_each(|failure| println!("failed: {failure}"));
    println!("{equal} of {all} answers are equal");
    if unexplained > 0 {
        return Err(format!("{unexplained} answers differ without a listed reason"));
    }
    Ok(())
}

/// Removes the signal's name from a crash, so that crashes by different signals are equal answers.
fn without_signal_name(answer: &str) -> String {
    answer.split_once("crash ").map_or(answer.to_owned(), |(before, _)| format!("{before}crash"))
}
