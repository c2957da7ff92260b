"""Constraints and circuits on the command line: runs, checks and files."""
# SPDX-License-Identifier: MIT
import csv
import math
import shutil
import subprocess
import unittest

from command import CommandTest

PENDULUM = """model "Pendulum with a skate"
coord q[3], s
L = dot(q', q')/2 + s'^2 - 9.81*q[3]
nonholonomic s' = q[1]*q[2]' - q[2]*q[1]'
constraint dot(q, q) = 1
start q = [0.6, 0, -0.8], q' = [0.4, 1.2, 0.3], s' = 0.72
observe tension = norm(reaction(q)), push = reaction(s)
method lobatto stages = 3
step 0.01
until 1
"""

PLANE = """coord q[3]
L = dot(q', q')/2 - 9.81*q[3]
constraint dot(q, q) = 1
start q = [0.6, 0, -0.8], q' = [0.4, 1.2, 0.3]
method lobatto stages = 2
step 0.05
until 1
"""

LOOP = """node a, b
branch coil : a -> b inductance = 2 resistance = R
branch plates : b -> a capacitance = 0.5
param R = 0
start q[1] = 1
method midpoint
step 0.01
until 1
"""


LINKAGE = """coord a, b
rotation R, W
coord x[3]
L = (1 + sin(a)^2)*a'^2/2 + a'*b'*cos(a - b)/2 + b'^2 + (W[1]^2 + 3*W[2]^2 + 2*W[3]^2 + W[1]*W[3])/2
  + dot(x', x') - 2*x[3] - cos(a)
constraint transpose(R)*x = [0, sqrt(2), sqrt(2)]/2 + [1, 0, 0]*sin(a)
constraint sin(a) + 2*sin(b) = 0.3*R[3][1]
start x = [0, sqrt(2), sqrt(2)]/2, W = [0.6, 0.5, -0.7]
start x' = cross([0.6, 0.5, -0.7], [0, sqrt(2), sqrt(2)]/2), b' = -0.075
method lobatto stages = 2
step 0.05
until 1
"""


class Symplecticity(CommandTest):
    """The tangent map of a step along the states that satisfy the constraints."""

    def defect(self, *options):
        return self.noether_json("check", "model.noe", *options).get("symplecticity_defect")

    def test_holonomic(self):
        for text in PLANE, LINKAGE:
            self.write(text)
            for stages in 2, 3, 4:
                for retraction in "cay", "exp":
                    with self.subTest(model=text[:9], stages=stages, retraction=retraction):
                        method = f"lobatto stages={stages} retraction={retraction}"
                        self.assertLess(self.defect("--method", method), 1.5e-14)  # measured 7.5e-15

    def test_methods_that_are_not_symplectic(self):
        self.write(PLANE.replace("constraint", "force q = -0.1*q'\nconstraint"))
        self.assertGreater(self.defect(), 1e-3)
        self.write(PENDULUM)
        self.assertIsNone(self.defect())
        self.write(PLANE)
        self.assertIsNone(self.defect("--method", "generalized-alpha"))
        said = self.noether("check", "model.noe").stdout
        self.assertIn("yes, as claimed: |M^T J M - J|", said)
        self.assertIn("on the constraint manifold", said)


class Run(CommandTest):
    def test_multipliers_follow_the_order_of_the_statements(self):
        self.write(PENDULUM)
        result = self.noether_json("run", "model.noe")
        skate, rod = result["final"]["multipliers"]
        q, v = result["final"]["q"]["q"], result["final"]["v"]["q"]
        # Lambda of the last stage is of lower order than the state.
        centripetal = (sum(x*x for x in v) - 9.81*q[2])/2
        self.assertAlmostEqual(rod, centripetal, delta=2e-4)
        self.assertAlmostEqual(result["observe"]["push"], skate, delta=1e-15)
        self.assertEqual(list(result["constraints"])[:2], ["position_max", "velocity_max"])
        self.assertLess(result["constraints"]["position_max"], 5e-16)
        self.assertLess(result["constraints"]["velocity_max"], 4e-15)

    def test_a_growing_carried_multiplier_gives_a_warning(self):
        self.write("param m = 1, J = 0.5, a = 0.5\ncoord x, y, phi\n"
                   "L = m/2*((x' - a*phi'*sin(phi))^2 + (y' + a*phi'*cos(phi))^2) + J/2*phi'^2\n"
                   "nonholonomic y'*cos(phi) = x'*sin(phi)\nstart phi' = 1, x' = 0.4\n"
                   "method lobatto stages = 2\nstep 0.1\nuntil 20\n")
        done = self.noether("run", "model.noe", "--json")
        self.assertIn("multiplier = recompute", done.stderr)
        done = self.noether("run", "model.noe", "--method", "lobatto stages=2 multiplier=recompute", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_parts_that_do_not_apply_are_absent(self):
        self.write("coord q\nL = (q'^2 - q^2)/2\nstart q = 1\nmethod verlet\nstep 0.1\nuntil 1\n")
        result = self.noether_json("run", "model.noe")
        self.assertNotIn("constraints", result)
        self.assertNotIn("multipliers", result["final"])

    def test_the_summary_shows_multipliers(self):
        self.write(PLANE)
        shown = self.noether("run", "model.noe").stdout
        for words in ("\n  constraints  ", "\n    of velocities  ", "\n  multipliers  "):
            self.assertIn(words, shown)

    def columns(self, text):
        self.write(text)
        self.assertEqual(self.noether("run", "model.noe", "-o", "out.csv", "--quiet").returncode, 0)
        with open(self.path("out.csv"), encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_multipliers_are_recorded(self):
        rows = self.columns(PENDULUM)
        names = list(rows[0])
        self.assertEqual(names[names.index("energy") - 2:names.index("energy")], ["lambda[1]", "lambda[2]"])
        self.assertAlmostEqual(float(rows[0]["lambda[2]"]), (0.16 + 1.44 + 0.09 + 9.81*0.8)/2, delta=1e-14)
        self.assertAlmostEqual(float(rows[-1]["lambda[1]"]), float(rows[-1]["push"]), delta=1e-15)

    def test_column_names_avoid_names_of_the_model(self):
        rows = self.columns(PLANE + "observe lambda = 3\n")
        self.assertIn("lambda_[1]", rows[0])
        self.assertEqual(float(rows[0]["lambda"]), 3)

    def test_a_run_stops_where_a_reaction_vanishes(self):
        self.write(PLANE.replace("q' = [0.4, 1.2, 0.3]", "q' = [4.8, 0, 3.6]") +
                   "stop when multiplier(1) = 0\n")
        result = self.noether_json("run", "model.noe", "--method", "lobatto stages=4", "--step", "0.01")
        self.assertEqual(result["stopped"]["by"], "multiplier(1) = 0")
        self.assertLess(abs(result["final"]["multipliers"][0]), 1e-9)  # measured 4.8e-10
        self.assertAlmostEqual(result["final"]["q"]["q"][2], sum(x*x for x in result["final"]["v"]["q"])/9.81,
                               delta=1e-4)


class Orders(CommandTest):
    """The orders of multipliers that docs/theory_constraints.md states."""

    def measure(self, name, method, step):
        errors = []
        for h in (step, step/2):
            result = self.noether_json("run", name, "--method", method, "--step", str(h))
            errors.append(abs(result["final"]["multipliers"][0] - self.exact))
        return math.log2(errors[0]/errors[1])

    def test_holonomic(self):
        self.write(PLANE)
        end = self.noether_json("run", "model.noe", "--method", "lobatto stages=6", "--step", "0.01")["final"]
        self.exact = (sum(x*x for x in end["v"]["q"]) - 9.81*end["q"]["q"][2])/2
        for method, order in [("midpoint", 1), ("lobatto stages=2", 1), ("lobatto stages=3", 2),
                              ("lobatto stages=4", 3), ("generalized-alpha rho=0.9", 2)]:
            with self.subTest(method=method):
                self.assertAlmostEqual(self.measure("model.noe", method, 0.005), order, delta=0.03)

    def test_nonholonomic(self):
        self.write("coord x, y, z\nL = (x'^2 + y'^2 + z'^2)/2 - (x^2 + y^2)\nnonholonomic z' = y*x'\n"
                   "start x = 1, y = 0.5, x' = 0.3, y' = -0.2, z' = 0.15\nuntil 2\n")
        end = self.noether_json("run", "model.noe", "--method", "lobatto stages=6", "--step", "0.02")["final"]
        q, v = end["q"], end["v"]
        self.exact = (v["x"]*v["y"] - 2*q["x"]*q["y"])/(1 + q["y"]**2)
        for method, order in [("lobatto stages=2", 2), ("lobatto stages=3", 2), ("lobatto stages=4", 4),
                              ("lobatto stages=2 multiplier=recompute", 2),
                              ("lobatto stages=3 multiplier=recompute", 3),
                              ("lobatto stages=4 multiplier=recompute", 4), ("dla", 2)]:
            with self.subTest(method=method):
                self.assertAlmostEqual(self.measure("model.noe", method, 0.05), order, delta=0.15)


class Bad(CommandTest):
    def test_a_start_that_violates_a_constraint(self):
        self.write(PLANE.replace("-0.8", "-0.9"))
        done = self.noether("run", "model.noe", "-o", "out.csv")
        self.assert_rejected(done, "model.noe:3:12: the start breaks this constraint: left side minus "
                             "right side is 0.17\n  constraint dot(q, q) = 1\n             ^")
        self.assertEqual(self.files(), ["model.noe"])

    def test_a_start_with_a_small_violation(self):
        self.write(PLANE.replace("-0.8", "-0.8000000001"))
        done = self.noether("run", "model.noe", "--json")
        self.assertEqual(done.returncode, 0)
        self.assertIn("warning: the start misses this constraint by 1.6e-10: the nearest positions", done.stderr)
        self.assertIn("misses this constraint", done.stdout)

    def test_contradictory_constraints(self):
        self.write(PLANE + "constraint dot(q, q) = 2\n")
        self.assert_rejected(self.noether("run", "model.noe"), "model.noe:8:12: the start breaks")

    def test_redundant_constraints(self):
        self.write(PLANE + "constraint 2*dot(q, q) = 2\n")
        done = self.noether("run", "model.noe")
        self.assertIn("model.noe:8:12: warning: '2*dot(q, q) = 2' follows from the constraints before it",
                      done.stderr)

    def test_a_method_without_constraints(self):
        self.write(PLANE)
        self.assert_rejected(self.noether("run", "model.noe", "--method", "verlet"), "constraints")

    def test_circuits(self):
        self.write(LOOP + "branch x : a -> c resistance = 1\n")
        self.assert_rejected(self.noether("run", "model.noe"), "model.noe:9:17: unknown node 'c'")
        self.write(LOOP + "node c\n")
        self.assert_rejected(self.noether("run", "model.noe"), "model.noe:9:6: the circuit is not connected")


class Check(CommandTest):
    def test_constraints_at_the_start(self):
        self.write(PENDULUM)
        result = self.noether_json("check", "model.noe")
        self.assertLess(result["constraints_at_start"], 3e-16)
        self.assertEqual((result["constraints"], result["constraint_rank"], result["redundant"]), (2, 2, []))
        self.assertLess(result["derivatives"]["constraint_error"], 1e-9)
        self.assertAlmostEqual(result["order"], 4, delta=0.1)

    def test_redundant_statements_are_named(self):
        self.write(PLANE.replace("method lobatto stages = 2\n", "") + "constraint q[1]^2 + q[2]^2 = 1 - q[3]^2\n")
        result = self.noether_json("check", "model.noe")
        self.assertEqual((result["constraint_rank"], result["redundant"]), (1, [2]))
        self.assertIn("line 7, 'q[1]^2 + q[2]^2 = 1 - q[3]^2' depends", self.noether("check", "model.noe").stdout)

    def test_loops_of_a_circuit(self):
        self.write(LOOP)
        circuit = self.noether_json("check", "model.noe")["circuit"]
        self.assertEqual(circuit, {"nodes": 2, "branches": 2, "meshes": 1, "K": [[-1, 1], [1, -1]],
                                   "K2": [[1], [1]], "defect": 0})
        self.assertIn("K^T K2 = 0", self.noether("check", "model.noe").stdout)
        self.assertIn("q[1] = coil + plates", self.noether("check", "model.noe").stdout)


class Export(CommandTest):
    def test_functions_compile(self):
        self.write(PENDULUM)
        done = self.noether("export", "model.noe", "-o", "model.c")
        self.assertEqual(done.returncode, 0, done.stderr)
        compiler = shutil.which("cc")
        if compiler:
            done = subprocess.run([compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-c", "model.c"],
                                  cwd=self.directory, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("model.c"), encoding="utf-8") as file:
            self.assertIn("pendulum_with_a_skate_constraints_second(", file.read())

    def test_no_step_function(self):
        self.write(PLANE)
        done = self.noether("export", "model.noe", "--stepper", "--method", "midpoint", "-o", "model.c")
        self.assert_rejected(done, "no step function of midpoint can be exported")


class Circuit(CommandTest):
    def test_a_loop_oscillates(self):
        self.write(LOOP)
        result = self.noether_json("run", "model.noe")
        self.assertAlmostEqual(result["final"]["q"]["q"][0], math.cos(1), delta=1e-5)
        self.assertEqual(result["energy"]["start"], 1)

    def test_a_resistor_warms(self):
        self.write(LOOP)
        result = self.noether_json("run", "model.noe", "--set", "R=0.4", "--method", "gauss stages=4")
        w = math.sqrt(1 - 0.01)
        charge = math.exp(-0.1)*(math.cos(w) + 0.1/w*math.sin(w))
        self.assertAlmostEqual(result["final"]["q"]["q"][0], charge, delta=1e-14)


if __name__ == "__main__":
    unittest.main()
