#!/bin/sh
# embed.sh OUT NAME FILE...: writes the concatenated files as the C string `const char NAME[]`.
# Lines that include one another by #include "..." are left out.
# SPDX-License-Identifier: MIT
set -eu
out=$1 name=$2
shift 2
mkdir -p "$(dirname "$out")"
{
    echo "/* Written by tools/embed.sh. */"
    echo "extern const char $name[];"
    echo "const char $name[] ="
    cat "$@" | sed -e '/^#include "/d' -e 's/\\/\\\\/g' -e 's/"/\\"/g' \
        -e 's/^/    "/' -e 's/$/\\n"/'
    echo "    ;"
} >"$out.new"
mv "$out.new" "$out"
