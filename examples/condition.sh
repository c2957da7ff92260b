#!/bin/sh
# condition.sh PROGRAM PICTURE: condition numbers of an energy-adaptive step, over time
# (Sharma 2020, Figure 3.7). PROGRAM is examples/c/condition.c compiled against the library, in the
# build folder tests/example-condition. docs/theory_energy.md explains the picture.
# SPDX-License-Identifier: MIT
set -eu
program=$1 picture=$2
numbers=$(mktemp)
trap 'rm -f "$numbers"' EXIT
"$program" "$numbers"
gnuplot <<END
set terminal pngcairo size 1000,480 font "sans,10"
set output "$picture"
set logscale y
set format y "10^{%L}"
set yrange [1:1e9]
set xrange [0:10]
set xlabel "t"
set key top right opaque font ",8"
set grid
set multiplot layout 1,2
do for [start = 0:1] {
    set title (start == 0 ? "from q = 0.74" : "from q = 0.995")
    plot for [i = 0:2] "$numbers" index 3*start + i using 1:2 with lines lw 2 lc i + 1 \
        title sprintf("v, h; first step %g", 10.0**(-1 - i)), \
        for [i = 0:2] "$numbers" index 3*start + i using 1:3 with lines lw 2 dt 2 lc i + 1 \
        title sprintf("v, log h, defect; first step %g", 10.0**(-1 - i))
}
END
