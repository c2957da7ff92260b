#!/bin/bash
# check_contributing.sh [FOLDER]: adds the worked examples of CONTRIBUTING.md to a copy of the tree, builds
# it and runs the tests that apply. The copy is in FOLDER, by default a temporary folder.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-$(mktemp -d)}
[ -n "${1:-}" ] || trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"
git ls-files -z | tar -c --null --files-from=- | tar -x -C "$folder"

cp tests/contributing/raw.c "$folder/src/output/"
patch --quiet --directory="$folder" --strip=1 <tests/contributing/rms_error.patch

cd "$folder"
cmake -S . -B build -DNOE_WERROR=ON >/dev/null
cmake --build build --parallel "$(nproc)" --target noether test_output >/dev/null
(cd build/tests && NOETHER_CACHE=$folder/build/cache ./test_output >/dev/null)

export NOETHER_CACHE=$folder/build/cache
build/noether run examples/kepler.noe -o build/kepler.raw --json >build/kepler.json
grep -q '"rms_error"' build/kepler.json || { echo "contributing: no rms_error in the report" && exit 1; }
build/noether plot build/kepler.raw -o build/kepler.png >/dev/null
echo "contributing: the worked examples build and work"
