//! Tests the search for cuda.h on fake machines. layouts.txt lists machines, each with the cuda.h that a build and a
//! cross build use. order_on_linux.txt lists the places that follow the variables for a toolkit's root, in the order of
//! the search, each with its include directories if they are not just `include` below the place. passed_over.txt lists
//! what the search passes over. The test program `build` runs the build script itself.

// The tests use symbolic links and Linux's messages.
#![cfg(target_os = "linux")]

mod fake_machine;
mod search_cases;
