#!/bin/bash
# check_symbols.sh BUILD: what the shared libraries export starts with noe_; what a file shares
# with other files starts with noe_ or with the file's own name (graph_derive.c: graph_), in
# the command also with cli_.
# SPDX-License-Identifier: MIT
set -euo pipefail
build=$1
status=0

for library in "$build"/libnoether.so "$build"/libnoether-quad.so; do
    [ -e "$library" ] || continue
    strangers=$(nm -D --defined-only "$library" | awk '$3 !~ /^noe_/ { print $3 }')
    if [ -n "$strangers" ]; then
        echo "$library exports:" $strangers
        status=1
    fi
done

while IFS= read -r object; do
    name=$(basename "$object" .c.o)
    name=${name%%_*} # graph_derive.c and sparse_none.c are parts of graph and sparse
    case $object in */src/cli/*) folder=cli_ ;; *) folder=noe_ ;; esac
    strangers=$(nm --extern-only --defined-only "$object" | awk -v name="$name" -v folder="$folder" '
        $3 != name && index($3, name "_") != 1 && index($3, folder) != 1 && $3 !~ /^noe_/ &&
        $3 != "main" { print $3 }')
    if [ -n "$strangers" ]; then
        echo "${object#"$build"/CMakeFiles/} shares:" $strangers
        status=1
    fi
done < <(find "$build/CMakeFiles" -path '*/noether*.dir/*' -name '*.c.o')

[ $status = 0 ] && echo "symbols: every shared name carries its prefix"
exit $status
