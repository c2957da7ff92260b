#!/bin/sh
# bench.sh BUILD: runs every program of the bench folder, one after the other.
# SPDX-License-Identifier: MIT
set -eu
build=$1
found=
for program in "$build"/bench/*; do
    [ -x "$program" ] || continue
    found=yes
    echo "== $(basename "$program")"
    "$program"
done
for script in bench/*.py; do
    [ -e "$script" ] || continue
    found=yes
    echo "== $(basename "$script")"
    NOETHER=$build/noether python3 "$script"
done
[ -n "$found" ] || echo "There are no benchmarks yet."
