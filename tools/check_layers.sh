#!/bin/sh
# check_layers.sh: a file may include its own layer and the layers below it, and nothing else of src/.
# The just-in-time compiler (model/jit) writes C text that calls the engine, so it may also include the
# engine; only it may use the embedded source text of the layers below (the symbols NAME_text).
# SPDX-License-Identifier: MIT
set -eu
cd "$(dirname "$0")/../src"

may_include() {
    case $1 in
    base) echo base ;;
    linalg) echo linalg base ;;
    spaces) echo spaces linalg base ;;
    mechanics) echo mechanics spaces linalg base ;;
    methods) echo methods mechanics spaces linalg base ;;
    engine) echo engine methods mechanics spaces linalg base ;;
    model) echo model base ;;
    model/jit) echo model engine methods mechanics spaces linalg base ;;
    study) echo study model engine methods mechanics spaces linalg base ;;
    output) echo output base ;;
    plot) echo plot output base ;;
    cli) echo cli plot output study model engine methods mechanics spaces linalg base ;;
    mpi) echo mpi cli study output base ;;
    *) echo "$1" ;;
    esac
}

status=0
for file in $(find . -name '*.[ch]' | sed 's|^\./||' | sort); do
    layer=${file%%/*}
    case $file in model/jit/*) layer=model/jit ;; esac
    allowed=" $(may_include "$layer") "
    for header in $(sed -n 's/^ *# *include "\([^"]*\)".*/\1/p' "$file"); do
        case $header in
        noether.h | noether_*.h) continue ;;
        */*) target=${header%%/*} ;;
        *) target="($header without its folder)" ;;
        esac
        case $allowed in
        *" $target "*) ;;
        *)
            echo "src/$file includes \"$header\": $layer may include only$allowed"
            status=1
            ;;
        esac
    done
done
[ $status = 0 ] && echo "layers: every include points downwards"
exit $status
