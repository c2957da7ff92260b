#!/bin/bash
# check_symbols.sh BUILD: symbols that the shared libraries export start with noe_; symbols that a
# file shares with other files start with noe_ or with a word of the file's name (graph_derive.c:
# graph_; lie_newmark.c: lie_newmark_ or newmark_) or of its folders (cli_).
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
    words=$(echo "${object##*/src/}" | sed 's/\.c\.o$//; s|/|_|g')
    strangers=$(nm --extern-only --defined-only "$object" | awk -v words="$words" '
        BEGIN { count = split(words, word, "_") }
        function is_named(symbol, i) {
            for (i = 1; i <= count; i++)
                if (symbol == word[i] || index(symbol, word[i] "_") == 1) return 1
            return symbol ~ /^noe_/
        }
        $3 != "main" && !is_named($3) { print $3 }')
    if [ -n "$strangers" ]; then
        echo "${object#"$build"/CMakeFiles/} shares:" $strangers
        status=1
    fi
done < <(find "$build/CMakeFiles" -path '*/noether*.dir/*' -path '*/src/*' -name '*.c.o')

[ $status = 0 ] && echo "symbols: every shared name carries its prefix"
exit $status
