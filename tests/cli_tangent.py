"""Lyapunov exponents and MEGNO in model files: runs, ensembles, checkpoints, and rejections."""
# SPDX-License-Identifier: MIT
import csv
import unittest

from command import CommandTest

STATED = """model "Coupled"
param a = 0.5
coord q, x
L = (1 + x^2)*q'^2/2 + x'^2/2*(2 + sin(q)) + q'*x'*cos(x)/3 + cos(q) - x^4/4
start q = 1, x = a, q' = 0.2
observe l = lyapunov, first = lyapunov(1), m = megno, twice = 2*q
method midpoint
step 0.05
until 20
"""


class Runs(CommandTest):
    def test_exponents_are_observed(self):
        told = self.noether_json("run", self.write(STATED))["observe"]
        self.assertEqual(len(told["l"]), 4)
        self.assertEqual(told["l"][0], told["first"])
        self.assertAlmostEqual(told["l"][0], -told["l"][3], delta=2e-15)
        self.assertAlmostEqual(told["l"][1], -told["l"][2], delta=2e-15)

    def test_rows_have_the_current_exponents(self):
        self.write(STATED)
        self.noether("run", "model.noe", "--quiet", "-o", "a.csv")
        half = self.noether_json("run", "model.noe", "--until", "10")["observe"]
        with open(self.path("a.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(float(rows[0]["first"]), 0)
        self.assertEqual(float(rows[200]["first"]), half["first"])
        self.assertEqual(float(rows[200]["m"]), half["m"])
        self.assertEqual(float(rows[200]["twice"]), 2 * float(rows[200]["q"]))

    def test_a_resumed_run_has_the_same_bits(self):
        self.write(STATED)
        whole = self.noether_json("run", "model.noe")["observe"]
        self.noether("run", "model.noe", "--until", "10", "--checkpoint", "a.state", "--quiet")
        self.assertEqual(self.noether_json("run", "model.noe", "--resume", "a.state")["observe"], whole)


class Ensembles(CommandTest):
    def test_a_member_is_the_run_with_its_parameters(self):
        self.write(STATED + "vary a = 0 .. 1, 11\n")
        result = self.noether("ensemble", "model.noe", "--final", "-o", "a.csv", "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.path("a.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for member, a in ((0, "0"), (7, "0.7")):
            alone = self.noether_json("run", "model.noe", "--set", "a=" + a)["observe"]
            self.assertAlmostEqual(float(rows[member]["m"]), alone["m"], delta=2e-12)
            self.assertAlmostEqual(float(rows[member]["first"]), alone["first"], delta=2e-14)

    def test_the_same_bits_for_any_threads(self):
        self.write(STATED + "random q = normal(1, 0.1)\nmembers 200\n")
        one, two = (self.noether_json("ensemble", "model.noe", "--final", "--threads", threads, "--until", "2")
                    for threads in ("1", "3"))
        self.assertEqual(one["statistics"], two["statistics"])
        self.assertEqual(one["lanes"], 1)

    def test_members_without_a_valid_start_fail(self):
        self.write(STATED.replace("x = a", "x = sqrt(a)") + "vary a = -1 .. 1, 5\n")
        for more in ([], ["--lanes", "4"]):
            result = self.noether_json("ensemble", "model.noe", "--until", "1", *more)
            self.assertEqual([row["member"] for row in result["failed"]], [0, 1])
            self.assertIn("sqrt", result["failed"][0]["reason"])
            self.assertEqual(result["statistics"]["m"]["count"], 3)
        plain = STATED.replace("x = a", "x = sqrt(a)").replace("l = lyapunov, first = lyapunov(1), m = megno, ", "")
        self.write(plain + "vary a = -1 .. 1, 5\n")
        result = self.noether_json("ensemble", "model.noe", "--until", "1")
        self.assertEqual([row["member"] for row in result["failed"]], [0, 1])
        self.assertEqual(result["statistics"]["twice"]["count"], 3)


class Refusals(CommandTest):
    def test_messages(self):
        for old, new, words in (("lyapunov(1)", "lyapunov(5)", "there are 4 exponents"),
                                ("lyapunov(1)", "lyapunov(0)", "an exponent"),
                                ("lyapunov(1)", "lyapunov(1, 2)", "takes 1 argument"),
                                ("lyapunov(1)", "2*lyapunov(1)", "stands alone in 'observe'"),
                                ("m = megno", "m = megno/2", "stands alone in 'observe'"),
                                ("m = megno", "m = megno(1)", "write 'megno'"),
                                ("twice = 2*q", "twice = 2*m", "observed alone"),
                                ("observe l", "invariant l", "stands alone in 'observe'"),
                                ("method midpoint", "method dopri5", "chooses its own steps"),
                                ("until 20", "until 20\nstop when q = 0", "stop when")):
            done = self.noether("run", self.write(STATED.replace(old, new)))
            self.assert_rejected(done, words)

    def test_an_ensemble_needs_a_derivative_too(self):
        self.write(STATED.replace("q, x\n", "q, x\nnonholonomic q' = x'\n").replace("x = a, q' = 0.2", "x = 1")
                   + "vary a = 0 .. 1, 3\n")
        done = self.noether("ensemble", "model.noe", "--method", "lobatto")
        self.assert_rejected(done, "keeps constraints")

    def test_exported_c_rejects_exponents(self):
        done = self.noether("export", self.write(STATED))
        self.assert_rejected(done, "lyapunov")


if __name__ == "__main__":
    unittest.main()
