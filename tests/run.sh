#!/usr/bin/env bash
# Runs every test. What they need and the machine lacks (the cuda.h of each release, libclang) is
# fetched from PyPI into target/; nothing is installed and no root is needed. What cannot run here
# (no GPU, say) is ignored, and the last lines say why.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
scripts/steps-test || exit
. scripts/steps.sh
. scripts/tests.sh
steps_summary
