# Sourced by tests/run.sh and .ci/run: runs commands as steps, keeps their output, and prints a summary. scripts/steps-test
# tests it.
#
# A step's output goes to a file in target/steps and is shown where the step fails. A step that runs tests counts as
# many as it ran, and any other step counts as one.
# shellcheck shell=bash

target=${CARGO_TARGET_DIR:-$PWD/target}
steps_logs=$target/steps
steps_passed=0 steps_failed=0 steps_ignored=0 steps_number=0 steps_times='' steps_missing=''
rm -rf "$steps_logs"
mkdir -p "$steps_logs"

section() { printf '\n%s\n' "$*"; }

# The sum of a number in libtest's and libtest-mimic's last lines: `3 passed`.
tests_counted() { # log, word
    sed -n "s/^test result: .* \([0-9]*\) $2;.*/\1/p" "$1" | awk '{ sum += $1 } END { print sum + 0 }'
}

# Counts the tests that this build leaves out. The other ignored tests need something that the machine lacks.
tests_off() { # log
    grep -c '^test \[.*: it is off in this build\] .* ignored$' "$1"
}

# Runs a command as a step.
step() { # title, command...
    tests_step 0 "$@"
}

# Runs tests as a step with the least number that there must be: those that pass, and those that are ignored because of the
# machine. CUDA_EXTERNAL_SYS_REQUIRE lists what the machine must have.
tests_step() { # least, title, command...
    local least=$1 title=$2 log started seconds code passed failed ignored reason=''
    shift 2
    steps_number=$((steps_number + 1))
    log=$steps_logs/$(printf %02d $steps_number)
    started=$SECONDS
    printf '  %-66s ' "$title"
    # In a subshell with -e: every command of a function must succeed, not its last one alone.
    (set -e; "$@") >"$log" 2>&1
    code=$?
    seconds=$((SECONDS - started))
    steps_times+=$(printf '%5d s  %s' $seconds "$title")$'\n'
    passed=$(tests_counted "$log" passed) failed=$(tests_counted "$log" failed) ignored=$(tests_counted "$log" ignored)
    steps_passed=$((steps_passed + passed)) steps_ignored=$((steps_ignored + ignored))
    if [ "$code" -ne 0 ]; then
        reason="exit status $code"
    elif [ "$failed" -ne 0 ]; then
        reason="$failed failed, and the exit status is 0"
    elif [ $((passed + ignored - $(tests_off "$log"))) -lt "$least" ]; then
        reason="$passed passed, $ignored ignored; at least $least must be there"
    elif [ "$least" -gt 0 ] && [ "$passed" -eq 0 ]; then
        printf '%s ignored, and none passed\n' "$ignored"
        steps_missing+="  $title: none of its tests ran"$'\n'
        return
    fi
    if [ -n "$reason" ]; then
        printf 'FAILED, %s s: %s\n' "$seconds" "$reason"
        sed 's/^/    | /' "$log"
        steps_failed=$((steps_failed + (failed > 0 ? failed : 1)))
    elif [ $((passed + ignored)) -gt 0 ]; then
        printf '%s passed, %s ignored, %s s\n' "$passed" "$ignored" "$seconds"
    else
        printf 'ok, %s s\n' "$seconds"
        steps_passed=$((steps_passed + 1))
    fi
}

# Runs cargo. A warning of the compiler is a failure. cargo repeats those of earlier builds. A build script's own warnings
# begin with the package's name and version: `warning: cuda-external-sys@0.1.0: …`.
without_warnings() { # command...
    local status=0
    "$@" >"$target/cargo-output" 2>&1 || status=$?
    cat "$target/cargo-output"
    if grep -q '^warning: [^@]*$' "$target/cargo-output"; then
        echo 'the compiler has a warning' >&2
        return 1
    fi
    return $status
}

# What could run here once must run again: `CI`, which hosted machines set, requires it from the first time on.
optional() { # title, the command that prints why it cannot run, command...
    local title=$1 missing=$2 ran=$target/ran/$1 reason
    shift 2
    if ! reason=$($missing); then
        mkdir -p "$ran"
        "$@"
    elif [ -e "$ran" ] || [ "${CI:-}" = true ]; then
        step "$title: $reason" false
    else
        step_missing "$title" "$reason"
    fi
}

# Reports a step that this machine cannot run, with the reason, here and in the summary.
step_missing() { # title, reason
    printf '  %-66s did not run: %s\n' "$1" "$2"
    steps_missing+="  $1: $2"$'\n'
}

# Prints what was ignored and why, what did not run, and the counts. Fails where a step failed or none passed.
steps_summary() {
    if [ "$steps_ignored" -gt 0 ]; then
        section 'Ignored, because this machine has'
        sed -n 's/^test \[\(.*\)\] .*\.\.\. ignored$/\1/p' "$steps_logs"/* | sort | uniq -c | sort -rn | cut -c 1-150
    fi
    if [ -n "$steps_missing" ]; then
        section 'Did not run'
        printf %s "$steps_missing"
    fi
    printf '\n%s passed, %s failed, %s ignored\n' "$steps_passed" "$steps_failed" "$steps_ignored"
    [ "$steps_failed" -eq 0 ] && [ "$steps_passed" -gt 0 ]
}
