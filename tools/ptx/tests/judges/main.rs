//! Tests of the interpreter against an H200's recorded answers, and on random texts.

mod forms;
mod h200;
mod hostile;
mod images;
mod interpreter;
mod parallel;
mod questions;
mod random;
