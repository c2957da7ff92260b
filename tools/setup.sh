#!/bin/sh
# setup.sh [--ci | --bench]: installs the missing Debian packages and prints their names. --ci adds the
# packages for .ci/run, --bench the peers that the benchmarks compare with.
# SPDX-License-Identifier: MIT
set -eu
packages="gcc libc6-dev cmake make pkg-config libsuitesparse-dev libopenblas-dev libhdf5-dev
    libsleef3 coinor-libipopt-dev librandom123-dev openmpi-bin libhdf5-openmpi-dev gnuplot-nox
    libcmocka-dev python3"
if [ "${1:-}" = --ci ]; then
    packages="$packages clang clang-format clang-tidy man-db chromium hdf5-tools"
elif [ "${1:-}" = --bench ]; then
    packages="$packages g++ libsundials-dev libgsl-dev libboost-dev petsc-dev python3-scipy"
fi

if ! command -v dpkg-query >/dev/null; then
    echo "setup: not a Debian system; needed are:" $packages >&2
    exit 0
fi

missing=
for package in $packages; do
    status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
    case $status in
    "install ok installed") ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

root=
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "setup: missing packages:$missing" >&2
        echo "setup: neither root nor sudo: ask for them to be installed" >&2
        exit 3
    fi
    root=sudo
fi
echo "setup: installing$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The variable is a list of words.
# shellcheck disable=SC2086
if ! { $root apt-get update -q && $root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends $missing; } >"$log" 2>&1; then
    cat "$log" >&2
    echo "setup: the packages could not be installed" >&2
    exit 3
fi
