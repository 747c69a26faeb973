//! The groups of questions, in the order in which they are asked. What they share lies in `fixtures`.

// SAFETY of each call in a question, unless the question says otherwise: the pointers lead to variables of the types
// that the function reads and writes, and the objects of the handles are alive. A question with an invalid pointer or
// handle runs in a separate process.

mod descriptor_after_import;
mod fixtures;
mod import_sizes;
mod invalid_graphs;
mod invalid_memory;
mod invalid_semaphores;
mod teardown_order;

pub use fixtures::question::{Question, QuestionGroup, set_silence_limit};

pub fn all_question_groups() -> Vec<QuestionGroup> {
    let [memory, semaphores] = descriptor_after_import::groups();
    vec![
        memory,
        semaphores,
        teardown_order::group(),
        import_sizes::group(),
        invalid_memory::group(),
        invalid_semaphores::group(),
        invalid_graphs::group(),
    ]
}
