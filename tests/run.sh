#!/usr/bin/env bash
# Runs every test. What they need and the machine lacks (the cuda.h of each release, libclang) is fetched from PyPI into
# target/; nothing is installed and no root is needed. What cannot run here (no GPU, say) is ignored, and the last lines say
# why. It ends at the first command that fails. `tests/run.sh validation` has Vulkan's validation layer watch the tests of a GPU.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
mkdir -p "$target"
log=$target/tests.log
: >"$log"

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
# From Debian's archive, which other machines do not have.
dev/scripts/fetch-drivers &
drivers=$!
# bindgen finds a distribution's libclang by itself.
if [ -z "${LIBCLANG_PATH:-}" ] &&
    [ -z "$(find /usr/lib /usr/lib64 \( -name 'libclang.so*' -o -name 'libclang-[0-9]*.so*' \) -print -quit 2>/dev/null)" ]; then
    dev/scripts/fetch-headers libclang
    export LIBCLANG_PATH=$target/libclang
fi
# All packages at once, here and below: chosen singly, what they have in common has other features and is compiled again.
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
# Where the build script or the crate decides by them: examples, calls and bindings beside headers are the same in each.
# All three packages at once: what they share is compiled once for each.
for features in '' link load,link; do
    chosen=(--package cuda-external-sys --package build-script --package tests --no-default-features --features "$features")
    tests "${chosen[@]}" --test build --test pure
    [ "$features" = load,link ] || tests "${chosen[@]}" --doc
done
