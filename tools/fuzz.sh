#!/bin/bash
# fuzz.sh BUILD SECONDS [TARGET...]: runs the fuzz targets of a build with NOE_FUZZ, each for SECONDS of
# time, from the examples of the tree as seeds. An input that crashes, that takes more than 1 GB or more than
# 25 s is kept in BUILD/fuzz/findings, and the status is 1. Sanitizers and coverage make the code about ten
# times slower, so that 25 s are 2 s in a release. The corpus in BUILD/fuzz/corpus grows from run to run.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 seconds=$2
shift 2
targets=("$@")
[ $# -gt 0 ] || mapfile -t targets < <(find "$build/fuzz" -maxdepth 1 -name 'fuzz_*' -printf '%f\n' | sort)
corpus=$build/fuzz/corpus findings=$build/fuzz/findings
mkdir -p "$findings"

# Puts the seeds of target $1 into the folder $2.
seed() {
    case $1 in
    fuzz_model) cp examples/*.noe examples/optimise/*.noe tests/contributing/*.noe "$2" ;;
    fuzz_shape) head -n 40 examples/optimise/boulder_a.txt >"$2/samples" &&
        printf 'coefficients\n0 0 1\n1 -1 0.5\n2 2 1e-3\n' >"$2/coefficients" &&
        printf 'points\n1 0 0\n0 1 0\n0 0 2\n' >"$2/points" ;;
    fuzz_table) printf 't,q[1],p\n0,1,0\n0.01,0.99,-0.1\n# incomplete: interrupted\n' >"$2/table" ;;
    fuzz_method) sed -n 's/^method *//p' examples/*.noe | sed 's/ *= */=/g' | sort -u | split --lines=1 - "$2/method-" ;;
    fuzz_experiment) for folder in experiments/*/; do
        [ ! -e "$folder/experiment" ] || cp "$folder/experiment" "$2/$(basename "$folder")"
    done ;;
    fuzz_checkpoint) # a run, its flags, and an edit: the step number, a byte of a row, a cut
        printf '\0\3' >"$2/unchanged" && printf '\1\1\100\0\0\0\377\377\377\377\377\377\377\177' >"$2/step" &&
            printf '\2\3\50\0\2\1\1\0\0\0\0\0\0\0' >"$2/row" &&
            printf '\3\2\200\1\0\2\0\0\0\0\0\0\0\0' >"$2/cut" ;;
    esac
}

failed=0
for target in "${targets[@]}"; do
    seeds=$(mktemp -d)
    mkdir -p "$corpus/$target"
    seed "$target" "$seeds"
    log=$build/fuzz/$target.log
    "$build/fuzz/$target" "$corpus/$target" "$seeds" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=1024 \
        -max_len=4096 -dict=fuzz/noether.dict -close_fd_mask=3 -print_final_stats=1 \
        -artifact_prefix="$findings/$target-" >"$log" 2>&1 || { failed=1 && tail -n 30 "$log"; }
    rm -rf "$seeds"
    printf '%-18s %s inputs\n' "$target" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
done
exit "$failed"
