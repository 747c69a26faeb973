#!/usr/bin/env bash
# Runs every test. Fetches what the tests need and the machine lacks (the cuda.h of each release, libclang) from PyPI
# into target/. Installs nothing and needs no root. Ignores a test that cannot run on this machine, for example for lack
# of a GPU, and prints the reasons at the end. Ends at the first command that fails. `tests/run.sh validation` runs the
# GPU tests under Vulkan's validation layer.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
mkdir -p "$target"
log=$target/tests.log
: >"$log"

# A tenth less to compile than with incremental state, which helps a second build after a change.
export CARGO_INCREMENTAL=${CARGO_INCREMENTAL:-0}

section() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }
tests() { cargo test --no-fail-fast "$@" 2>&1 | tee -a "$log"; }
ignored() {
    section 'Ignored, because this machine has'
    sed -n 's/^test \[\(.*\)\] .*\.\.\. ignored$/\1/p' "$log" | sort | uniq -c | sort -rn | cut -c 1-150
}
trap 'kill $(jobs -p) 2>/dev/null || true; ignored' EXIT

section 'Headers of all releases, libclang, libraries of drivers; meanwhile the tests are compiled'
dev/scripts/fetch-headers &
headers=$!
# fetch-drivers needs Debian's archive. If it fails, the tests of the drivers' libraries are ignored.
dev/scripts/fetch-drivers &
drivers=$!
# bindgen finds a distribution's libclang by itself.
libclang=$(find /usr/lib /usr/lib64 -name 'libclang.so*' -o -name 'libclang-[0-9]*.so*' 2>/dev/null) || true
if [ -z "${LIBCLANG_PATH:-}$libclang" ]; then
    dev/scripts/fetch-headers libclang
    export LIBCLANG_PATH=$target/libclang
fi
# Builds all packages at once: for a single package, cargo would compile the dependencies again, with other features.
tests --workspace --no-run
wait $headers
wait $drivers || [ -z "${CUDA_EXTERNAL_SYS_REQUIRE:-}" ] || CUDA_EXTERNAL_SYS_REQUIRE+=,-driver-libraries

section 'Default features; beside it, since they wait for one another, the tests of a GPU'
dev/scripts/cpu-tests "$@" >"$target/cpu-tests.log" 2>&1 &
cpu=$!
tests --workspace
section 'The tests of a GPU, on the CUDA driver in software'
status=0
wait $cpu || status=$?
tee -a "$log" <"$target/cpu-tests.log"
[ $status = 0 ]

section 'The other features'
# Runs only the test programs whose results depend on the features.
for features in '' link load,link; do
    chosen=(--no-default-features --features "$features" --package cuda-external-sys --package tests)
    tests "${chosen[@]}" --package build-script --test build --test pure
    [ "$features" = load,link ] || tests "${chosen[@]}" --doc
done
