"""noether run: JSON object, numbers, rows, terminal output."""
# SPDX-License-Identifier: MIT
import csv
import json
import math
import os
import signal
import subprocess
import time
import unittest

from command import DOUBLE_WELL, NOETHER, WITHOUT_FAST, CommandTest

CART = """model "Pendulum on a cart, driven"
param mp = 1, mc = 0.5, l = 0.1, g = 9.81
param m = mp + mc, J = mp*l^2, T = 2*pi*sqrt(l/g), fhat = mp*g/5
coord alpha, x
L = J/2*alpha'^2 - mp*l*alpha'*x'*sin(alpha) + m/2*x'^2 - mp*g*l*sin(alpha)
force x = fhat*sin(2*pi*t/T)
start alpha = -pi/2
method midpoint
step T/100
until 4*T
"""

SHAPES = """coord a, x[3], y[2][3]
L = a'^2/2 + dot(x', x')/2 + dot(y[1]', y[1]') + dot(y[2]', y[2]')
start a = 1, a' = 2, x = [1, 2, 3], x' = [4, 5, 6], y = [[1, 2, 3], [4, 5, 6]], y[2]' = [7, 8, 9]
invariant drift = x'
invariant spread = [[a', 0], [0, a']]
observe where = 2*x
observe speed = a'
method verlet
step 0.5
until 1
"""

BODIES = """model "Bodies"
coord q
pose R[2], x[2], W[2], V[2]
rotation S, U
L = q'^2/2 + sum(i = 1..2, dot(W[i], W[i]) + i*dot(V[i], V[i]))/2 + dot(U, diag(1, 2, 3)*U)/2
start q' = 2, W[2] = [1, 2, 3], V[1] = [4, 5, 6], x[2] = [7, 8, 9], U = [0, 0, pi/2]
start R[2] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
stop when S[1][1] = 0
method gauss stages = 1 retraction = exp
step 0.03
until 2
"""


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.reader(line for line in file if not line.startswith("#")))


class Numbers(CommandTest):
    def test_the_object_has_the_contract_s_parts(self):
        self.write(DOUBLE_WELL)
        result = self.noether_json("run", "model.noe")
        self.assertEqual(list(result), ["model", "method", "kernel", "status", "message", "steps", "time",
                                        "step", "start", "final", "energy", "newton", "effort", "code",
                                        "wall_seconds", "steps_per_second"])
        self.assertEqual(result["model"], "Double well")
        self.assertEqual(result["method"], "midpoint")
        self.assertEqual((result["status"], result["message"]), ("ok", ""))
        self.assertEqual(result["steps"], 100)
        self.assertEqual(result["time"], 1)
        self.assertEqual(result["step"], {"first": 0.01, "last": 0.01, "min": 0.01, "max": 0.01})
        self.assertEqual(result["start"], {"q": {"q": 0.74}, "v": {"q": 0}, "p": {"q": 0}})
        self.assertEqual(result["energy"]["start"], (0.74**4 - 0.74**2)/2)
        self.assertLess(result["energy"]["max_error"], 1e-5)
        self.assertLessEqual(result["energy"]["mean_error"], result["energy"]["max_error"])
        self.assertEqual(list(result["newton"]),
                         ["iterations_mean", "iterations_max", "residual_max", "condition_max"])

    def test_driven_cart_pendulum(self):
        self.write(CART)
        final = self.noether_json("run", "model.noe")["final"]["q"]
        self.assertAlmostEqual(final["alpha"], -1.683545623773557, delta=1e-12)
        self.assertAlmostEqual(final["x"], 0.3426590039891716, delta=1e-12)
        final = self.noether_json("run", "model.noe", "--step", "T/200")["final"]["q"]
        self.assertAlmostEqual(final["alpha"], -1.684570126555083, delta=1e-12)
        self.assertAlmostEqual(final["x"], 0.3426855517713955, delta=1e-12)

    def test_the_largest_error_is_over_all_steps(self):
        self.write(DOUBLE_WELL)
        every = self.noether_json("run", "model.noe", "--until=20")["energy"]
        rare = self.noether_json("run", "model.noe", "--until=20", "--sample=1000")["energy"]
        self.assertEqual(every, rare)
        self.noether("run", "model.noe", "--until=20", "-o", "out.csv")
        names, *rows = rows_of(self.path("out.csv"))
        errors = [abs(float(row[names.index("energy")]) - every["start"]) for row in rows]
        self.assertEqual(max(errors), every["max_error"])
        self.assertAlmostEqual(sum(errors)/(len(errors) - 1), every["mean_error"], delta=1e-20)

    def test_shapes(self):
        self.write(SHAPES)
        result = self.noether_json("run", "model.noe")
        self.assertEqual(result["model"], "model")
        start, final = result["start"], result["final"]
        self.assertEqual(start["q"], {"a": 1, "x": [1, 2, 3], "y": [[1, 2, 3], [4, 5, 6]]})
        self.assertEqual(start["v"], {"a": 2, "x": [4, 5, 6], "y": [[0, 0, 0], [7, 8, 9]]})
        self.assertEqual(start["p"]["y"], [[0, 0, 0], [14, 16, 18]])
        self.assertEqual(final["q"], {"a": 3, "x": [5, 7, 9], "y": [[1, 2, 3], [11, 13, 15]]})
        self.assertEqual(result["invariants"], {
            "drift": {"start": [4, 5, 6], "final": [4, 5, 6], "max_error": 0},
            "spread": {"start": [[2, 0], [0, 2]], "final": [[2, 0], [0, 2]], "max_error": 0}})
        self.assertEqual(result["observe"], {"where": [10, 14, 18], "speed": 2})
        self.assertNotIn("newton", result)

    def test_rotations_and_poses(self):
        self.write(BODIES)
        result = self.noether_json("run", "model.noe", "-o", "out.csv")
        start, final = result["start"], result["final"]
        one = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        self.assertEqual(start["q"], {"q": 0, "R": [one, [[0, -1, 0], [1, 0, 0], [0, 0, 1]]],
                                      "x": [[0, 0, 0], [7, 8, 9]], "S": one})
        self.assertEqual(start["v"], {"q": 2, "R": [[0, 0, 0], [1, 2, 3]],
                                      "x": [[4, 5, 6], [0, 0, 0]], "S": [0, 0, math.pi/2]})
        self.assertEqual(start["p"]["S"], [0, 0, 3*(math.pi/2)])
        self.assertEqual(start["p"]["x"], [[4, 5, 6], [0, 0, 0]])
        self.assertAlmostEqual(result["time"], 1, delta=4e-16)  # a quarter of a turn
        for i, numbers in enumerate(zip(sum(final["q"]["S"], []), (0, -1, 0, 1, 0, 0, 0, 0, 1))):
            self.assertAlmostEqual(*numbers, delta=1e-15, msg=i)
        for a, b in zip(final["q"]["x"][0], (4, 5, 6)):
            self.assertAlmostEqual(a, b, delta=4e-15)
        self.assertLess(result["group_error_max"], 1.5e-15)  # measured 6.7e-16
        names, *rows = rows_of(self.path("out.csv"))
        self.assertEqual(names.index("x[2][1]"), 1 + 1 + 9 + 3 + 9)
        self.assertEqual(names.index("U[3]") + 1 + 1 + 12 + 3, names.index("energy"))
        self.assertEqual(float(rows[-1][names.index("p.S[3]")]), final["p"]["S"][2])

    def test_a_doubtful_model_runs_with_a_warning(self):
        text = "rotation R, W\nL = dot(W, diag(1, 1, 3)*W)/2\nstart W = e1, R = (1 + 1e-9)*I\n" \
               "method gauss\nstep 0.1\nuntil 1\n"
        done = self.noether("run", self.write(text))
        self.assertEqual(done.returncode, 0)
        self.assertIn("model.noe:3:20: warning: the start is not quite orthonormal: its defect of 2e-09 is repaired", done.stderr)
        self.assertIn("model.noe:1:10: warning: not a rigid body: ", done.stderr)
        self.assertEqual(self.noether("run", "model.noe", "--quiet").stderr, "")
        repaired, broken = self.noether_json("run", "model.noe")["warnings"]
        self.assertIn("repaired", repaired)
        self.assertIn("not a rigid body", broken)

    def test_a_failing_kick_or_drift_gives_the_reason(self):
        text = "rotation R, W\nL = dot(W, diag(1, 2.8, 2)*W)/2 - sqrt(R[3][3] - 0.5)\n" \
               "start W = [2, 0.3, 0.1]\nstep 0.01\nuntil 10\n"
        self.write(text)
        for method, step, words in (("verlet", "0.01", "step 51 from t = 0.5: a value is not a fin"),
                                    ("lgvi", "2", "a turn of |x| = 4.05 leaves the domain"),
                                    ("verlet retraction=skew", "0.8", "a turn of |x| = 1.62")):
            done = self.noether("run", "model.noe", "--method", method, "--step", step)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)

    def test_options_of_the_method_are_reported(self):
        self.write(DOUBLE_WELL)
        result = self.noether_json("run", "model.noe", "--method", "gauss stages=1+2")
        self.assertEqual((result["method"], result["options"]), ("gauss", {"stages": 3}))

    def test_set(self):
        self.write(CART)
        heavy = self.noether_json("run", "model.noe", "--set", "mp=2", "--set=mc=mp/4")
        self.assertAlmostEqual(heavy["start"]["p"]["x"], 0)
        self.assertNotEqual(heavy["final"], self.noether_json("run", "model.noe")["final"])
        self.assertEqual(heavy["time"], self.noether_json("run", "model.noe")["time"])

    def test_interpreted_and_generic_agree(self):
        self.write(DOUBLE_WELL)
        run = "run", "model.noe", "--method=verlet"
        compiled = self.noether_json(*run)["final"]["q"]["q"]
        for option in ("--interpret", "--generic"):
            other = self.noether_json(*run, option)["final"]["q"]["q"]
            self.assertAlmostEqual(compiled, other, delta=1e-14)


class Length(CommandTest):
    def steps(self, *options):
        result = self.noether_json("run", "model.noe", *options)
        return result["steps"], result["time"]

    def test_how_many_steps(self):
        self.write(DOUBLE_WELL)
        self.assertEqual(self.steps("--step=0.1"), (10, 1))
        self.assertEqual(self.steps("--step=1/3"), (3, 1))
        self.assertEqual(self.steps("--step=0.33333333"), (3, 3*0.33333333))
        self.assertEqual(self.steps("--step=0.3"), (3, 3*0.3))
        self.assertEqual(self.steps("--steps=7"), (7, 0.07))
        self.assertEqual(self.steps("--steps=0"), (0, 0))
        self.assertEqual(self.steps("--from=-1"), (200, 1))
        self.assertEqual(self.steps("--until", "m*2"), (200, 2))

    def test_a_step_size_that_does_not_divide_the_time_is_reported(self):
        self.write(DOUBLE_WELL)
        self.assertIn("does not divide", self.noether("run", "model.noe", "--step=0.3").stdout)
        self.assertNotIn("does not divide", self.noether("run", "model.noe").stdout)

    def test_steps_replaces_a_missing_end(self):
        self.write(DOUBLE_WELL.replace("until 1\n", ""))
        self.assertEqual(self.steps("--steps=5"), (5, 0.05))

    def test_an_adaptive_method_ends_at_the_first_step_beyond_the_end(self):
        self.write(DOUBLE_WELL)
        result = self.noether_json("run", "model.noe", "--until=30",
                                   "--method", "dopri5 tolerance=1e-6")
        self.assertGreaterEqual(result["time"], 30)
        self.assertLess(result["time"] - result["step"]["last"], 30)
        self.assertLess(result["step"]["min"], result["step"]["max"])
        self.assertEqual(result["step"]["first"], 0.01)


class Rows(CommandTest):
    def test_columns(self):
        self.write(SHAPES)
        self.noether("run", "model.noe", "-o", "out.csv")
        names, first, *rest = rows_of(self.path("out.csv"))
        y = [f"y[{i}][{j}]" for i in (1, 2) for j in (1, 2, 3)]
        x = ["x[1]", "x[2]", "x[3]"]
        self.assertEqual(names, ["t", "a", *x, *y, "a'", *(n + "'" for n in x + y), "p.a",
                                 *("p." + n for n in x + y), "energy",
                                 "drift[1]", "drift[2]", "drift[3]", "spread[1][1]", "spread[1][2]",
                                 "spread[2][1]", "spread[2][2]", "where[1]", "where[2]", "where[3]",
                                 "speed"])
        self.assertEqual(len(rest), 2)
        self.assertEqual(float(first[names.index("y[2][3]'")]), 9)
        self.assertEqual(float(first[names.index("p.y[2][1]")]), 14)

    def test_sampling_keeps_the_first_and_the_last(self):
        self.write(DOUBLE_WELL)
        for sample, count in (("1", 101), ("10", 11), ("30", 5), ("1000", 2)):
            self.noether("run", "model.noe", "--sample", sample, "-o", "out.csv")
            rows = rows_of(self.path("out.csv"))[1:]
            self.assertEqual(len(rows), count)
            self.assertEqual((float(rows[0][0]), float(rows[-1][0])), (0, 1))
        self.write(DOUBLE_WELL + "sample every 50\n")
        self.noether("run", "model.noe", "-o", "out.csv")
        self.assertEqual(len(rows_of(self.path("out.csv"))), 4)

    def test_a_reference_solution_with_variable_steps(self):
        damped = """param c = 0.2, w = sqrt(1 - c^2/4)
coord q
L = q'^2/2 - q^2/2
force q = -c*q'
start q = 1
observe exact = exp(-c*t/2)*(cos(w*t) + c/(2*w)*sin(w*t))
step 0.1
until 10
"""
        self.write(damped)
        for method in ("midpoint", "energy-midpoint"):
            with self.subTest(method):
                run = self.noether_json("run", "model.noe", "--method", method, "--reference",
                                        "-o", "rows.csv")
                with open(self.path("rows.csv")) as file:
                    rows = [{key: float(value) for key, value in row.items()}
                            for row in csv.DictReader(file)]
                self.assertEqual(rows[0]["trajectory_error"], 0)
                for row in rows:
                    self.assertGreaterEqual(row["trajectory_error"],
                                            abs(row["q"] - row["exact"]) - 1e-14)
                self.assertEqual(run["reference"]["max_error"],
                                 max(row["trajectory_error"] for row in rows))
                self.assertEqual(run["reference"]["energy_max_error"],
                                 max(abs(row["energy"] - row["exact_energy"]) for row in rows))
                self.assertLess(run["reference"]["agreement"], 1e-14)
                self.assertLess(rows[-1]["exact_energy"], 0.5*math.exp(-0.2*9))
        words = self.noether("run", "model.noe", "--method=midpoint", "--reference").stdout
        self.assertIn("against gauss stages=8", words)
        self.assert_rejected(self.noether("run", "model.noe", "--method=midpoint", "--reference",
                                          "--checkpoint", "c"), "--reference")

    def test_both_formats_and_the_summary_name_the_file(self):
        self.write(DOUBLE_WELL)
        for name in ("out.csv", "out.h5"):
            done = self.noether("run", "model.noe", "-o", name)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"{name}, 101 rows", done.stdout)
            self.assertIn(name, self.files())


class Terminal(CommandTest):
    def test_summary(self):
        self.write(DOUBLE_WELL + "invariant twice = q'^2 + q^4 - q^2\nobserve where = q\n")
        done = self.noether("run", "model.noe")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("Double well", "midpoint", "100 steps", "q'", "energy", "twice", "where",
                     "newton", "steps/s"):
            self.assertIn(word, done.stdout)

    def test_the_summary_of_a_large_system_is_short(self):
        self.write("coord x[300]\nL = dot(x', x')/2\nstart x[1]' = 1\nmethod verlet\nstep 1\n"
                   "until 2\n")
        self.assertLess(len(self.noether("run", "model.noe").stdout.splitlines()), 30)

    def test_help_and_version(self):
        for arguments in (("--help",), ("-h",), ("help",), ("run", "--help"), ("run", "-h"),
                          ("help", "run"), ("check", "--help"), ("converge", "--help"),
                          ("methods", "--help"), ("export", "--help"), ("plot", "--help")):
            done = self.noether(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
            self.assertIn("noether", done.stdout)
        self.assertRegex(self.noether("--version").stdout, r"^noether \d+\.\d+\.\d+")

    def test_interrupt(self):
        self.write(DOUBLE_WELL)
        for number in (signal.SIGINT, signal.SIGTERM):
            command = [NOETHER, "run", "model.noe", "--json", "--steps=1e9", "--sample=100000",
                       "-o", "out.csv"]
            with subprocess.Popen(command, cwd=self.directory, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as run:
                while len(self.files()) < 2:  # the model is compiled, rows are being written
                    time.sleep(0.05)
                time.sleep(0.3)
                run.send_signal(number)
                output, words = run.communicate(timeout=60)
            self.assertEqual(run.returncode, 1)
            result = json.loads(output)
            self.assertEqual(result["status"], "interrupted")
            self.assertGreater(result["steps"], 0)
            self.assertIn("interrupted", words)
            with open(self.path("out.csv"), encoding="utf-8") as file:
                self.assertIn("interrupted", file.read())
            self.assertEqual(self.files(), ["model.noe", "out.csv"])
            os.remove(self.path("out.csv"))

    def test_progress_only_on_a_terminal(self):
        self.write(DOUBLE_WELL)
        arguments = [NOETHER, "run", "model.noe", "--until=20000"]
        self.assertEqual(self.noether(*arguments[1:]).stderr, "")
        for options, expected in (([], True), (["--quiet"], False)):
            terminal, side = os.openpty()
            with subprocess.Popen(arguments + options, cwd=self.directory, stderr=side,
                                  stdout=subprocess.DEVNULL) as run:
                os.close(side)
                shown = b""
                try:
                    while block := os.read(terminal, 4096):
                        shown += block
                except OSError:
                    pass  # the other end is closed
                self.assertEqual(run.wait(), 0)
            os.close(terminal)
            self.assertEqual(b"steps/s" in shown and b"left" in shown, expected)
            if expected:
                self.assertTrue(shown.endswith(b"\r\x1b[K"))


class Kernel(CommandTest):
    @unittest.skipIf(WITHOUT_FAST, "the kernel is one of a folder fast/")
    def test_kernel_is_shown_and_chosen(self):
        file = self.write(DOUBLE_WELL)
        fast = self.noether_json("run", file, "--json")
        plain = self.noether_json("run", file, "--json", "--kernel", "none")
        named = self.noether_json("run", file, "--json", "--kernel", "small-newton")
        self.assertEqual(fast["kernel"], "small-newton")
        self.assertEqual(plain["kernel"], "none")
        self.assertEqual(named["final"], fast["final"])
        self.assertAlmostEqual(plain["final"]["q"]["q"], fast["final"]["q"]["q"], delta=4e-15)
        words = self.noether("run", file, "--verbose", "--kernel", "none").stdout
        self.assertRegex(words, r"kernel +none")

    @unittest.skipIf(WITHOUT_FAST, "the kernel is one of a folder fast/")
    def test_unknown_kernel_lists_those_that_serve(self):
        file = self.write(DOUBLE_WELL)
        done = self.noether("run", file, "--kernel", "fast")
        self.assert_rejected(done, "--kernel", "'fast'", "none, small-newton")

    def test_method_that_is_its_kernel_has_no_plain_residual(self):
        file = self.write(DOUBLE_WELL)
        done = self.noether("run", file, "--method", "dopri5", "--kernel", "none")
        self.assert_rejected(done, "--kernel", "'none'", "adaptive")


class Quad(CommandTest):
    def setUp(self):
        super().setUp()
        if not os.path.exists(NOETHER + "-quad"):
            self.skipTest("this build has no noether-quad")

    def test_digits(self):
        self.write("coord q\nL = (q'^2 - q^2)/2\nstart q = 1\nmethod gauss stages = 8\n"
                   "step pi/32\nuntil pi\n")
        text = self.noether("run", "model.noe", "--precision", "quad", "--json").stdout
        result = json.loads(text, parse_float=str)
        self.assertLess(abs(float(result["energy"]["max_error"])), 1e-32)
        self.assertLess(abs(float(result["final"]["v"]["q"])), 1e-28)
        self.assertEqual(result["time"][:34], "3.14159265358979323846264338327950")

    def test_double_is_the_default(self):
        self.write(DOUBLE_WELL)
        plain = self.noether_json("run", "model.noe")["final"]
        double = self.noether_json("run", "model.noe", "--precision=double")["final"]
        self.assertEqual(double, plain)
        done = self.noether("run", "model.noe", "--precision=quad", "--json")
        quad = json.loads(done.stdout, parse_float=str)["final"]["q"]["q"]
        self.assertTrue(math.isclose(float(quad), plain["q"]["q"], rel_tol=1e-13))
        self.assertGreater(len(quad), 30)


HINGE = """param a = AXIS, k = 2
coord q, z
let R = expm(SIGN q*a)
let x = R*[1, 0.5, 0.2]
L = q'^2*(1 + z^2)/2 + z'^2/2 - dot(x, [0.3, 1, 0.2])*(2 + z) - z^2
observe turned = x, by_time = expm(t*a)
start q' = 1, z = 0.2
method gauss stages = 3
step 0.05
until 2
"""


class Hinge(CommandTest):
    def test_an_axis_that_does_not_move(self):
        """A rotation about the axis is smooth at the angle zero, a frequent start."""
        for sign, a, b in (("", "[0, 0, 2]", "2*e3"), ("-", "[0, 1.5, 0]", "1.5*e2")):
            text = HINGE.replace("SIGN ", sign)
            general = self.noether_json("run", self.write(text.replace("AXIS", a)))
            plain = self.noether_json("run", self.write(text.replace("q*a", f"q*{b}").replace("t*a", f"t*{b}")
                                                        .replace("AXIS", a)))
            self.assertEqual((general["status"], plain["status"]), ("ok", "ok"))
            for name in ("q", "z"):
                self.assertAlmostEqual(general["final"]["q"][name], plain["final"]["q"][name], delta=2e-15)
            for one, other in zip(general["observe"]["by_time"], plain["observe"]["by_time"]):
                for x, y in zip(one, other):
                    self.assertAlmostEqual(x, y, delta=5e-16)
        done = self.noether_json("check", self.write(HINGE.replace("SIGN ", "").replace("AXIS", "[1, -2, 0.5]")))
        self.assertLess(done["derivatives"]["gradient_error"], 1e-9)
        self.assertLess(done["derivatives"]["hessian_error"], 1e-9)


if __name__ == "__main__":
    unittest.main()
