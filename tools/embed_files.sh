#!/bin/sh
# embed_files.sh OUT FILE...: the files as the C table source_files, by their paths below src/ or
# include/.
# SPDX-License-Identifier: MIT
set -eu
out=$1
shift
mkdir -p "$(dirname "$out")"
{
    echo "/* Written by tools/embed_files.sh. */"
    echo '#include "model/jit/amalgam.h"'
    echo "extern const struct source_file source_files[];"
    echo "const struct source_file source_files[] = {"
    for file in "$@"; do
        path=${file##*/src/}
        path=${path##*/include/}
        echo "    {\"$path\","
        sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/     "/' -e 's/$/\\n"/' "$file"
        echo "    },"
    done
    echo "    {0, 0}};"
} >"$out.new"
mv "$out.new" "$out"
