//! The exporter destroys a timeline semaphore and creates a new one, while an import of the old one is alive or the
//! program continues to count.

use example_support::Result;
use example_support::vulkan::Semaphore;

use self::TimelineStep::{SignalInVulkan, SignalNew, SignalOld, WaitNew, WaitOld};
use super::fixtures::exported_memory::{code_at_stream_end, create_stream, import, signal, wait};
use super::fixtures::opened_devices::vulkan;
use super::fixtures::question::{Question, QuestionGroup, answer, answer_code};

/// The import that is used, of the old timeline or of the new one, and the value.
#[derive(Clone, Copy)]
enum TimelineStep {
    WaitOld(u64),
    SignalOld(u64),
    WaitNew(u64),
    SignalNew(u64),
    SignalInVulkan(u64),
}

/// The program counted to 5 on the old timeline.
const STEPS_AFTER_FIVE: [(&str, &[TimelineStep]); 8] = [
    ("old import, waits for a value that was reached", &[WaitOld(5)]),
    ("old import, signals the next value", &[SignalOld(6)]),
    ("old import, signals, then waits for it", &[SignalOld(6), WaitOld(6)]),
    ("old import waits for the next value, which the new one signals", &[SignalInVulkan(6), WaitOld(6)]),
    ("new import, waits for a value that the old one reached", &[WaitNew(5)]),
    ("new import, signals the next value of the old count", &[SignalNew(6)]),
    ("new import, signals 6, then waits for 5", &[SignalNew(6), WaitNew(5)]),
    ("new import, signals 6, then 1", &[SignalNew(6), SignalNew(1)]),
];

pub fn group() -> QuestionGroup {
    QuestionGroup::new(
        "timelines",
        STEPS_AFTER_FIVE.map(|(name, all)| Question::new(name, move || ask_driver(all)).limit(15)),
    )
}

fn ask_driver(all: &[TimelineStep]) -> Result<()> {
    let first = Semaphore::timeline(vulkan(0)?, 0)?;
    let old = import(&first)?;
    first.signal(5)?;
    drop(first);
    let new_in_vulkan = Semaphore::timeline(vulkan(0)?, 0)?;
    let (new, stream) = (import(&new_in_vulkan)?, create_stream()?);
    for what in all {
        answer_code(match *what {
            WaitOld(value) => wait(old, value, stream),
            SignalOld(value) => signal(old, value, stream),
            WaitNew(value) => wait(new, value, stream),
            SignalNew(value) => signal(new, value, stream),
            SignalInVulkan(value) => {
                new_in_vulkan.signal(value)?;
                continue;
            }
        });
        answer(format!("the stream: {:?}", code_at_stream_end(stream)));
        answer(format!("the new timeline: {}", new_in_vulkan.value()?));
    }
    Ok(())
}
