//! Where cuda.h is found and what a build says, on fake machines: README.md.

// The machines have symbolic links and Linux's messages.
#![cfg(target_os = "linux")]

mod discovery;
mod fake_tree;
mod messages;
mod pkg_config;
