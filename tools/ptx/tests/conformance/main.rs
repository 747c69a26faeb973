//! Tests of the interpreter against an H200's recorded answers, and on random texts.

mod h200_comparison;
mod instruction_forms;
mod interpreter_runner;
mod mutated_texts;
mod printf_output;
mod ptx_runner;
mod refused_modules;
mod texture_sampling;
mod worker_threads;
