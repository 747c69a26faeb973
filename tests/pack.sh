#!/bin/sh
# Packs the tests that need a GPU, and the examples, for a machine that has one and no Rust:
# tests/pack.sh DIRECTORY [CARGO ARGUMENTS]
exec "$(dirname "$0")/../ci/pack-gpu-tests" "$@"
