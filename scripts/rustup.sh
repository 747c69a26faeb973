# Sourced by scripts/msrv and scripts/targets/all.
# shellcheck shell=bash disable=SC2034 # the sourcing scripts use rust_bin

# Fetches a release of Rust into the directory by rustup, with clippy and with std for these targets, and sets `rust_bin`.
# Fails where there is no rustup or rustup can fetch nothing. The callers then use Debian 12's packages.
fetch_rust() { # release, directory, targets...
    local release=$1 directory=$2 targets
    shift 2
    targets=$(IFS=, && echo "$*")
    command -v rustup >/dev/null || return 1
    RUSTUP_HOME=$directory RUSTUP_MAX_RETRIES=1 rustup toolchain install "$release" --profile minimal --component clippy \
        ${targets:+--target "$targets"} --no-self-update >&2 || return 1
    rust_bin=$(echo "$directory/toolchains/$release"-*/bin)
}
