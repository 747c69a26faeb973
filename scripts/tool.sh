# Sourced by scripts/lint-scripts, scripts/package and scripts/workflow.
# shellcheck shell=bash

# Prints the path of a program: the installed one, or the one of a package from PyPI, which goes to target/tools.
tool() { # program, package==version
    local directory=${CARGO_TARGET_DIR:-$PWD/target}/tools/$1
    command -v "$1" && return
    [ -x "$directory/bin/$1" ] || {
        python3 -m venv "$directory"
        "$directory/bin/pip" --quiet --disable-pip-version-check install "$2" >&2
    }
    echo "$directory/bin/$1"
}
