# Sourced by tests/run.sh and .ci/run: runs commands as steps, keeps what they print, and sums up.
#
# A step's output goes to a file in target/steps and is shown where the step fails. A step that runs tests counts as
# many as it ran, and any other step counts as one.
# shellcheck shell=bash

target=${CARGO_TARGET_DIR:-$PWD/target}
steps_logs=$target/steps
steps_passed=0 steps_failed=0 steps_ignored=0 steps_number=0 steps_times=''
rm -rf "$steps_logs"
mkdir -p "$steps_logs"

section() { printf '\n%s\n' "$*"; }

# The sum of a number in libtest's and libtest-mimic's last lines: `3 passed`.
tests_counted() { # log, word
    sed -n "s/^test result: .* \([0-9]*\) $2;.*/\1/p" "$1" | awk '{ sum += $1 } END { print sum + 0 }'
}

step() { # title, command...
    local title=$1 log started seconds code passed failed ignored
    shift
    steps_number=$((steps_number + 1))
    log=$steps_logs/$(printf %02d $steps_number)
    started=$SECONDS
    printf '  %-66s ' "$title"
    (set -e && "$@") >"$log" 2>&1
    code=$?
    seconds=$((SECONDS - started))
    steps_times+=$(printf '%5d s  %s' $seconds "$title")$'\n'
    passed=$(tests_counted "$log" passed) failed=$(tests_counted "$log" failed) ignored=$(tests_counted "$log" ignored)
    steps_ignored=$((steps_ignored + ignored))
    if [ "$code" -ne 0 ]; then
        printf 'FAILED, %s s\n' "$seconds"
        sed 's/^/    | /' "$log"
        steps_passed=$((steps_passed + passed))
        steps_failed=$((steps_failed + (failed > 0 ? failed : 1)))
    elif [ $((passed + ignored)) -gt 0 ]; then
        printf '%s passed, %s ignored, %s s\n' "$passed" "$ignored" "$seconds"
        steps_passed=$((steps_passed + passed))
    else
        printf 'ok, %s s\n' "$seconds"
        steps_passed=$((steps_passed + 1))
    fi
}

# For what this machine cannot do, with the reason.
step_ignored() { # title, reason
    steps_number=$((steps_number + 1))
    printf '  %-66s ignored: %s\n' "$1" "$2"
    printf 'test [%s: %s] %s ... ignored\n' "$1" "$2" "$1" >"$steps_logs/$(printf %02d $steps_number)"
    steps_ignored=$((steps_ignored + 1))
}

# Ends the script: what was ignored and why, and the counts.
steps_summary() {
    if [ "$steps_ignored" -gt 0 ]; then
        section 'Ignored, because this machine has'
        sed -n 's/^test \[\(.*\)\] .*\.\.\. ignored$/\1/p' "$steps_logs"/* | sort | uniq -c | sort -rn | cut -c 1-150
    fi
    printf '\n%s passed, %s failed, %s ignored\n' "$steps_passed" "$steps_failed" "$steps_ignored"
    [ "$steps_failed" -eq 0 ] && [ "$steps_passed" -gt 0 ]
}
