#!/bin/sh
# What a call costs: times, instruction counts and machine code, for the modes `load` and `link`.
#
#     benches/call.sh
#     benches/call.sh aarch64-unknown-linux-gnu    that machine's code as well
#
# Needs Linux, a C compiler, valgrind and objdump; for another machine's code Rust's target and a
# cross compiler with its binutils (aarch64-linux-gnu-gcc).
set -eu
cd "$(dirname "$0")/.."
export CUDA_EXTERNAL_SYS_BINDINGS=embedded
CARGO_TARGET_DIR=$PWD/target/bench-call
export CARGO_TARGET_DIR

# Prints the executable's path.
build() { # features, bench, more
    features=$1
    bench=$2
    shift 2
    cargo bench --message-format=json --no-run --no-default-features --features "$features" --bench "$bench" "$@" |
        sed -n "s|.*\"name\":\"$bench\".*\"executable\":\"\([^\"]*\)\".*|\1|p"
}

counts() { # executable
    out=$CARGO_TARGET_DIR/callgrind.out
    valgrind --quiet --tool=callgrind --callgrind-out-file="$out" "$1" --count >/dev/null
    # Each loop made a million calls.
    callgrind_annotate --inclusive=yes --threshold=100 "$out" | awk '
        /:(c|rust)_[a-z_]+( |$)/ {
            sub(/ \([^)]*\)/, ""); name = $2; sub(/.*:/, "", name); gsub(/,/, "", $1)
            if ($1 >= 1e6) count[name] = $1 / 1e6
        }
        END {
            split("c_plt c_no_plt c_pointer rust_calls c_plt_alone rust_calls_alone", names)
            for (i = 1; i in names; i++) {
                plain = names[names[i] ~ /alone/ ? 5 : 1]
                printf "%-18s %5.2f  %.3f\n", names[i], count[names[i]], count[names[i]] / count[plain]
            }
        }'
}

code() { # objdump, file, function
    printf '\n%s:\n' "$3"
    "$1" -d --no-show-raw-insn --no-addresses --disassemble="$3" "$2" |
        awk '/>:$/ { on = 1; next } on && NF && !/^Disassembly|out of bounds/ && ++lines <= 20'
}

c=
for features in load link; do
    printf '\n== features: %s\n\n' "$features"
    call=$(build "$features" call)
    if [ -z "$c" ]; then
        # Where the bench puts the empty driver: a program of the mode `link` does not start without one.
        # The system's loader remembers directories that are not there.
        c=$(dirname "$call")/bench-c
        mkdir -p "$c"
        export LD_LIBRARY_PATH="$c${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    fi
    "$call" --bench
    printf '\ninstructions for each call, the callee included | ratio to C through its PLT\n'
    counts "$call"
    code objdump "$call" rust_calls
    code objdump "$call" rust_alone
done

printf '\n== features: load; the first call\n\n'
"$(build load first_call)" --bench

printf '\n== C\n'
code objdump "$c/plt.so" c_plt
code objdump "$c/plt.so" c_alone
code objdump "$c/plt.so" cuWaitExternalSemaphoresAsync@plt

if [ $# -gt 0 ]; then
    tools=$(echo "$1" | sed 's/-unknown//')
    linker=CARGO_TARGET_$(echo "$1" | tr a-z- A-Z_)_LINKER
    export "$linker=$tools-gcc"
    printf '\n== %s: this crate, load\n' "$1"
    call=$(build load call --target "$1")
    code "$tools-objdump" "$call" rust_calls
    code "$tools-objdump" "$call" rust_alone
    printf '\n== %s: C\n' "$1"
    "$tools-gcc" -O2 -shared -fPIC -o "$c/plt-$1.so" benches/call/loops.c
    code "$tools-objdump" "$c/plt-$1.so" c_plt
    code "$tools-objdump" "$c/plt-$1.so" c_alone
    code "$tools-objdump" "$c/plt-$1.so" cuWaitExternalSemaphoresAsync@plt
fi
