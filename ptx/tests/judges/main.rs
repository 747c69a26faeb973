//! What judges the interpreter: an H200's recorded answers, and texts that nobody wrote.

mod forms;
mod h200;
mod hostile;
mod interpreter;
mod parallel;
mod questions;
mod random;
