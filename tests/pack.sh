#!/bin/sh
# Packs the tests that need a GPU, and the examples, for a machine that has one and no Rust.
#
#     tests/pack.sh FOLDER [CARGO ARGUMENTS]
#
# Then copy FOLDER to that machine and run FOLDER/run there; FOLDER/run NAME... runs some of it.
# The programs are of this machine's architecture, optimized and stripped: some 2 MiB each.
set -eu

if [ $# -eq 0 ] || [ "${1#-}" != "$1" ]; then
    echo "usage: tests/pack.sh FOLDER [CARGO ARGUMENTS]" >&2
    exit 2
fi
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."

# The package `interop` has every test that needs a GPU, and one of formats, which needs none.
tests=$(sed -n 's|^path = "../tests/\([a-z_]*\).*|\1|p' interop/Cargo.toml | grep -vx dxgi)
targets=$(for name in $tests; do printf ' --test %s' "$name"; done)

mkdir -p "$folder/tests" "$folder/examples"
rm -f "$folder/tests/"* "$folder/examples/"*
export CARGO_PROFILE_RELEASE_STRIP=true
# Cargo says where each executable is, in JSON.
executables() {
    sed -n 's/.*"executable":"\([^"]*\)".*/\1/p'
}
# shellcheck disable=SC2086 # several words each
cargo test -p interop --release --no-run --message-format=json $targets "$@" | executables | while read -r program; do
    # Without the hash that cargo appends.
    name=$(basename "$program")
    cp "$program" "$folder/tests/${name%-*}"
done
examples=$(grep -L 'cfg(windows)' examples/*.rs | sed 's|examples/||; s|\.rs$||') # not Windows' own
targets=$(for name in $examples; do printf ' --example %s' "$name"; done)
# shellcheck disable=SC2086
cargo build -p interop --release --message-format=json $targets "$@" | executables | while read -r program; do
    cp "$program" "$folder/examples/"
done

cp tests/pack/run "$folder/run"
du -sh "$folder"
ls "$folder/tests" "$folder/examples"
