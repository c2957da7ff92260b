#!/bin/sh
# registry.sh OUT FILE...: writes the C tables of methods, spaces and formats from file names.
# SPDX-License-Identifier: MIT
set -eu
out=$1
shift
LC_ALL=C
export LC_ALL
mkdir -p "$(dirname "$out")"

# The names in folder $1 whose file defines the symbol $2NAME.
names() {
    folder=$1 prefix=$2
    shift 2
    for file in "$@"; do
        case $file in */"$folder"/*.c) ;; *) continue ;; esac
        name=$(basename "$file" .c)
        if grep -q "^const struct [a-z_]* $prefix$name\b" "$file"; then echo "$name"; fi
    done | sort
}

# One NULL-terminated array of pointers: folder, symbol prefix, type, array name, operator.
table() {
    folder=$1 prefix=$2 type=$3 array=$4 suffix=$5
    shift 5
    found=$(names "$folder" "$prefix" "$@")
    for name in $found; do echo "extern const struct $type $prefix$name$suffix;"; done
    echo "const struct $type *const $array[] = {"
    for name in $found; do
        if [ -n "$suffix" ]; then echo "    $prefix$name,"; else echo "    &$prefix$name,"; fi
    done
    echo "    0};"
}

{
    echo "/* Written by tools/registry.sh from the names of the files. */"
    echo '#include "base/registry.h"'
    echo '#include "methods/method.h"'
    table methods noe_methods_ method registry_methods '[]' "$@"
    table spaces noe_space_ noe_space registry_spaces '' "$@"
    table output noe_format_ noe_format registry_formats '' "$@"
} >"$out.new"

if cmp -s "$out.new" "$out"; then rm "$out.new"; else mv "$out.new" "$out"; fi
