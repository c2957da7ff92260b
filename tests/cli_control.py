"""noether control: the JSON object, the file, starts, refinement, and messages for bad problems."""
# SPDX-License-Identifier: MIT
import csv
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from command import NOETHER, CommandTest

SWING_UP = """model "Cart-pendulum swing-up"
param mp = 1, mc = 0.5, l = 0.1, g = 9.81
param m = mp + mc, J = mp*l^2
coord alpha, x
control u in [-1000, 1000]
L = J/2*alpha'^2 - mp*l*alpha'*x'*sin(alpha) + m/2*x'^2 - mp*g*l*sin(alpha)
force x = u
minimize u^2/2
start alpha = -pi/2
final alpha = pi/2, x = 0, alpha' = 0, x' = 0
method midpoint
steps 10
until 0.5
"""

FASTEST = """model "Fastest way"
coord q
control u in [-1, 1]
L = q'^2/2
force q = u
minimize 1
final q = 1, q' = 0
free until in [0.5, 10]
method midpoint
steps 40
until 3
"""

TURN = """model "A turn"
rotation R, W
control u[3] in [-50, 50]
L = dot(W, diag(1, 2.8, 2)*W)/2
force R = u
minimize dot(u, u)/2
final R = expm([1, 1, 0]), W = [0, 0, 0]
method midpoint
steps 8
until 5
"""


def has_ipopt():
    """True if Ipopt is installed."""
    test = CommandTest()
    test.setUp()
    done = test.noether("control", test.write(FASTEST), "--quiet")
    test.doCleanups()
    return done.returncode == 0


HAS_IPOPT = has_ipopt()


@unittest.skipUnless(HAS_IPOPT, "Ipopt is not installed")
class Result(CommandTest):
    def solve(self, text, *options, **more):
        return self.noether_json("control", self.write(text), *options, **more)

    def test_the_object(self):
        found = self.solve(SWING_UP)
        for key in ("status", "cost", "kkt_error", "iterations", "time", "q", "p", "u",
                    "active_bounds", "minima", "replay"):
            self.assertIn(key, found)
        self.assertEqual(found["status"], "ok")
        self.assertAlmostEqual(found["cost"], 14.0139070299060586, delta=1e-9)
        self.assertLess(found["kkt_error"], 1e-10)
        self.assertEqual(len(found["time"]), 11)
        self.assertEqual([len(found[key]["alpha"]) for key in ("q", "p")], [11, 11])
        self.assertEqual(len(found["u"]["u"]), 10)
        self.assertEqual(found["active_bounds"], [])
        self.assertEqual(len(found["minima"]), 1)
        self.assertAlmostEqual(0.025 * sum(u**2 for u in found["u"]["u"]), found["cost"],
                               delta=1e-12)
        self.assertGreater(found["replay"]["final_error"], 1)  # ten intervals are too coarse
        self.assertLess(found["q"]["alpha"][10] - 1.5707963267948966, 1e-15)
        self.assertEqual(found["p"]["x"][0], 0)

    def test_more_intervals(self):
        found = self.solve(SWING_UP, "--steps", "50", "--starts", "4")
        self.assertAlmostEqual(found["cost"], 21.1245792939938788, delta=1e-9)
        self.assertLess(found["replay"]["final_error"], 0.02)

    def test_vectors_and_stages(self):
        found = self.solve(TURN)
        self.assertEqual((len(found["u"]["u"]), len(found["u"]["u"][0])), (8, 3))
        self.assertEqual((len(found["q"]["R"]), len(found["q"]["R"][8])), (9, 3))
        self.assertEqual(len(found["p"]["R"][0]), 3)
        found = self.solve(TURN, "--method", "gauss stages=2", "--steps", "4")
        self.assertEqual([len(found["u"]["u"]), len(found["u"]["u"][0]),
                          len(found["u"]["u"][0][0])], [4, 2, 3])

    def test_one_control_an_interval(self):
        """Classical Runge-Kutta methods hold the control: a number an interval."""
        found = self.solve(FASTEST, "--method", "rk4")
        self.assertAlmostEqual(found["cost"], 2, delta=1e-8)
        self.assertEqual(len(found["u"]["u"]), 40)
        self.assertEqual(found["active_bounds"], ["u >= -1 in 20 of 40", "u <= 1 in 20 of 40"])
        self.assertLess(found["replay"]["final_error"], 1e-8)
        refined = self.solve(SWING_UP + "guess x = 0.05*sin(4*pi*t)\n", "--method", "rk4",
                             "--steps", "100", "--refine", "1")
        self.assertAlmostEqual(refined["cost"], 21.043649926588, delta=0.05)

    def test_active_bounds(self):
        found = self.solve(FASTEST)
        self.assertAlmostEqual(found["cost"], 2, delta=1e-8)
        self.assertEqual(found["active_bounds"], ["u >= -1 in 20 of 40", "u <= 1 in 20 of 40"])
        self.assertAlmostEqual(found["time"][40], 2, delta=1e-8)
        found = self.solve(FASTEST.replace("10]", "10]\nbound q'^2 in [0, 0.25], q in [0, 1.5]"))
        self.assertIn("q'^2 <= 0.25", " ".join(found["active_bounds"]))
        self.assertAlmostEqual(found["cost"], 2.5, delta=0.01)

    def test_starts_and_threads(self):
        tables = [self.solve(SWING_UP, "--starts", "200", "--threads", threads)["minima"]
                  for threads in ("1", "3")]
        self.assertEqual(tables[0], tables[1])
        costs = [minimum["cost"] for minimum in tables[0]]
        for known in (14.0139070299060586, 19.8132429315745462, 20.8735580687749756):
            self.assertLess(min(abs(cost - known) for cost in costs), 1e-9)
        self.assertLessEqual(sum(minimum["hits"] for minimum in tables[0]), 200)
        self.assertEqual(costs, sorted(costs))

    def test_seeds(self):
        hits = [[m["hits"] for m in self.solve(SWING_UP, "--starts", "12", "--seed", s)["minima"]]
                for s in ("1", "1", "2")]
        self.assertEqual(hits[0], hits[1])
        self.assertNotEqual(hits[0], hits[2])

    def test_refinement_and_guess(self):
        guess = "guess x = 0.05*sin(4*pi*t)\n"
        refined = self.solve(SWING_UP + guess, "--steps", "100", "--refine", "2")
        direct = self.solve(SWING_UP + guess, "--steps", "100")
        self.assertAlmostEqual(refined["cost"], direct["cost"], delta=1e-9)
        self.assertLess(refined["iterations"], direct["iterations"])

    def test_thousand_intervals(self):
        guess = "guess x = 0.05*sin(4*pi*t)\n"
        found = self.solve(SWING_UP + guess, "--steps", "1000")
        self.assertAlmostEqual(found["cost"], 21.043649926588, delta=3e-4)
        self.assertLess(found["wall_seconds"], 60)
        self.assertLess(found["derivative_seconds"], 0.2 * found["wall_seconds"])

    def test_summary(self):
        done = self.noether("control", self.write(SWING_UP), "--starts", "3")
        self.assertEqual(done.returncode, 0)
        for words in ("Cart-pendulum swing-up", "10 intervals of 0.05 up to t = 0.5", "solved",
                      "cost", "KKT error", "active bounds", "Hamiltonian", "replay",
                      "3 starts, 0 without a minimum"):
            self.assertIn(words, done.stdout)
        self.assertEqual(done.stderr, "")

    def test_a_run_holds_controls_at_zero(self):
        self.write(SWING_UP)
        still = self.noether_json("run", "model.noe", "--step", "0.01")
        self.assertAlmostEqual(still["final"]["q"]["x"], 0, delta=1e-12)
        pushed = self.noether_json("run", "model.noe", "--step", "0.01", "--set", "u=1")
        self.assertGreater(pushed["final"]["q"]["x"], 0.05)


@unittest.skipUnless(HAS_IPOPT, "Ipopt is not installed")
class Files(CommandTest):
    def test_columns(self):
        done = self.noether("control", self.write(SWING_UP), "-o", "path.csv", "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        with open(self.path("path.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        self.assertEqual(list(rows[0]), ["t", "alpha", "x", "alpha'", "x'", "p.alpha", "p.x", "u",
                                         "costate.alpha", "costate.x", "costate.p.alpha",
                                         "costate.p.x"])
        self.assertEqual(len(rows), 11)
        self.assertEqual(float(rows[10]["alpha'"]), 0)

    def test_rotations(self):
        self.noether("control", self.write(TURN), "-o", "path.csv", "--quiet")
        with open(self.path("path.csv"), newline="", encoding="utf-8") as file:
            names = next(csv.reader(line for line in file if not line.startswith("#")))
        for name in ("R[1][1]", "W[3]", "p.R[2]", "u[3]", "costate.R[1]", "costate.p.R[3]"):
            self.assertIn(name, names)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_pictures(self):
        for text, panels in ((SWING_UP, 4), (TURN, 4)):
            self.noether("control", self.write(text), "-o", "path.csv", "--quiet")
            told = json.loads(self.noether("plot", "path.csv", "--json").stdout)
            self.assertEqual((told["status"], told["panels"]), ("ok", panels))
        self.noether("control", self.write(SWING_UP), "-o", "path.csv", "--quiet")
        done = self.noether("plot", "path.csv", "-y", "costate.alpha,u", "-o", "costates.svg")
        self.assertEqual(done.returncode, 0, done.stderr)


@unittest.skipUnless(HAS_IPOPT, "Ipopt is not installed")
class Infeasible(CommandTest):
    TEXT = FASTEST.replace("free until in [0.5, 10]\n", "").replace("until 3", "until 1")

    def test_the_least_infeasible_point_is_written(self):
        found = self.noether_json("control", self.write(self.TEXT), exit_status=1)
        self.assertIn("infeasible", found["status"])
        self.assertGreater(found["violation"], 1e-3)
        self.assertEqual(found["minima"], [])
        self.assertEqual(len(found["q"]["q"]), 41)

    def test_an_infeasible_result_is_marked(self):
        done = self.noether("control", self.write(self.TEXT), "-o", "path.csv")
        self.assertEqual(done.returncode, 1)
        self.assertIn("infeasible: no point near", done.stderr)
        self.assertIn("the last point is kept", done.stderr)
        with open(self.path("path.csv"), encoding="utf-8") as file:
            self.assertIn("infeasible", file.read())

    def test_an_interrupt(self):
        """An interrupt ends the search and writes the last iterate."""
        self.write(SWING_UP)
        with subprocess.Popen([NOETHER, "control", "model.noe", "--steps", "4000", "--tolerance",
                               "1e-30"], cwd=self.directory, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as child:
            time.sleep(3)
            child.send_signal(signal.SIGINT)
            _, words = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 1)
        self.assertIn("interrupted", words)


@unittest.skipUnless(HAS_IPOPT, "Ipopt is not installed")
class Examples(CommandTest):
    FOLDER = os.path.join(os.environ.get("NOETHER_SOURCE", os.path.join(os.path.dirname(__file__), "..")),
                          "examples")

    def test_examples_are_solved(self):
        for name, cost, replay in (("swing_up", 21.1245792940, 0.015),
                                   ("double_pendulum_swing_up", 41.3731641846, 0.09),
                                   ("spacecraft_reorientation", 0.9855085545, 0.002),
                                   ("vehicle_docking", 11.3924884671, 0.012),
                                   ("low_thrust", 0.0014527565, 1.3e-5),
                                   ("crawler_gait", 0.2754441632, 0.0022)):
            with self.subTest(example=name):
                found = self.noether_json("control", os.path.join(self.FOLDER, name + ".noe"))
                self.assertEqual(found["status"], "ok")
                self.assertAlmostEqual(found["cost"], cost, delta=1e-9)
                self.assertLess(found["replay"]["final_error"], replay)  # twice what was measured


class Bad(CommandTest):
    def assert_bad(self, text, *words, options=(), exit_status=2):
        done = self.noether("control", self.write(text), *options, "--json")
        self.assert_rejected(done, *words, exit_status=exit_status)
        self.assertEqual(self.files(), ["model.noe"])

    def test_contradictory_bounds(self):
        self.assert_bad(FASTEST.replace("[-1, 1]", "[1, -1]"), "model.noe:3:14",
                        "contradictory bounds: 1 is not below -1")
        self.assert_bad(FASTEST + "bound q in [0.5, 2]\n", "the start q = 0 is not in [0.5, 2]")
        self.assert_bad(FASTEST + "bound q in [-1, 0.5]\n", "the final q = 1 is not in [-1, 0.5]")
        self.assert_bad(FASTEST + "bound q in [-1, 0.5]\nbound q in [0.7, 2]\n",
                        "no value of q is in all")
        self.assert_bad(FASTEST.replace("[0.5, 10]", "[-2, 10]"), "free until", "-2")

    def test_an_unused_control(self):
        self.assert_bad(FASTEST.replace("q = u", "q = 1"), "model.noe:3:9",
                        "the control 'u' appears in no force")

    def test_an_empty_horizon(self):
        fixed = FASTEST.replace("free until in [0.5, 10]\n", "")
        self.assert_bad(fixed.replace("until 3", "until 0"), "must lie after the start time")
        self.assert_bad(fixed.replace("until 3", "until -1"), "must lie after the start time")
        self.assert_bad(fixed.replace("steps 40", "steps 0"), "number of steps", "at least 1")
        self.assert_bad(fixed, "--steps", options=("--steps", "0"))

    def test_not_a_control_problem(self):
        self.assert_bad(FASTEST.replace("minimize 1\n", ""), "nothing to minimise", "'minimize")
        bare = FASTEST.replace("control u in [-1, 1]\n", "").replace("= u", "= 1")
        self.assert_bad(bare, "no control", "control u in [a, b]")

    def test_controls_outside_of_control_problems(self):
        self.assert_bad(FASTEST.replace("minimize 1", "minimize 1 terminal u"), "terminal", "control")
        self.assert_bad(FASTEST.replace("L = q'^2/2", "L = q'^2/2*(1 + u^2)"), "a term with a control and a velocity")

    def test_final_rotations(self):
        final = "final R = expm([1, 1, 0]), W = [0, 0, 0]"
        self.assert_bad(TURN.replace(final, "final R[1] = [1, 0, 0]"), "whole matrix")
        self.assert_bad(TURN.replace(final, "final R = diag(1, 1, 2)"), "not a rotation")
        pose = TURN.replace("rotation R, W", "pose R, x, W, V")
        pose = pose.replace("/2\nforce R", "/2 + dot(V, V)\nforce R")
        self.assert_bad(pose.replace(final, "final x[2] = 1"), "position of a pose", "whole")
        self.assert_bad(pose.replace(final, "periodic x"), "with its rotation")

    def test_methods(self):
        served = "methods that serve optimal control of this model: "
        on_vectors = served + ("euler-a, euler-b, explicit-euler, gauss, implicit-euler, lobatto, "
                               "midpoint, rk4, rkmk, verlet\n")
        on_rotations = served + "euler-a, euler-b, gauss, lgvi, lobatto, midpoint, verlet\n"
        self.assert_bad(FASTEST.replace("midpoint", "splitting"),
                        "splitting does not serve optimal control; " + on_vectors)
        self.assert_bad(TURN.replace("midpoint", "rk4"),
                        "rk4 does not serve optimal control; " + on_rotations)
        self.assert_bad(TURN.replace("midpoint", "kr"), "kr needs a system without forces; " + on_rotations)
        for method in ("energy-midpoint", "energy-gauss", "dopri5"):
            for text, list_ in ((FASTEST, on_vectors), (TURN, on_rotations)):
                self.assert_bad(text.replace("midpoint", method),
                                method + " chooses the sizes of its steps", list_)
        self.assert_bad(TURN.replace("midpoint", "euler-a momentum=stage"),
                        "euler-a does not serve optimal control with these options; " + on_rotations)
        pose = TURN.replace("rotation R, W", "pose R, x, W, V")
        pose = pose.replace("/2\nforce R", "/2 + dot(V, V)\nforce R")
        self.assert_bad(pose.replace("midpoint", "lgvi"), "lgvi", "with its retraction",
                        served + "euler-a, euler-b, gauss, lobatto, midpoint, verlet\n")
        self.assert_bad(FASTEST.replace("method midpoint\n", ""), "no method")

    def test_constraints(self):
        joined = FASTEST.replace("coord q", "coord q, y").replace("q'^2/2", "(q'^2 + y'^2)/2")
        joined = joined.replace("free", "constraint q^2 + y = 0\nfree")
        self.assert_bad(joined.replace("midpoint", "lobatto"), "with constraints", "midpoint")
        self.assert_bad(joined.replace("q' = 0", "q' = 0, y = 1, y' = 0"),
                        "the final values break the constraints, by 2")
        self.assert_bad(joined.replace("free", "periodic q'\nfree"), "'periodic'", "constraints")
        rolling = joined.replace("constraint q^2 + y", "nonholonomic q' + y'")
        self.assert_bad(rolling.replace("midpoint", "lobatto"), "nonholonomic")

    def test_options(self):
        self.assert_bad(FASTEST, "--tolerance", options=("--tolerance", "0"))
        self.assert_bad(FASTEST, "--starts", options=("--starts", "0"))
        self.assert_bad(FASTEST, ".csv, .h5", options=("-o", "path.txt"))

    def test_no_solver(self):
        os.mkdir(self.path("empty"))
        with open(self.path("empty/libipopt.so.1"), "wb"):
            pass
        done = self.noether("control", self.write(SWING_UP), "--json",
                            environment={"LD_LIBRARY_PATH": self.path("empty")})
        self.assert_rejected(done, "Ipopt", "install coinor-libipopt", exit_status=3)


if __name__ == "__main__":
    unittest.main()
