#!/bin/sh
# bench.sh BUILD: runs every program of the bench folder in sequence. The tables and pictures are
# written to BUILD/bench.
# SPDX-License-Identifier: MIT
set -eu
build=$1
failed=
for program in "$build"/bench/*; do
    [ -x "$program" ] || continue
    echo "== $(basename "$program")"
    "$program" || failed="$failed $(basename "$program")"
done
for script in bench/*.py; do
    [ -e "$script" ] || continue
    case $script in */peer_*) continue ;; esac # served by a program
    echo "== $(basename "$script")"
    NOETHER=$build/noether python3 "$script" || failed="$failed $(basename "$script")"
done
echo "The tables (.txt, .csv) and pictures (.png) are in $build/bench."
[ -z "$failed" ] || { echo "bench: these failed:$failed" >&2 && exit 1; }
