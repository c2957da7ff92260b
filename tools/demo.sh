#!/bin/sh
# demo.sh NOETHER FOLDER: integrates three examples, prints their summaries, leaves pictures.
# SPDX-License-Identifier: MIT
set -eu
noether=$1 folder=$2
mkdir -p "$folder"
for name in double_well cart_pendulum outer_solar_system; do
    echo "== examples/$name.noe"
    "$noether" run "examples/$name.noe" -o "$folder/$name.h5"
    "$noether" plot "$folder/$name.h5" -o "$folder/$name.png"
    echo
done
echo "Trajectories are in $folder/*.h5, pictures in:"
for picture in "$folder"/*.png; do echo "  $(realpath "$picture")"; done
