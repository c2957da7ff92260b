#!/bin/bash
# check_install.sh BUILD: installs into a temporary folder and builds the C example against it, with
# pkg-config (shared and static) and with find_package.
# SPDX-License-Identifier: MIT
set -euo pipefail
build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
prefix=$folder/prefix
cmake --install "$build" --prefix "$prefix" >/dev/null
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export NOETHER_CACHE=$folder/cache

# A user includes at most six headers.
[ "$(find "$prefix/include" -name '*.h' | wc -l)" -le 6 ]

cc examples/c/kepler.c $(pkg-config --cflags --libs noether) -lm -o "$folder/shared"
LD_LIBRARY_PATH=$prefix/lib "$folder/shared"

cc examples/c/kepler.c $(pkg-config --cflags noether) "$prefix/lib/libnoether.a" \
    $(pkg-config --static --libs-only-l --libs-only-L noether | sed 's/-lnoether//') -o "$folder/static"
"$folder/static"

mkdir "$folder/project"
cp examples/c/kepler.c "$folder/project"
cat >"$folder/project/CMakeLists.txt" <<'PROJECT'
cmake_minimum_required(VERSION 3.25)
project(Caller C)
find_package(Noether 0.2 REQUIRED)
add_executable(with_shared kepler.c)
target_link_libraries(with_shared Noether::noether m)
add_executable(with_static kepler.c)
target_link_libraries(with_static Noether::noether_static m)
PROJECT
cmake -S "$folder/project" -B "$folder/project/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$folder/project/build" >/dev/null
"$folder/project/build/with_shared"
"$folder/project/build/with_static"

"$prefix/bin/noether" --version
"$prefix/bin/noether" reproduce --list >/dev/null
"$prefix/bin/noether" run examples/double_well.noe --steps 10 --precision quad --json >/dev/null
if command -v man >/dev/null; then
    man --warnings -l "$prefix/share/man/man1/noether.1" 2>"$folder/man.log" >/dev/null
    if [ -s "$folder/man.log" ]; then cat "$folder/man.log"; exit 1; fi
fi
bash -n "$prefix/share/bash-completion/completions/noether"
echo "installation: pkg-config, find_package, the command, man page and completion work"
