"""noether check, converge, compare, methods, export."""
# SPDX-License-Identifier: MIT
import math
import os
import shutil
import subprocess
import unittest

from command import DOUBLE_WELL, CommandTest

DOUBLE_PENDULUM = """coord a, b
L = a'^2 + b'^2/2 + a'*b'*cos(a - b) + 2*cos(a) + cos(b)
start a = 1, b = 2
method midpoint
step 0.05
until 5
"""

DAMPED = """coord q
L = q'^2/2 - q^2/2
force q = -0.2*q' + 0.1*sin(t)*q^2
start q = 1
method gauss
step 0.1
until 10
"""


COUPLED = """coord a, b
L = a'^2 + b'^2/2 + a'*b'/2 - a^2*b^2 - (a^2 + b^2)/2
start a = 1, b' = 1
"""

TOP = """param J = [[1, 0.1, 0], [0.1, 2, 0.2], [0, 0.2, 2.5]], a = [0.3, -0.4, 1]
rotation R, W
L = dot(W, J*W)/2 - 2.5*dot(e3, R*a)
force R = -0.05*W
start R = expm([0.3, -0.5, 0.8]), W = [0.6, -0.5, 3]
"""

BODY = """param J = diag(1.2, 1.7, 2.1), M = diag(2, 2.4, 3), a = [0.3, -0.2, 0.5]
pose R, x, W, V
let y = x + R*a
L = dot(W, J*W)/2 + dot(V, M*V)/2 - dot(y, y) - dot(y, y)^2/4 - 1.5*x[3]
start R = expm([-0.4, 0.9, 0.2]), x = [0.4, -0.3, 0.2], W = [0.6, -0.5, 2], V = [0.3, 0.2, -1]
"""

CARRIER = """param J = diag(2, 3, 4)
coord a
rotation R, W
coord b
pose S, x, U, V
L = dot(W, J*W)/2*(1 + sin(a)^2/4) + (2 + R[1][1]*cos(b))/2*(a'^2 + b'^2)
  + a'*dot(W, [R[3][1], cos(b), 0.5])/3 - R[2][3]*cos(a - b)
  + dot(U, J*U) + dot(V, V) + dot(U, V)/2 - dot(x, x) + dot(S*e1, R*e2)*a
force a = -0.1*a', R = [0, b, a'*t]
start R = expm([1, 0.2, -0.3]), W = [0.3, -0.8, 0.5], a = 0.7, a' = 0.4, b = -1.1
start V = [1, 0.3, 0], U = [0.3, 0, 0.9]
"""

STEP_MAIN = """#include "model.c"
#include <stdio.h>
#ifndef SYS_GROUPS
enum { SYS_NP = SYS_N };
#endif
int main(void)
{
    double q[SYS_NP], p[SYS_N];
    struct sys_work work;
    for (int i = 0; i < SYS_NP; i++) q[i] = sys_q0[i];
    sys_start(&work, 0, q, sys_v0, p);
    for (int k = 0; k < 50; k++)
        if (sys_step(&work, k*0.01, 0.01, q, p)) return 1;
    for (int i = 0; i < SYS_NP; i++) printf("%.17g\\n", q[i]);
    for (int i = 0; i < SYS_N; i++) printf("%.17g\\n", p[i]);
    return 0;
}
"""


def numbers(values):
    """The numbers of nested lists, one after the other."""
    return sum(map(numbers, values), []) if isinstance(values, list) else [values]


class Check(CommandTest):
    def card(self, text, *options):
        self.write(text)
        return self.noether_json("check", "model.noe", *options)

    def test_the_object(self):
        card = self.card(DOUBLE_PENDULUM)
        self.assertEqual(list(card["derivatives"]), ["gradient_error", "hessian_error", "coordinates"])
        self.assertEqual(list(card["energy"]), ["max_error", "slope"])
        self.assertEqual(card["method"], "midpoint")
        self.assertNotIn("constraints_at_start", card)

    def test_derivatives(self):
        for text in (DOUBLE_WELL, DOUBLE_PENDULUM, DAMPED):
            errors = self.card(text)["derivatives"]
            self.assertLess(errors["gradient_error"], 1e-9)
            self.assertLess(errors["hessian_error"], 1e-9)

    def test_orders(self):
        for method, order in (("euler-a", 1), ("euler-b", 1), ("verlet", 2), ("midpoint", 2),
                              ("gauss stages=2", 4), ("gauss stages=3", 6), ("lobatto stages=3", 4),
                              ("lobatto stages=4", 6), ("rk4", 4), ("explicit-euler", 1),
                              ("implicit-euler", 1), ("dopri5", 5)):
            with self.subTest(method):
                card = self.card(DOUBLE_PENDULUM, "--method", method)
                self.assertAlmostEqual(card["order"], order, delta=0.1)

    def test_structure(self):
        kept = self.card(DOUBLE_PENDULUM)
        self.assertLess(kept["symplecticity_defect"], 1e-13)
        self.assertLess(kept["reversibility_defect"], 1e-14)
        self.assertLess(abs(kept["energy"]["slope"]), 1e-3)
        lost = self.card(DOUBLE_PENDULUM, "--method=rk4")
        self.assertGreater(lost["symplecticity_defect"], 1e-8)
        self.assertGreater(lost["reversibility_defect"], 1e-9)
        other = self.card(DOUBLE_PENDULUM, "--method=euler-a")
        self.assertGreater(other["reversibility_defect"], 1e-5)

    def test_structure_on_groups(self):
        """Measured: exact derivatives at round-off, finite differences to 1e-12."""
        for method, least, most in (("lgvi", 0, 1e-14), ("euler-b retraction=exp", 0, 1e-14),
                                    ("euler-a convention=thesis", 1e-4, 1), ("tln", 1e-7, 1),
                                    ("mln", 1e-7, 1), ("lv", 1e-7, 1), ("sw", 1e-7, 1),
                                    ("swp", 1e-7, 1), ("kr", 1e-6, 1), ("rkmk", 1e-12, 1e-9),
                                    ("rk4", 5e-11, 1e-9), ("explicit-euler", 1e-5, 1),
                                    ("implicit-euler", 1e-5, 1), ("dopri5", 0, 1e-11)):
            with self.subTest(method):
                card = self.card(FREE_BODY, "--step=0.02", "--method", method)
                self.assertGreaterEqual(card["symplecticity_defect"], least)
                self.assertLess(card["symplecticity_defect"], most)

    def test_methods_of_several_steps(self):
        for method in ("flv", "generalized-alpha"):
            self.write(FREE_BODY)
            done = self.noether("check", "model.noe", "--method", method)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("not applicable: " + method + " is a multistep method", done.stdout)
            self.assertNotIn("symplecticity_defect", self.card(FREE_BODY, "--method", method))

    def test_a_wrong_derivative_is_detected(self):
        """A kink has no derivative, so finite differences disagree with the derivative of the graph."""
        self.write("coord q\nL = q'^2/2 - abs(q - 1)\nstart q = 1\n")
        done = self.noether("check", "model.noe")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("DO NOT agree", done.stdout)

    def test_without_a_method_only_derivatives(self):
        self.write("coord q\nL = q'^2/2 - q^2/2\nstart q = 1\n")
        card = self.noether_json("check", "model.noe")
        self.assertNotIn("order", card)
        self.assertIn("derivatives", card)

    def test_messages(self):
        self.write(DOUBLE_PENDULUM)
        words = self.noether("check", "model.noe").stdout
        for word in ("2 degrees of freedom", "agree with finite differences", "midpoint", "order",
                     "2 claimed", "symplectic", "reversible", "energy", "slope"):
            self.assertIn(word, words)

    def test_a_failing_run(self):
        self.write("coord q\nL = q'^2/2 - log(q)\nstart q = 1, q' = -3\nmethod verlet\nstep 0.1\n"
                   "until 10\n")
        done = self.noether("check", "model.noe")
        self.assertEqual(done.returncode, 1)
        self.assertIn("step", done.stderr)


class Converge(CommandTest):
    def test_orders(self):
        self.write(DOUBLE_PENDULUM)
        for method, steps, order in (("midpoint", "0.1,0.05,0.025,0.0125", 2),
                                     ("gauss stages=3", "1/4,1/8,1/16,1/32", 6),
                                     ("rk4", "0.1,0.05,0.025", 4), ("euler-b", "1e-2,5e-3", 1)):
            with self.subTest(method):
                result = self.noether_json("converge", "model.noe", "--until", "1",
                                           "--method", method, "--steps", steps)
                self.assertAlmostEqual(result["order"], order, delta=0.15)
                self.assertEqual(len(result["rows"]), steps.count(",") + 1)
                self.assertNotIn("order", result["rows"][0])
                self.assertAlmostEqual(result["rows"][-1]["order"], order, delta=0.15)
                self.assertIn("gauss", result["reference"])

    def test_rows_at_round_off_are_ignored(self):
        self.write(DOUBLE_PENDULUM)
        result = self.noether_json("converge", "model.noe", "--until=1",
                                   "--method", "gauss stages=4",
                                   "--steps", "1/4,1/8,1/16,1/100,1/200")
        self.assertAlmostEqual(result["order"], 8, delta=0.3)

    def test_the_error_is_the_distance_to_the_solution(self):
        self.write(DOUBLE_WELL.replace("(q^4 - q^2)/2", "q^2/2").replace("0.74", "1"))
        row = self.noether_json("converge", "model.noe", "--steps=0.1")["rows"][0]
        final = self.noether_json("run", "model.noe", "--step=0.1")["final"]
        error = max(abs(final["q"]["q"] - math.cos(1)), abs(final["p"]["q"] + math.sin(1)))
        self.assertAlmostEqual(row["error"], error, delta=1e-14)

    def test_errors_of_parts_and_their_file(self):
        self.write(DOUBLE_PENDULUM)
        rows = self.noether_json("converge", "model.noe", "--until=1", "--steps=0.1,0.05",
                                 "-o", "rows.csv")["rows"]
        for row in rows:
            self.assertEqual(row["error"], max(row["q_error"], row["p_error"]))
        with open(self.path("rows.csv")) as file:
            lines = [line.split(",") for line in file.read().split()]
        self.assertEqual(lines[0], ["h", "error", "q_error", "p_error", "energy_error"])
        for row, line in zip(rows, lines[1:]):
            for key, number in zip(lines[0], line):
                self.assertEqual(row[key], float(number))
        end = self.noether_json("run", "model.noe", "--until=1", "--step=0.05")["energy"]
        self.assertAlmostEqual(rows[1]["energy_error"], abs(end["final"] - end["start"]),
                               delta=1e-13)
        self.assert_rejected(self.noether("converge", "model.noe", "--steps=0.1", "-o", "a.txt"),
                             ".csv")

    def test_table(self):
        self.write(DOUBLE_WELL)
        words = self.noether("converge", "model.noe", "--steps", "0.1,0.05").stdout
        for word in ("reference: gauss", "0.05", "observed order"):
            self.assertIn(word, words)

    def test_bad_steps(self):
        self.write(DOUBLE_WELL)
        for steps, words in (("0.3", "0.3 does not divide"), ("0.1,-1", "positive"),
                             ("0.1,,", "--steps"), ("", "--steps"), ("2", "does not divide"),
                             ("0.1,zz", "zz"),
                             (",".join(["0.1"] * 65), "more than 64")):
            with self.subTest(steps):
                self.assert_rejected(self.noether("converge", "model.noe", "--steps", steps), words)
        self.assert_rejected(self.noether("converge", "model.noe"), "--steps 0.1")


FREE_BODY = """param J = diag(2, 3, 4)
rotation R, W
L = dot(W, J*W)/2
start W = [1, 0.5, -0.8]
step 0.1
until 4
"""

COMPARE_KEYS = ["method", "h", "error", "energy_error", "seconds", "evaluations"]


def rows_of(result, method):
    return [row for row in result["rows"] if row["method"] == method]


def slope(rows, key):
    """The order of a quantity between the last two rows, which have different steps."""
    return math.log(rows[-2][key] / rows[-1][key]) / math.log(rows[-2]["h"] / rows[-1]["h"])


class Compare(CommandTest):
    def compare(self, text, methods, *options):
        self.write(text)
        return self.noether_json("compare", "model.noe", "--methods", methods, *options)

    def test_orders_of_errors_and_of_work(self):
        result = self.compare(DOUBLE_PENDULUM, "midpoint, gauss stages=2,rk4", "--until=1",
                              "--steps", "0.02,0.01,0.005")
        self.assertEqual([row["method"] for row in result["rows"]],
                         ["midpoint"] * 3 + ["gauss stages=2"] * 3 + ["rk4"] * 3)
        self.assertIn("gauss stages=8", result["reference"])
        self.assertEqual((result["status"], result["passed_over"]), ("ok", []))
        for method, order in (("midpoint", 2), ("gauss stages=2", 4), ("rk4", 4)):
            with self.subTest(method):
                rows = rows_of(result, method)
                for row in rows:
                    self.assertEqual(list(row), COMPARE_KEYS)
                    self.assertGreater(row["seconds"], 0)
                self.assertAlmostEqual(slope(rows, "error"), order, delta=0.15)
                self.assertAlmostEqual(slope(rows, "energy_error"), order, delta=0.6)
        self.assertEqual([row["evaluations"] for row in rows_of(result, "rk4")], [200, 400, 800])

    def test_energy_adaptive_methods_are_compared_by_the_first_step_size(self):
        result = self.compare(DOUBLE_PENDULUM, "energy-midpoint guard=anchored", "--until=1",
                              "--steps", "0.02,0.01,0.005")
        self.assertEqual((len(result["rows"]), result["passed_over"]), (3, []))
        self.assertAlmostEqual(slope(result["rows"], "error"), 2, delta=0.3)

    def test_the_numbers_are_those_of_converge_and_run(self):
        result = self.compare(DOUBLE_PENDULUM, "midpoint", "--until=1", "--steps=0.02")
        row = result["rows"][0]
        other = self.noether_json("converge", "model.noe", "--until=1", "--steps=0.02")
        self.assertEqual(row["error"], other["rows"][0]["error"])
        ran = self.noether_json("run", "model.noe", "--until=1", "--step=0.02")
        self.assertEqual(row["energy_error"], ran["energy"]["max_error"])

    def test_options_of_a_method_on_groups(self):
        result = self.compare(FREE_BODY, "euler-a retraction=cay, euler-a retraction=cay "
                              "convention=thesis, flv, kr", "--steps", "1/40,1/80,1/160")
        for method, order in (("euler-a retraction=cay", 2), ("flv", 2), ("kr", 1),
                              ("euler-a retraction=cay convention=thesis", 1)):
            with self.subTest(method):
                self.assertAlmostEqual(slope(rows_of(result, method), "error"), order, delta=0.15)

    def test_the_ladder(self):
        rows = self.compare(DOUBLE_WELL, "verlet")["rows"]
        self.assertEqual([row["h"] for row in rows], [0.04, 0.02, 0.01, 0.005, 0.0025, 0.00125])
        rows = self.compare(DOUBLE_WELL.replace("0.01", "0.3"), "verlet")["rows"]
        self.assertEqual([round(1 / row["h"]) for row in rows], [1, 2, 3, 7, 13, 27])

    def test_adaptive_methods_are_refined_by_tolerance(self):
        rows = self.compare(DOUBLE_PENDULUM, "dopri5, dopri5 tolerance=1e-8", "--until=1",
                            "--steps=0.1")["rows"]
        self.assertEqual([row.get("tolerance") for row in rows],
                         [1e-3, 1e-5, 1e-7, 1e-9, 1e-11, None])
        errors = [row["error"] for row in rows[:5]]
        self.assertEqual(errors, sorted(errors, reverse=True))
        self.assertLess(errors[-1], 1e-10)  # measured 5e-12
        self.assertLess(rows[3]["error"], rows[5]["error"])

    def test_unsupported_methods_are_skipped(self):
        result = self.compare(DOUBLE_PENDULUM, "splitting, midpoint", "--steps=0.05")
        self.assertEqual([row["method"] for row in result["rows"]], ["midpoint"])
        self.assertEqual(result["passed_over"][0]["method"], "splitting")
        self.assertIn("splitting", result["passed_over"][0]["reason"])
        done = self.noether("compare", "model.noe", "--methods=splitting", "--steps=0.05")
        self.assert_rejected(done, "'splitting' is passed over", "none of the methods")

    def test_a_run_that_fails_is_left_out(self):
        self.write("coord q\nL = q'^2/2 + log(q)\nstart q = 1, q' = -1.2\nuntil 2\n")
        done = self.noether("compare", "model.noe", "--methods=explicit-euler, midpoint",
                            "--steps=1,0.01")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("explicit-euler, step 1:", done.stderr)
        lines = [line.split()[:2] for line in done.stdout.splitlines()[5:]]
        self.assertIn(["explicit-euler", "0.01"], lines)
        self.assertNotIn(["explicit-euler", "1"], lines)
        told = self.noether_json("compare", "model.noe", "--methods=explicit-euler",
                                 "--steps=1,0.01", exit_status=1)
        self.assertEqual(len(told["rows"]), 1)
        self.assertNotEqual(told["status"], "ok")
        done = self.noether("compare", "model.noe", "--methods=explicit-euler", "--steps=1",
                            "-o", "a.png")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.files(), ["model.noe"])

    def test_table(self):
        self.write(DOUBLE_WELL)
        done = self.noether("compare", "model.noe", "--methods", "midpoint,verlet", "--steps=0.1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("Double well", "reference: gauss", "energy error", "midpoint", "verlet"):
            self.assertIn(word, done.stdout)

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_pictures(self):
        self.write(FREE_BODY)
        for name, start in (("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")):
            done = self.noether("compare", "model.noe", "--methods", "flv, midpoint",
                                "--steps=0.1,0.05", "-o", name)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(self.path(name), "rb") as file:
                self.assertEqual(file.read(len(start)), start)
        with open(self.path("a.svg"), encoding="utf-8") as file:
            text = file.read()
        for word in ("Error against time", "Error against evaluations", "flv", "midpoint"):
            self.assertIn(word, text)
        self.assertEqual(self.files(), ["a.pdf", "a.png", "a.svg", "model.noe"])

    def test_bad_input(self):
        self.write(DOUBLE_WELL)
        for options, words in (((), "--methods midpoint"), (("--methods=",), "--methods"),
                               (("--methods=midpont",), "midpont"),
                               (("--methods=midpoint,,rk4",), "empty"),
                               (("--methods=gauss stages=0",), "stages"),
                               (("--methods=gauss stages=" + "1+" * 150 + "1",), "longer"),
                               (("--methods=" + ",".join(["rk4"] * 33),), "more than 32"),
                               (("--methods=rk4", "--steps=0.3"), "0.3 does not divide"),
                               (("--methods=rk4", "--steps=0.1,-1"), "positive"),
                               (("--methods=rk4", "--steps="), "--steps"),
                               (("--methods=rk4", "-o", "a.txt"), ".png"),
                               (("--methods=rk4", "--method=rk4"), "--methods")):
            with self.subTest(options):
                self.assert_rejected(self.noether("compare", "model.noe", *options), words)
        self.write("coord q\nL = q'^2/2\nuntil 1\n")
        self.assert_rejected(self.noether("compare", "model.noe", "--methods=rk4"), "needs steps")
        self.assertEqual(self.files(), ["model.noe"])

    def test_nothing_half_written(self):
        self.write(DOUBLE_WELL)
        done = self.noether("compare", "model.noe", "--methods=rk4", "-o", "absent/a.png")
        self.assert_rejected(done, "absent/a.png", exit_status=3)
        done = self.noether("compare", "model.noe", "--methods=rk4", "--steps=0.1", "-o", "a.png",
                            environment={"PATH": "/nowhere"})
        self.assertEqual(done.returncode, 3)
        self.assertIn("gnuplot", done.stderr)
        self.assertEqual(self.files(), ["model.noe"])


class Methods(CommandTest):
    def test_object(self):
        methods = self.noether_json("methods")
        names = [method["name"] for method in methods]
        for name in ("euler-a", "euler-b", "verlet", "midpoint", "gauss", "lobatto", "splitting",
                     "explicit-euler", "implicit-euler", "rk4", "dopri5"):
            self.assertIn(name, names)
        for method in methods:
            self.assertEqual(list(method), ["name", "options", "spaces", "order", "traits",
                                            "constraints", "summary", "reference"])
        by_name = {method["name"]: method for method in methods}
        self.assertEqual(by_name["midpoint"]["order"], 2)
        self.assertEqual(by_name["gauss"]["order"], "2s")
        self.assertEqual(by_name["gauss"]["options"], ["stages", "retraction"])
        self.assertIn("symplectic", by_name["gauss"]["traits"])
        self.assertIn("vector", by_name["gauss"]["spaces"])

    def test_table(self):
        words = self.noether("methods").stdout
        for word in ("midpoint", "2s-2", "stages", "symplectic"):
            self.assertIn(word, words)


class Export(CommandTest):
    def test_c_that_compiles_alone(self):
        self.write(DOUBLE_WELL)
        done = self.noether("export", "model.noe", "-o", "model.c")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        with open(self.path("model.c"), encoding="utf-8") as file:
            self.assertEqual(file.read(), self.noether("export", "model.noe").stdout)
        if compiler := shutil.which("cc"):
            subprocess.run([compiler, "-std=c99", "-Wall", "-Werror", "-c", "model.c"],
                           cwd=self.directory, check=True)

    def check_stepper(self, text, method, tolerance):
        """The exported step function gives the results of `run`."""
        self.write('model "sys"\n' + text.replace('model "Double well"\n', ""))
        done = self.noether("export", "model.noe", "--stepper", "--method", method, "-o", "model.c")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.write(STEP_MAIN, "main.c")
        on_groups = ["-DSYS_GROUPS"] if "rotation" in text or "pose" in text else []
        subprocess.run(["cc", "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off",
                        *on_groups, "-o", "main", "main.c", "-lm"], cwd=self.directory, check=True)
        printed = subprocess.run(["./main"], cwd=self.directory, capture_output=True, text=True,
                                 check=True).stdout.split()
        final = self.noether_json("run", "model.noe", "--method", method, "--step=0.01",
                                  "--steps=50")["final"]
        expected = numbers([*final["q"].values(), *final["p"].values()])
        for found, wanted in zip(printed, expected, strict=True):
            self.assertAlmostEqual(float(found), wanted, delta=tolerance)

    @unittest.skipUnless(shutil.which("cc"), "no C compiler")
    def test_the_step_function_agrees_with_run(self):
        for text, method in ((DOUBLE_PENDULUM, "midpoint"), (DOUBLE_PENDULUM, "gauss stages=3"),
                             (DOUBLE_PENDULUM, "rk4"), (DAMPED, "lobatto stages=3"),
                             (DOUBLE_WELL, "verlet"), (DOUBLE_WELL, "splitting order=4"),
                             (COUPLED, "verlet"), (DOUBLE_WELL, "euler-b")):
            with self.subTest(method=method):
                self.check_stepper(text, method, 1e-14)

    @unittest.skipUnless(shutil.which("cc"), "no C compiler")
    def test_the_step_function_on_groups(self):
        """Measured: 1.3e-14."""
        for text, method in ((TOP, "midpoint"), (TOP, "midpoint retraction=exp"), (TOP, "verlet"),
                             (TOP, "euler-a retraction=skew"), (TOP, "euler-b retraction=new"),
                             (BODY, "midpoint"), (BODY, "midpoint retraction=exp"),
                             (BODY, "verlet retraction=skew"), (BODY, "verlet retraction=exp"),
                             (BODY, "lgvi"), (BODY, "lgvi symmetric=yes"), (CARRIER, "midpoint"),
                             (CARRIER, "euler-a retraction=exp"), (CARRIER, "euler-b"),
                             (CARRIER, "verlet retraction=new")):
            with self.subTest(method=method, text=text):
                self.check_stepper(text, method, 2.6e-14)
        self.write(TOP)
        done = self.noether("export", "model.noe", "--stepper", "--method", "gauss", "-o", "model.c")
        self.assert_rejected(done, "of euler-a, euler-b, verlet, lgvi and midpoint it can")

    def test_a_stepper_is_never_of_another_method(self):
        self.write(DOUBLE_WELL)
        for method in ("energy-midpoint", "energy-gauss", "hermite-galerkin"):
            with self.subTest(method=method):
                done = self.noether("export", "model.noe", "--stepper", "--method", method)
                self.assert_rejected(done, "no step function of " + method + " can be exported")

    def test_a_stepper_needs_a_method(self):
        self.write("coord q\nL = q'^2/2\n")
        done = self.noether("export", "model.noe", "--stepper")
        self.assert_rejected(done, "no method is stated")

    def test_nothing_half_written(self):
        self.write(DOUBLE_WELL)
        self.assert_rejected(self.noether("export", "model.noe", "-o", "absent/model.c"),
                             "absent/model.c", exit_status=3)
        done = self.noether("export", "model.noe", "-o", "/dev/full")
        self.assert_rejected(done, "/dev/full", exit_status=3)
        self.write("coord q\n", "bad.noe")
        self.assert_rejected(self.noether("export", "bad.noe", "-o", "bad.c"), "bad.noe")
        self.assertFalse(os.path.exists(self.path("bad.c")))


if __name__ == "__main__":
    unittest.main()
