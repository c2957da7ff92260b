#!/bin/sh
# energy_pictures.sh FOLDER: compares fixed steps with energy-adaptive steps (Sharma, Patil and Woolsey
# 2018; Sharma 2020, chapters 3, 5 and 6): phase portraits, energy, step size, discrete energy.
# NOETHER names the command if it is not in the path. docs/theory_energy.md explains the pictures.
# SPDX-License-Identifier: MIT
set -eu
folder=$1 here=$(dirname "$0")
mkdir -p "$folder"
draw() { # NAME MODEL OPTIONS: the picture FOLDER/NAME.png
    name=$1 model=$2
    shift 2
    "${NOETHER:-noether}" plot "$here/$model.noe" "$@" -o "$folder/$name.png"
}
for start in 0.74 0.995; do
    draw "well_${start}_fixed" double_well_adaptive --set "q0=$start" --method midpoint
    draw "well_${start}_adaptive" double_well_adaptive --set "q0=$start"
done
draw well_over_the_barrier double_well_barrier
for sigma in 0.1 0.5 5; do draw "forced_$sigma" forced_oscillator --set "sigma=$sigma"; done
draw damped damped_oscillator_adaptive
draw damped_relative damped_oscillator_adaptive --method "energy-midpoint gap=relative"
draw duffing duffing_damped
draw wing_section aeroelastic_section --method hermite-galerkin
draw wing_section_adaptive aeroelastic_section --method "energy-midpoint gap=relative" --step 0.002
for upside in I "diag(-1, 1, -1)"; do
    start=$([ "$upside" = I ] && echo hanging || echo tumbling)
    draw "pendulum_${start}_fixed" pendulum_3d --set "R0=$upside" --step 0.01
    draw "pendulum_${start}_adaptive" pendulum_3d --set "R0=$upside" --step 0.01 \
        --method "energy-midpoint guard=anchored"
done
draw vehicle_fixed underwater_vehicle --step 0.05
draw vehicle_adaptive underwater_vehicle --method energy-midpoint --step 0.05
