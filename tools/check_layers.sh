#!/bin/sh
# check_layers.sh: a file may include its own layer and those below it, and nothing else of src/.
# SPDX-License-Identifier: MIT
set -eu
cd "$(dirname "$0")/../src"

may_include() {
    case $1 in
    base) echo base ;;
    model) echo model base ;;
    output) echo output base ;;
    linalg) echo linalg base ;;
    spaces) echo spaces linalg base ;;
    methods) echo methods spaces linalg base ;;
    engine) echo engine methods spaces linalg base ;;
    study) echo study engine methods spaces linalg base ;;
    mpi) echo mpi cli study output base ;;
    cli) echo cli study engine methods spaces linalg model output base ;;
    *) echo "$1" ;;
    esac
}

status=0
for file in */*.c */*.h; do
    [ -e "$file" ] || continue
    layer=${file%%/*}
    allowed=" $(may_include "$layer") "
    for header in $(sed -n 's/^ *# *include "\([^"]*\)".*/\1/p' "$file"); do
        case $header in
        noether.h | noether_balance.h | noether_batch.h | noether_control.h | noether_ensemble.h | noether_method.h | noether_model.h | noether_optimise.h | noether_shape.h | noether_real.h | noether_space.h | noether_status.h) continue ;;
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
