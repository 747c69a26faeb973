#!/usr/bin/env bash
# Checks the crate for every target that it supports, on one x86-64 machine with Debian, and runs it
# where an emulator can: AArch64 by qemu-user, Windows by Wine.
#
#     tests/targets.sh
#
# All tools are Debian's packages, unpacked into target/targets: nothing is installed, no root is
# needed, and no toolchain of the machine is touched or used. The first run takes some minutes and
# 5 GB; what is there is not fetched or built again. A part that cannot run says why, as ignored.
set -euo pipefail
cd "$(dirname "$0")/.."

repository=$PWD
work=$repository/target/targets
root=$work/root
bin=$work/bin
targets='x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-pc-windows-gnu x86_64-pc-windows-msvc'

section() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }
fail() {
    printf 'failed: %s\n' "$*" >&2
    exit 1
}

if ! command -v apt-get >/dev/null || [ "$(uname -m)" != x86_64 ]; then
    echo 'ignored: the tools are Debian packages for x86-64, and this machine has no apt-get or another processor'
    case ",${CUDA_EXTERNAL_SYS_REQUIRE:-}," in *,targets,* | *,all,*) exit 1 ;; esac
    exit 0
fi
mkdir -p "$work" "$bin"

# What was counted, a line for each part and target. Zero is a failure.
report=$work/report
: >"$report"
counted() { # target, part, number, unit
    [ "$3" -gt 0 ] || fail "$1: $2: nothing was $4"
    printf '%-26s %-12s %6s %s\n' "$1" "$2" "$3" "$4" | tee -a "$report"
}
ignored() { # target, part, why
    printf '%-26s %-12s ignored: %s\n' "$1" "$2" "$3" | tee -a "$report"
}
# Runs a command of cargo's; its words are shown where it fails.
quietly() {
    "$@" >"$work/log" 2>&1 || {
        cat "$work/log"
        fail "$*"
    }
}
passed() { sed -n 's/^test result: ok\. \([0-9]*\) passed.*/\1/p' "$work/log" | awk '{ sum += $1 } END { print sum + 0 }'; }

. tests/targets/tools.sh
. tests/targets/std.sh

section 'headers'
tests/fetch-headers | tail -1

. tests/targets/check.sh
. tests/targets/run.sh
. tests/targets/cross.sh

section 'all targets'
cat "$report"
tests=$(awk '$NF == "tests" { sum += $(NF - 1) } END { print sum + 0 }' "$report")
echo "$tests passed, 0 failed"
