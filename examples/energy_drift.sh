#!/bin/sh
# energy_drift.sh PICTURE [PERIODS]: relative energy error of the Kepler problem (e = 0.6, 200 steps per
# period) by the classical Runge-Kutta method and by two variational integrators. The curves are the
# largest error up to each time. NOETHER names the command if it is not in the path.
# SPDX-License-Identifier: MIT
set -eu
picture=$1 periods=${2:-100000} here=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Columns: periods, largest relative energy error so far; one row per change by one percent.
running_maximum() {
    awk -F, 'BEGIN { pi = atan2(0, -1) }
        /^#/ { next }
        !column { for (i = 1; i <= NF; i++) if ($i == "energy") column = i; next }
        !start { start = $column; next }
        { error = $column/start - 1; error = error < 0 ? -error : error; if (error > max) max = error }
        $1 > 1.01*last { print $1/(2*pi), max; last = $1 }' "$1"
}

for method in rk4 verlet "gauss stages=2"; do
    name=${method%% *}
    "${NOETHER:-noether}" run "$here/kepler.noe" --method "$method" --until "$periods*2*pi" --sample 97 \
        -o "$folder/$name.csv" >/dev/null
    running_maximum "$folder/$name.csv" >"$folder/$name.txt"
done

gnuplot <<END
set terminal pngcairo size 1000,460 font "sans,12"
set output "$picture"
set logscale xy
set format "10^{%L}"
set xlabel "revolutions"
set ylabel "largest relative energy error so far"
set xrange [1:$periods]
set yrange [1e-7:1]
set key right center opaque
set grid lc rgb "#dddddd"
plot "$folder/rk4.txt" with lines lw 2.5 lc rgb "#c23b22" title "Runge-Kutta, order 4 (rk4)", \
    "$folder/verlet.txt" with lines lw 2.5 lc rgb "#1b7a3d" title "Störmer-Verlet, order 2 (verlet)", \
    "$folder/gauss.txt" with lines lw 2.5 lc rgb "#1f5fa8" title "Gauss, order 4 (gauss stages=2)"
END
