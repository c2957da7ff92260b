#!/bin/sh
# lint.sh BUILD: clang-tidy over the library and the command; BUILD is a build made with clang.
# SPDX-License-Identifier: MIT
set -eu
build=$1
find src -name '*.c' | sed "s#^#$PWD/#" |
    while read -r file; do # only what this build compiles
        if grep -q "\"file\": \"$file\"" "$build/compile_commands.json"; then echo "$file"; fi
    done | xargs -P "$(nproc)" -n 8 clang-tidy --quiet -p "$build" 2>/dev/null
echo "clang-tidy: nothing found"
