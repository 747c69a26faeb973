//! Tests of the search for cuda.h on fake machines: a file tree, variables, and a pkg-config that answers from a table.
//! Neither bindgen nor a C compiler is needed. The machines are data. layouts.txt has the cuda.h that is used on each.
//! order_on_linux.txt has the order of the search: how a cuda.h is found, and the include directories, unless there is
//! only `include` below the named directory. passed_over.txt has what cannot be used, and the warning. The program
//! `build` runs the build script itself.

// The machines have symbolic links and Linux's messages.
#![cfg(target_os = "linux")]

mod fake_machine;
mod search_cases;
