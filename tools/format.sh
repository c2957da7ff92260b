#!/bin/sh
# format.sh [--fix]: checks (or repairs) the layout of every C file with the pinned clang-format.
# SPDX-License-Identifier: MIT
set -eu
pinned=14
found=$(clang-format --version 2>/dev/null | sed 's/.*version \([0-9]*\).*/\1/') || true
if [ "$found" != "$pinned" ]; then
    echo "format: skipped: clang-format $pinned is pinned, found '${found:-none}'"
    exit 0
fi
files=$(find include src tests bench examples -name '*.[ch]' 2>/dev/null)
# The files are a list of words.
# shellcheck disable=SC2086
if [ "${1:-}" = --fix ]; then
    clang-format -i $files
    exit
fi
status=0
for file in $files; do
    if ! clang-format --dry-run -Werror "$file" 2>/dev/null; then
        echo "format: $file differs from .clang-format (make format repairs it)"
        status=1
    fi
done
[ $status = 0 ] && echo "format: every file is laid out by .clang-format"
exit $status
