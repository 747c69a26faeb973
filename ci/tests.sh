# Sourced by tests/run.sh and .ci/run after ci/steps.sh: every test that needs no other compiler or tool.
# shellcheck shell=bash disable=SC2154 # `target` is ci/steps.sh's

section 'Headers of all releases, and libclang'
step 'fetch the headers from PyPI' ci/fetch-headers
# bindgen finds a distribution's libclang by itself.
if [ -z "${LIBCLANG_PATH:-}" ] && ! find /usr/lib /usr/lib64 \( -name 'libclang.so*' -o -name 'libclang-[0-9]*.so*' \) \
    2>/dev/null | grep -q .; then
    step 'fetch libclang from PyPI' ci/fetch-headers libclang
    export LIBCLANG_PATH=$target/libclang
fi
# Debian's archive has them; what is fetched is required.
if reason=$(ci/fetch-drivers 2>&1); then
    step 'fetch libraries of drivers from Debian' ci/fetch-drivers
    [ -z "${CUDA_EXTERNAL_SYS_REQUIRE:-}" ] || CUDA_EXTERNAL_SYS_REQUIRE+=,driver-libraries
else
    step_ignored 'fetch libraries of drivers from Debian' "${reason##*$'\n'}"
fi

# Tests with these cargo arguments.
tests() { cargo test --no-fail-fast "$@"; }
# The crate's tests and those of its build script.
of_the_crate() { tests --package cuda-external-sys --package build-script "$@"; }
# The mock driver is the GPU, and Mesa's CPU the other device.
with_mock_driver() {
    CUDA_EXTERNAL_SYS_REQUIRE=${CUDA_EXTERNAL_SYS_REQUIRE:+$CUDA_EXTERNAL_SYS_REQUIRE,}gpu \
        LD_LIBRARY_PATH=$target/mock-driver/$(uname -m) "$@"
}
# Without a driver the example ends well too, so what it says is looked at.
share_memory() {
    with_mock_driver cargo run --example opaque_fd | tee "$target/opaque_fd"
    test "$(grep -c '^checked ' "$target/opaque_fd")" = 2
    with_mock_driver tests --test gpu -- memory::
}

section 'Tests'
tests_step 320 'as most programs use the crate: default features' tests
tests_step 8 'memory, shared by the mock driver and a CPU in Vulkan' share_memory
tests_step 190 'feature load alone' of_the_crate --no-default-features --features load
tests_step 80 'types alone' of_the_crate --no-default-features
tests_step 80 'feature link alone' of_the_crate --no-default-features --features link
tests_step 40 'features load and link' of_the_crate --features load,link --test build --test calls
tests_step 110 'cuda-external-check: each rule, and programs in C, Python and Rust' tests --package cuda-external-check
tests_step 15 'the parts that tests share, the merge by itself, and the tables of measurements' tests --all-features \
    --package test-support --package survey --package cuda-external-sys-build
