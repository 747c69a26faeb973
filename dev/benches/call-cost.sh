#!/bin/sh
# Measures the time and the instructions of a call of a driver function, in the modes `load` and `link`. Needs valgrind.
set -eu
cd "$(dirname "$0")/../.."
export CUDA_EXTERNAL_SYS_BINDINGS=embedded CARGO_TARGET_DIR="$PWD/target/bench-call"

for features in load link; do
    printf '\n== features: %s\n\n' "$features"
    call=$(cargo bench --message-format=json --no-run --package benches --no-default-features --features "$features" |
        sed -n 's|.*"name":"call".*"executable":"\([^"]*\)".*|\1|p')
    # In the mode `link`, the bench does not start without a driver. So the loader must find the empty driver, which the
    # bench has written in the mode `load`. The directory must exist at the start: the loader remembers a missing one.
    mkdir -p "${call%/*}/bench-c"
    export LD_LIBRARY_PATH="${call%/*}/bench-c${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    "$call" --bench
    printf '\ninstructions for each call, the callee included | ratio to C through its PLT\n'
    out=$CARGO_TARGET_DIR/callgrind.out
    valgrind --quiet --tool=callgrind --callgrind-out-file="$out" "$call" --count >/dev/null
    # Each loop made a million calls.
    callgrind_annotate --inclusive=yes --threshold=100 "$out" | awk '
        /:(c|rust)_[a-z_]+( |$)/ {
            sub(/ \([^)]*\)/, ""); name = $2; sub(/.*:/, "", name); gsub(/,/, "", $1)
            if ($1 >= 1e6) count[name] = $1 / 1e6
        }
        END {
            split("c_plt rust_calls c_plt_alone rust_calls_alone", names)
            for (i = 1; i in names; i++) {
                plain = names[names[i] ~ /alone/ ? 3 : 1]
                printf "%-18s %5.2f  %.3f\n", names[i], count[names[i]], count[names[i]] / count[plain]
            }
        }'
done
