//! Tests of the interpreter: against recorded answers of GPUs, on texts with random changes, and of refusals, `printf`,
//! images and workers.

mod h200_comparison;
mod instruction_forms;
mod interpreter_runner;
mod mutated_texts;
mod printf_output;
mod ptx_runner;
mod refused_modules;
mod texture_sampling;
mod worker_threads;
