# Sourced by scripts/sanitizers and scripts/new-layout.
# shellcheck shell=bash

nightly_fetched=nightly-2026-05-20

# Whether the chosen toolchain has a part.
has_part() { # rust-src, miri or rustc
    case $1 in
    rust-src) test -d "$(rustc --print sysroot)/lib/rustlib/src/rust/library" ;;
    miri) cargo miri --version ;;
    *) rustc --version ;;
    esac >/dev/null 2>&1
}

# Chooses a nightly Rust with this part for this process: the installed one, or one that rustup fetches into target/rustup.
# Where there is none, prints why.
choose_nightly() { # part
    local output
    command -v rustup >/dev/null || { echo 'no rustup, which chooses a nightly Rust' && return 1; }
    export RUSTUP_TOOLCHAIN=nightly
    if has_part "$1"; then return 0; fi
    export RUSTUP_HOME=${CARGO_TARGET_DIR:-$PWD/target}/rustup RUSTUP_TOOLCHAIN=$nightly_fetched
    if has_part "$1"; then return 0; fi
    if ! output=$(rustup toolchain install "$nightly_fetched" --profile minimal --component miri,rust-src --no-self-update 2>&1); then
        printf 'the nightly Rust here lacks %s, and rustup fetches none: %s\n' "$1" "$(tail -1 <<<"$output")"
        return 1
    fi
}
