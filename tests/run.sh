#!/bin/sh
# Runs every test. What they need and the machine lacks (the cuda.h of each release, libclang) is
# fetched from PyPI into target/; nothing is installed and no root is needed. What cannot run here
# (no GPU, say) shows as ignored, with its reason.
set -eu
cd "$(dirname "$0")/.."

tests/fetch-headers
# bindgen finds a distribution's libclang by itself.
if [ -z "${LIBCLANG_PATH:-}" ] && ! find /usr/lib /usr/lib64 -name 'libclang.so*' -o -name 'libclang-[0-9]*.so*' \
    2>/dev/null | grep -q .; then
    tests/fetch-headers libclang
    LIBCLANG_PATH=$PWD/target/libclang
    export LIBCLANG_PATH
fi

# As most people use the crate; then the embedded bindings and nothing else; then types alone.
cargo test --no-fail-fast
# The memory tests once more, by the stand-in that tests/stand_in.rs left and Mesa's CPU Vulkan.
LD_LIBRARY_PATH=$PWD/target/stand-in cargo test --test opaque_fd --test vulkan_memory
cargo test --no-default-features --features load
cargo test --no-default-features
# And the linker's mode, in what needs no driver to start: what the build script says, and the pages' examples.
cargo test --no-default-features --features link --test messages
cargo test --no-default-features --features link --doc
