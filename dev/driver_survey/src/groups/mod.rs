//! The groups of questions, in the order in which the survey asks them. The groups share the code in `fixtures`.

// SAFETY of questions' calls, if no comment says otherwise: pointers are null or point to live data; handles are alive.

mod descriptor_after_import;
mod fixtures;
mod import_sizes;
mod invalid_graphs;
mod invalid_memory;
mod invalid_semaphores;
mod teardown_order;

pub use fixtures::question::{Question, QuestionGroup, set_hang_alarm};

pub fn all_question_groups() -> Vec<QuestionGroup> {
    let [memory, semaphores] = descriptor_after_import::descriptor_questions();
    vec![
        memory,
        semaphores,
        teardown_order::teardown_questions(),
        import_sizes::mapping_questions(),
        invalid_memory::invalid_memory_questions(),
        invalid_semaphores::invalid_semaphore_questions(),
        invalid_graphs::invalid_graph_questions(),
    ]
}
