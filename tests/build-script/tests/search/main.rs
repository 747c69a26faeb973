//! Tests the search for cuda.h on fake machines. The test program `build` runs the build script itself.

// The tests use symbolic links and Linux's messages.
#![cfg(target_os = "linux")]

mod fake_machine;
mod search_cases;
