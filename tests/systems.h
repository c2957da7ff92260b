/* Systems written by hand, for tests that must not depend on the model language. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SYSTEMS_H
#define TESTS_SYSTEMS_H

#include "noether.h"

/* Henon-Heiles: L = |v|^2/2 - (x^2+y^2)/2 - x^2 y + y^3/3. Separable. */
extern const struct noe_system henon_heiles;
/* Double pendulum, lengths and masses 1, gravity 9.81. Not separable. */
extern const struct noe_system double_pendulum;
/* The double pendulum with a torque and friction that depend on time and velocity. */
extern const struct noe_system driven_pendulum;
/* Kepler's problem in the plane, |q|'' = -q/|q|^3. Separable, rotationally symmetric. */
extern const struct noe_system kepler;
/* A particle in the potential of a sombrero, V = (r^4 - r^2)/2. Separable, rotationally
 * symmetric. */
extern const struct noe_system sombrero;
/* A charged particle with quartic mass: L = (1+x^2+y^2)|v|^2/2 + (x^2+y^2)(x y' - y x')/2 -
 * r^4/4. Not separable, rotationally symmetric: x p_y - y p_x is conserved. */
extern const struct noe_system magnet;
/* Two point vortices of strengths 1 and 2 in the plane: L linear in v, degenerate. */
extern const struct noe_system vortices;

/* On rotations: two heavy tops, the 3D pendulum, and the free rigid body. The centre of mass of
 * the tops lies on a body axis and off it; the second top is also stated on unit quaternions.
 * Gravity is vertical, so the momentum e3.R p about e3 of space is conserved. */
extern const struct noe_system heavy_top, tilted_top, quaternion_top, rotation_pendulum, rigid_body;
/* On poses: a body with weight on a stiffening spring from the origin, whose mass matrix couples
 * rotation and translation; Kirchhoff's vehicle without potential and with weight. */
extern const struct noe_system tied_vehicle, kirchhoff_vehicle, underwater_vehicle;
/* On planar poses: a body on a stiffening spring from the origin, with a mass matrix that couples
 * turning and moving; a free body in a fluid. Then the same bodies as poses in space. */
extern const struct noe_system tied_sledge, free_sledge, tied_sledge_in_space, free_sledge_in_space;
/* A rotation and two coordinates, coupled in mass, potential and forces that depend on time and
 * velocity. */
extern const struct noe_system mixed;

/* With constraints: a point on a sphere; a particle with z' = y x'; a sleigh that does not slip;
 * a particle whose constraint is nonlinear in the velocities; a body that does not rotate about
 * one axis; a top as a body with a joint. */
extern const struct noe_system spherical_pendulum, nonholonomic_particle, chaplygin_sleigh,
    appell_hamel, suslov, joined_top;

#endif
