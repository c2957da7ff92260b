#!/bin/sh
# check_terms.sh: every term of the field below must lead, by 'git grep -il TERM -- src', to the file that
# implements it. docs/glossary.md explains the terms.
# SPDX-License-Identifier: MIT
set -eu
cd "$(dirname "$0")/.."

terms() { # TERM FILE, the term an extended regular expression
    cat <<'END'
Hamilton-Pontryagin src/methods/hamilton_pontryagin/endpoint.c
VPRK src/methods/runge_kutta/prk.c
Butcher tableau src/methods/runge_kutta/tableau.h
RATTLE src/methods/constrained/fast/rattle.c
SHAKE src/methods/constrained/midpoint_constrained.c
Lie-Newmark src/methods/euler_poincare/lie_newmark_step.c
Lie-Verlet src/methods/euler_poincare/lie_verlet.c
Moser-Veselov src/methods/hamilton_pontryagin/fast/endpoint_rigid_body.h
retraction src/spaces/so3_retraction.h
Cayley map src/spaces/so3_retraction.h
coadjoint orbit src/methods/euler_poincare/coadjoint_orbit_step.c
Euler-Poincar(e|é) src/methods/euler_poincare/euler_poincare.h
discrete gradient src/methods/energy_preserving/discrete_gradient_step.c
energy-momentum src/methods/energy_preserving/energy_momentum_collocation.c
Lagrange-d'Alembert src/methods/constrained/lagrange_dalembert_step.c
generali[sz]ed.alpha src/methods/constrained/generalized_alpha_step.c
Munthe-Kaas src/methods/rkmk.c
St(o|ö|oe)rmer-Verlet src/methods/variational.c
Lie group variational integrator src/methods/lgvi.c
Legendre transform src/mechanics/legendre.c
Schur complement src/mechanics/constraint_schur.h
constraint Jacobian src/mechanics/constraint_jacobian.c
Lagrange multiplier src/mechanics/multipliers.c
Newton iteration src/engine/newton.c
fixed.point iteration src/engine/fixed_point.c
continuation src/engine/continuation.c
homotopy src/engine/continuation.c
predictor src/engine/predictor.c
warm start src/engine/predictor.c
event detection src/engine/events.c
event location src/study/section/event_finder.c
dense output src/methods/galerkin/galerkin.c
tangent map src/methods/runge_kutta/prk_tangent.c
variational equation src/study/tangent_dynamics.c
sensitivity src/study/tangent_dynamics.c
Lyapunov exponent src/study/tangent_dynamics.c
Poincar(e|é) section src/study/section/section.c
compensated summation src/base/compensated_sum.h
SIMD mask src/base/real.h
SIMD lanes src/engine/lanes/batch.c
Hermite src/methods/galerkin/galerkin.c
direct transcription src/model/control/transcribe.c
nonlinear program src/study/control/control_nlp.c
hash.cons src/model/graph/graph.c
common subexpression src/model/codegen/program.c
reverse.mode src/model/graph/graph_derive.c
work.precision diagram src/study/verify/work_precision.c
reference solution src/study/reference_solution.c
finite.difference src/study/verify/derivative_check.c
Ornstein-Uhlenbeck src/methods/stochastic/ornstein_uhlenbeck.c
Langevin src/methods/stochastic/langevin_splitting.c
BAOAB src/methods/stochastic/langevin_splitting.c
snapshot src/engine/snapshot.c
checkpoint src/cli/checkpoint.c
line integral src/methods/energy_adaptive/energy_line_integral.h
discrete energy src/methods/energy_adaptive/discrete_energy.c
loop tiling src/model/codegen/vectorise/emit_tiles.c
isomorphic src/model/codegen/vectorise/program_isomorphic.c
just.in.time src/model/jit/specialise.c
recursive.descent src/model/language/parse.c
condition number src/engine/condition.c
least.squares src/linalg/least_squares.c
left.invariant src/model/equations/frame_derivative.c
decimat src/plot/decimate.c
END
}

status=0 count=0
while read -r line; do
    file=${line##* } term=${line% *}
    count=$((count + 1))
    if [ ! -e "$file" ]; then
        echo "terms: $file does not exist ($term)"
        status=1
    elif ! grep -qiE -e "$term" "$file"; then
        echo "terms: '$term' does not lead to $file"
        status=1
    fi
    if ! grep -qF "\`$file\`" docs/glossary.md; then
        echo "terms: docs/glossary.md does not name $file ($term)"
        status=1
    fi
done <<END
$(terms)
END
[ $status = 0 ] && echo "terms: $count terms lead to the files that implement them"
exit $status
