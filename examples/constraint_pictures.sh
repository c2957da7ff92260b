#!/bin/sh
# constraint_pictures.sh FOLDER: draws the examples with constraints, one picture each, and the paths
# of those that roll and slide. NOETHER names the command if it is not in the path. docs/theory_constraints.md
# explains the pictures.
# SPDX-License-Identifier: MIT
set -eu
folder=$1 here=$(dirname "$0")
mkdir -p "$folder"
draw() { # NAME MODEL OPTIONS: the picture FOLDER/NAME.png
    name=$1 model=$2
    shift 2
    "${NOETHER:-noether}" plot "$here/$model.noe" "$@" -o "$folder/$name.png"
}
for model in cart_pendulum_moved double_spherical_pendulum andrews_squeezer slider_crank four_bar \
    nonholonomic_particle knife_edge rolling_disk falling_disk chaplygin_sleigh suslov chaplygin_ball \
    ball_on_turntable bicycle lcr_circuit heavy_top_dae; do
    draw "$model" "$model"
done
draw knife_edge_path knife_edge -x y -y x
draw sleigh_path chaplygin_sleigh -x x -y y
draw coin_path falling_disk --until 10 -x "contact[1]" -y "contact[2]"
draw coupler_path four_bar -x "middle[1]" -y "middle[2]"
draw bicycle_slow bicycle --set v=3.5 --set push=0.01 --until 8
