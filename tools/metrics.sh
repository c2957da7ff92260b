#!/bin/sh
# metrics.sh: prints the lengths of functions and files, and those that exceed the limits.
# SPDX-License-Identifier: MIT
set -eu
LC_ALL=C
export LC_ALL
list=$(mktemp)
trap 'rm -f "$list"' EXIT

# "lines file:line name" of every function: from the line with its opening brace to its end.
find src include tests bench -name '*.[ch]' 2>/dev/null | sort | xargs awk '
    /^[A-Za-z].*\(/ { signature = $0 }
    /^[A-Za-z ].*\) \{$/ && !start {
        name = signature; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name); start = FNR }
    /^\}/ && start { print FNR - start + 1, FILENAME ":" start, name; start = 0 }
    FNR == 1 { start = 0 }' | sort -n >"$list"

percentile() { awk -v p="$1" '{ a[NR] = $1 } END { i = int(NR*p + 0.999999); print a[i] + 0 }' "$list"; }
echo "functions: $(wc -l <"$list"), median $(percentile 0.5), 95 % $(percentile 0.95)," \
    "longest $(percentile 1) lines"
awk '$1 > 80 { print "  over 80 lines: " $0 }' "$list"
echo "the longest:"
tail -n 10 "$list" | sed 's/^/  /'

lines() { find "$@" -name '*.[chpy]*' -type f 2>/dev/null | xargs -r cat | wc -l; }
echo "files: $(find src include -name '*.[ch]' | wc -l), sources $(lines src include) lines," \
    "tests $(lines tests) lines, public header $(wc -l <include/noether.h) lines"
find src include tests bench -name '*.[ch]' 2>/dev/null | xargs wc -l |
    awk '$2 != "total" && $1 > 500 { print "  over 500 lines: " $1, $2 }'
find src include tests bench examples -name '*.[ch]' 2>/dev/null |
    xargs awk 'length($0) > 100 { print "  over 100 columns: " FILENAME ":" FNR }'
