#!/bin/bash
# check_contributing.sh [FOLDER]: adds the worked examples of CONTRIBUTING.md to a copy of the tree, compares
# the files that each of them touches with the table there, builds the copy and runs the tests that apply.
# The copy is in FOLDER, by default a temporary folder.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."
examples=$PWD/tests/contributing
folder=${1:-$(mktemp -d)}
[ -n "${1:-}" ] || trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"
git ls-files -z | tar -c --null --files-from=- | tar -x -C "$folder"
cd "$folder"

fail() {
    echo "contributing: $*"
    exit 1
}

# The changes since the last snapshot are the files that an example touches.
snapshot() {
    git add --all
    git -c user.name=check -c user.email=check -c commit.gpgsign=false commit --quiet --message "$1"
}

# Adds the example $1, a patch or a new file, and compares the files touched with the words that follow:
# their number and their names.
add() {
    local example=$1 number=${2%:} touched
    shift 2
    case $example in
    *.patch) patch --quiet --no-backup-if-mismatch --strip=1 <"$examples/$example" ;;
    *) cp "$examples/$example" "$1" ;;
    esac
    touched=$(git status --porcelain --untracked-files=all | cut -c4- | sort)
    [ "$touched" = "$(printf '%s\n' "$@" | sort)" ] || fail "$example touches" $touched
    [ "$(wc -l <<<"$touched")" = "$number" ] || fail "$example touches $(wc -l <<<"$touched") files, not $number"
    snapshot "$example"
}

# The rows of the table, as the words: example, number of files, their names.
rows() {
    sed -n 's/^|[^|]*| `tests\/contributing\/\([^`]*\)` | \([0-9]*: .*\) |$/\1 \2/p' CONTRIBUTING.md | tr -d '`,'
}

git init --quiet
snapshot "the tree"
count=0
while read -r -a row; do
    add "${row[@]}"
    count=$((count + 1))
done < <(rows)
[ "$count" = 5 ] || fail "the table of CONTRIBUTING.md has $count examples, not 5"
tools/check_layers.sh >/dev/null || fail "the examples break the layers"

cmake -S . -B build -DNOE_WERROR=ON -DNOE_QUAD=OFF -DNOE_MPI=OFF >/dev/null
cmake --build build --parallel "$(nproc)" --target noether test_output test_spaces test_methods >build.log ||
    { cat build.log && fail "the examples do not build"; }

export NOETHER_CACHE=$folder/build/cache
noether=build/noether

# The property tests of formats, spaces and methods. The new space is tested with every method on it, the
# new methods on every system.
run_test() { (cd build/tests && "./$1" >"$1.log" 2>&1) || { cat "build/tests/$1.log" && fail "$1 failed"; }; }
run_test test_output
run_test test_spaces
NOETHER_TEST_METHODS="simpson three-eighths midpoint verlet gauss rkmk lv" run_test test_methods

# The report of a run, without the times and without the origin of the code.
report() { "$noether" run "$@" --json | sed --regexp-extended '/"(wall|steps_per)_second/d; /"code": \{/,/\}/d'; }

report examples/kepler.noe -o build/kepler.raw >build/kepler.json
grep --quiet '"rms_error"' build/kepler.json || fail "no rms_error in the report"
"$noether" plot build/kepler.raw -o build/kepler.png >/dev/null
for model in "examples/kepler.noe --method simpson" "examples/kepler.noe --method three-eighths" \
    "$examples/charge.noe"; do
    # The words are arguments.
    # shellcheck disable=SC2086
    cmp <(report $model --generic) <(report $model --specialised) || fail "$model: the compiled stepper differs"
done
"$noether" check "$examples/charge.noe" | grep --quiet 'symplectic *yes' || fail "the space is not symplectic"
echo "contributing: the five worked examples touch the files that the table says, build and work"
