# Sourced by tests/run.sh and .ci/run after scripts/steps.sh: the tests that need no further compiler or tool.
# shellcheck shell=bash disable=SC2154 # `target` is scripts/steps.sh's

section 'Headers of all releases, and libclang'
step 'fetch the headers from PyPI' scripts/fetch-headers
# bindgen finds a distribution's libclang by itself.
if [ -z "${LIBCLANG_PATH:-}" ] && ! find /usr/lib /usr/lib64 \( -name 'libclang.so*' -o -name 'libclang-[0-9]*.so*' \) \
    2>/dev/null | grep -q .; then
    step 'fetch libclang from PyPI' scripts/fetch-headers libclang
    export LIBCLANG_PATH=$target/libclang
fi
# Debian's archive has them.
if reason=$(scripts/fetch-drivers 2>&1); then
    step 'fetch libraries of drivers from Debian' scripts/fetch-drivers
else
    step_missing 'fetch libraries of drivers from Debian' "${reason##*$'\n'}"
    [ -z "${CUDA_EXTERNAL_SYS_REQUIRE:-}" ] || CUDA_EXTERNAL_SYS_REQUIRE+=,-driver-libraries
fi

# Runs tests with these arguments of cargo.
tests() { without_warnings cargo test --no-fail-fast "$@"; }
# The tests that compare bindings with headers and pages do not depend on the crate's features.
skip_comparisons=()
for name in clang_arguments docs edits every_release macros mutations names sizes surface; do
    skip_comparisons+=(--skip "$name::")
done
# The mock driver is the GPU, and Mesa's CPU the other device.
with_mock_driver() {
    CUDA_EXTERNAL_SYS_REQUIRE=${CUDA_EXTERNAL_SYS_REQUIRE:+$CUDA_EXTERNAL_SYS_REQUIRE,}gpu \
        LD_LIBRARY_PATH=$target/mock-driver/$(uname -m) "$@"
}
# The example succeeds without a driver too, so its output is checked.
share_memory() {
    with_mock_driver cargo run --profile test --example opaque_fd | tee "$target/opaque_fd"
    test "$(grep -c '^checked ' "$target/opaque_fd")" = 2
    with_mock_driver tests --test gpu -- memory::
}

section 'What only Windows compiles'
windows=x86_64-pc-windows-gnu
if rustup target list --installed 2>/dev/null | grep -qx $windows; then
    check_windows() {
        without_warnings env CUDA_EXTERNAL_SYS_BINDINGS=embedded \
            cargo check --target $windows --package cuda-external-sys --package interop --package tests --package benches --all-targets
    }
    step 'the crate and interop, checked for Windows' check_windows
else
    step_missing 'the crate and interop for Windows' "rustup has no $windows"
fi

section 'Tests'
# The numbers are those of x86-64; other machines have fewer tests. Whoever removes a test lowers its number.
least() { if [ "$(uname -m)" = x86_64 ]; then echo "$1"; else echo 1; fi; }
tests_step "$(least 495)" 'as most programs use the crate: default features' tests
tests_step "$(least 9)" 'memory, shared by the mock driver and a CPU in Vulkan' share_memory
tests_step "$(least 318)" 'feature load alone' tests --no-default-features --features load -- "${skip_comparisons[@]}"
tests_step "$(least 106)" 'types alone' tests --no-default-features -- "${skip_comparisons[@]}"
tests_step "$(least 126)" 'feature link alone' tests --no-default-features --features link -- "${skip_comparisons[@]}"
tests_step "$(least 46)" 'features load and link' tests --features load,link --test build --test calls
tests_step "$(least 165)" 'cuda-external-check: each rule, and programs in C, Python and Rust' tests --package cuda-external-check
tests_step "$(least 80)" 'the parts that tests share, the search by itself, and the tables of measurements' tests --all-features \
    --package test-support --package survey
