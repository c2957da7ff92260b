#!/bin/bash
# check.sh BUILD JOBS [OPTIONS]: runs the tests of a build, all of them or those that options of
# ctest select. The last line is the summary of ctest.
# SPDX-License-Identifier: MIT
set -uo pipefail
build=$1 jobs=$2
shift 2
log=$build/check.log
ctest --test-dir "$build" --output-on-failure --parallel "$jobs" "$@" | tee "$log"
status=${PIPESTATUS[0]}
if ! grep 'tests passed' "$log"; then
    echo "no test was run"
    exit 1
fi
exit "$status"
