//! Tests of the interpreter: comparisons of results with recorded answers of GPUs, texts of PTX with random changes,
//! refused modules, `printf`, images and workers.

mod h200_comparison;
mod instruction_forms;
mod interpreter_runner;
mod mutated_texts;
mod printf_output;
mod ptx_runner;
mod refused_modules;
mod texture_sampling;
mod worker_threads;
