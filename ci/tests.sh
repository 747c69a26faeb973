# Sourced by tests/run.sh and .ci/run after ci/steps.sh: every test that needs no other compiler or tool.
# shellcheck shell=bash disable=SC2154 # `target` is ci/steps.sh's

# Tests with these cargo arguments. What REQUIRE names must be here, as far as the caller asks for it.
tests() { # arguments...
    cargo test --no-fail-fast "$@"
}

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

section 'Tests'
step 'as most programs use the crate: default features' tests
# The mock driver is the GPU, and Mesa's CPU the other device.
with_mock_driver() { LD_LIBRARY_PATH=$target/mock-driver/$(uname -m) "$@"; }
share_memory() {
    with_mock_driver cargo run --example opaque_fd
    with_mock_driver cargo test --test gpu -- memory::
}
step 'memory, shared by the mock driver and a CPU in Vulkan' share_memory
step 'feature load alone' tests --package cuda-external-sys --package build-script --no-default-features --features load
step 'types alone' tests --package cuda-external-sys --package build-script --no-default-features
step 'feature link alone' tests --package cuda-external-sys --package build-script --no-default-features --features link
step 'features load and link' tests --package cuda-external-sys --package build-script --no-default-features --features load,link --test build --test calls
step 'the parts that tests share, and the tables of measurements' tests --package test-support --package survey
