//! Tests of the interpreter: its results are compared with recorded answers of GPUs, and it loads texts with random
//! changes. Other tests cover refused modules, `printf`, images and workers.

mod h200_comparison;
mod instruction_forms;
mod interpreter_runner;
mod mutated_texts;
mod printf_output;
mod ptx_runner;
mod refused_modules;
mod texture_sampling;
mod worker_threads;
