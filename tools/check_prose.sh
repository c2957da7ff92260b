#!/bin/sh
# check_prose.sh [FOLDER...]: lists, as file:line, the comments of C files that begin without a noun
# ("What ...", "Of ...", "The same ..."), that begin a condition with "Where", or that are questions.
# Without arguments it reads every folder of C files.
# SPDX-License-Identifier: MIT
set -eu
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || set -- src include tests bench examples

begin='/\*[*[:space:]]*(--- )?'
fragment="$begin([Ww]hat|[Ww]here|[Nn]obody|[Oo]f|[Tt]he same)([[:space:]]|\$)"
question="$begin(Is|Does|Are|Has|Must)[[:space:]]|\?[[:space:]]*\*/"

status=0
grep -rnE --include='*.[ch]' "$fragment|$question" "$@" || status=$?
case $status in
0)
    echo "begin a comment with a noun or a verb, and write \"True if ...\" instead of a question" >&2
    exit 1
    ;;
1) ;;
*) exit "$status" ;;
esac
