#!/bin/sh
# work_precision.sh PICTURE [OPTIONS]: error against work of the methods for the free rigid body (the
# experiment of Bou-Rabee 2007, Figure 5.7.1). OPTIONS go to 'noether compare'. NOETHER names the
# command if it is not in the path. docs/choosing_a_method.md explains the picture.
# SPDX-License-Identifier: MIT
set -eu
picture=$1
shift
methods="tln, mln, flv, lv, sw, swp, kr"
for tau in exp cay new skew; do methods="$methods, euler-a retraction=$tau"; done
for tau in exp cay new skew; do methods="$methods, euler-a retraction=$tau convention=thesis"; done
exec "${NOETHER:-noether}" compare "$(dirname "$0")/free_rigid_body.noe" --until 10 \
    --steps 0.1,0.05,0.025,0.0125,0.00625,0.003125 \
    --methods "$methods, rk4, midpoint, gauss stages=2" -o "$picture" "$@"
