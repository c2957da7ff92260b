"""noether optimise and noether match: JSON object, examples, documents, and messages for bad input."""
# SPDX-License-Identifier: MIT
import csv
import json
import math
import os
import re
import shutil
import unittest

from command import DOUBLE_WELL, CommandTest

SOURCE = os.environ.get("NOETHER_SOURCE", os.path.join(os.path.dirname(__file__), ".."))
EXAMPLES = os.path.join(SOURCE, "examples", "optimise")

TRACE = """model "Trace function"
param X = [[45, 1, 0], [0, 20, 0], [0, 0, 2]], angle = 1
rotation R, W
minimize -trace(transpose(X)*R)
observe nose = R*e1
start R = expm(angle/sqrt(3)*[1, 1, 1])
method gradient-descent step = 0.024
"""

VALLEY = """coord x, y
minimize (1 - x)^2 + 100*(y - x^2)^2
start x = -1.2, y = 1
method momentum step = 0.001 mu = 0.95
"""

ITERATIONS = {  # until f is within 1e-10 of its minimum: from the identity, from 1 rad about (1, 1, 1)
    "gradient-descent step=0.024": (16, 22),
    "agd h=(sqrt(0.024)) epsilon=(sqrt(0.024)) mu=0.05": (10, 14),
    "sagd j=(sqrt(0.125)) h=(sqrt(0.125)) eta=(2*sqrt(0.125)) gamma=0.909": (8, 11),
}


class Optimise(CommandTest):
    def test_contract(self):
        self.write(TRACE)
        result = self.noether_json("optimise", "model.noe")
        self.assertEqual(result["status"], "ok")
        self.assertAlmostEqual(result["value"], -67.00769185258, delta=6e-14)
        self.assertLess(result["gradient_norm"], 1e-10)
        self.assertEqual(len(result["trace"]), result["iterations"] + 1)
        self.assertEqual(result["trace"][-1], result["value"])
        self.assertEqual(len(result["gradient_trace"]), len(result["trace"]))
        angle = math.asin(result["final"]["R"][0][1])
        self.assertAlmostEqual(angle, 0.0153834017806088, delta=3e-12)  # measured 1.3e-12
        self.assertEqual(result["observe"]["nose"], [row[0] for row in result["final"]["R"]])
        self.assertEqual(len(result["start"]["R"]), 3)

    def test_iterations(self):
        self.write(TRACE)
        for method, counts in ITERATIONS.items():
            for angle, count in zip((0, 1), counts):
                with self.subTest(method=method, angle=angle):
                    result = self.noether_json("optimise", "model.noe", "--set", f"angle={angle}",
                                               "--method", method, "--tolerance", "1e-9")
                    gaps = [f + 67.00769185258004 for f in result["trace"]]
                    first = max(k for k, gap in enumerate(gaps) if gap >= 1e-10) + 1
                    self.assertEqual(first, count)

    def test_summary_and_file(self):
        self.write(VALLEY)
        for name in ["trace.csv", "trace.h5"]:
            done = self.noether("optimise", "model.noe", "-o", name)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("a stationary point after 2254 iterations", done.stdout)
            self.assertIn(name, self.files())
        with open(self.path("trace.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), ["iteration", "value", "gradient_norm", "x", "y"])
        self.assertEqual(len(rows), 2255)
        self.assertEqual(float(rows[0]["x"]), -1.2)
        self.assertAlmostEqual(float(rows[-1]["y"]), 1, delta=4e-10)  # measured 1.8e-10

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_picture(self):
        self.write(TRACE)
        self.assertEqual(self.noether("optimise", "model.noe", "-o", "t.csv", "--quiet").returncode, 0)
        self.assertEqual(self.noether_json("plot", "t.csv", "-o", "t.png")["panels"], 3)

    def test_quadruple_precision_and_interpretation(self):
        self.write(VALLEY)
        for option in (["--precision", "quad", "--tolerance", "1e-25"], ["--interpret"]):
            result = self.noether_json("optimise", "model.noe", *option)
            self.assertEqual(result["status"], "ok")
            self.assertAlmostEqual(result["final"]["x"], 1, delta=2e-10)

    def test_steps(self):
        self.write(VALLEY + "steps 5\n")
        for options, count in (([], 5), (["--steps", "3"], 3)):
            result = self.noether_json("optimise", "model.noe", *options, exit_status=1)
            self.assertEqual(result["iterations"], count)
            self.assertNotEqual(result["status"], "ok")
            self.assertIn("not settled", result["message"])

    def test_divergence_writes_the_iterates(self):
        self.write(VALLEY)
        done = self.noether("optimise", "model.noe", "--method", "gradient-descent step=0.01", "-o",
                            "trace.csv", "--quiet")
        self.assertEqual(done.returncode, 1)
        self.assertIn("diverges: at iteration 6", done.stderr)
        self.assertIn("try one below 0.0013", done.stderr)
        with open(self.path("trace.csv"), encoding="utf-8") as file:
            self.assertIn("diverges", file.read())

    def test_bad_input(self):
        cases = [
            (VALLEY, ["--method", "momentum step=0.001"], "needs 'mu = ...'"),
            (VALLEY, ["--method", "midpoint"], "unknown method 'midpoint'"),
            (VALLEY, ["--tolerance", "-1"], "--tolerance"),
            (VALLEY, ["--steps", "1.5"], "--steps"),
            (VALLEY, ["-o", "trace.txt"], "--output"),
            (VALLEY.replace("method momentum step = 0.001 mu = 0.95\n", ""), [], "no method is stated"),
            (VALLEY.replace("mu = 0.95", "nu = 0.95"), [], "model.noe:4:8: momentum has no option 'nu'"),
            (TRACE.replace("gradient-descent step = 0.024", "nesterov step = 1 mu = 0"), [],
             "methods that do: gradient-descent, agd, sagd"),
            (VALLEY.replace("(1 - x)^2 + ", "t + "), [], "model.noe:2:10: the objective uses the time"),
            (VALLEY + "force x = 1\n", [], "model.noe:5:1: 'force' has no meaning"),
            (DOUBLE_WELL, [], "equations of motion"),
        ]
        for text, options, words in cases:
            with self.subTest(words):
                self.write(text)
                self.assert_rejected(self.noether("optimise", "model.noe", *options), words)
                self.assertEqual(self.files(), ["model.noe"])

    def test_other_subcommands_name_optimise(self):
        self.write(VALLEY)
        for command in (["run"], ["check"], ["control"], ["export"], ["converge", "--steps", "0.1"],
                        ["compare", "--methods", "midpoint"]):
            with self.subTest(command[0]):
                done = self.noether(command[0], "model.noe", *command[1:])
                self.assert_rejected(done, "it is for 'noether optimise model.noe'")

    def test_help_lists_the_iterations(self):
        text = self.noether("optimise", "--help").stdout
        for name in ("gradient-descent", "momentum", "nesterov", "agd", "sagd"):
            self.assertRegex(text, rf"(?m)^{name} ")

    def test_examples(self):
        for name in ("trace", "attitude", "rosenbrock"):
            with self.subTest(name):
                path = os.path.join(EXAMPLES, name + ".noe")
                result = self.noether_json("optimise", path)
                self.assertEqual(result["status"], "ok")
                with open(path, encoding="utf-8") as file:
                    self.assertTrue(file.readline().startswith("# "))
        residual = self.noether_json("optimise", os.path.join(EXAMPLES, "attitude.noe"))["observe"]["residual"]
        self.assertLess(max(residual), 0.024)  # measured 0.012

    def test_document(self):
        with open(os.path.join(SOURCE, "docs", "optimise.md"), encoding="utf-8") as file:
            text = file.read()
        self.write(re.search(r"^```noe\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[1])
        self.assertEqual(self.noether_json("optimise", "model.noe")["status"], "ok")
        for line in re.search(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[1].splitlines():
            words = [os.path.join(EXAMPLES, word) if word.startswith("boulder") else word
                     for word in line.split("#")[0].split()]
            done = self.noether(*words[1:])
            self.assertEqual(done.returncode, 0, done.stderr)


class Match(CommandTest):
    def test_recovers_a_rotation(self):
        for band, vector in (("16", "0.3,-0.2,1"), ("64", "[2, 1, -0.5]"), ("16", "3.14159265358979,0,0")):
            with self.subTest(band=band, vector=vector):
                result = self.noether_json("match", "relief:4", "--rotate", vector, "--band", band)
                self.assertEqual(result["status"], "ok")
                self.assertLess(result["error_angle"], 7e-12)  # measured 3.2e-12
                self.assertAlmostEqual(result["correlation"], 1, delta=1e-14)
                w = [float(x) for x in vector.strip("[]").split(",")]
                angle = math.sqrt(sum(x * x for x in w))
                self.assertAlmostEqual(result["angle"], angle, delta=1e-11)
                for x, y in zip(result["axis"], w):
                    self.assertAlmostEqual(abs(x), abs(y) / angle, delta=1e-6)

    def test_one_iteration_in_place_of_the_search(self):
        turned = ("match", "relief:1", "--band", "16", "--rotate", "0.3,-0.2,1")
        near = ("--from", "0.27,-0.22,1.02", "--tolerance", "1e-9")
        found = self.noether_json(*turned)["rotation"]
        count = []
        for method in ("gradient-descent step=0.04", "agd h=0.2 epsilon=0.24 mu=0.15"):
            result = self.noether_json(*turned, *near, "--method", method, "--iterates", "i.csv")
            self.assertEqual(result["status"], "ok")
            self.assertLess(result["error_angle"], 1e-9)
            self.assertAlmostEqual(result["rotation"][0][1], found[0][1], delta=1e-9)
            with open(self.path("i.csv")) as file:
                lines = file.read().split()
            self.assertTrue(lines[0].startswith("iteration,value,gradient_norm,R[1][1]"))
            self.assertEqual(len(lines), result["iterations"] + 2)
            self.assertEqual(len(result["trace"]), result["iterations"] + 1)
            count.append(result["iterations"])
        self.assertGreater(count[0], count[1])
        words = self.noether(*turned, *near, "--method", "gradient-descent step=0.04").stdout
        self.assertIn("at rest", words)
        stopped = self.noether(*turned, "--method", "gradient-descent step=0.04", "--steps", "3")
        self.assertEqual(stopped.returncode, 1)
        for more, word in ((near, "--method"), (("--method", "nesterov step=1 mu=0.1"), "nesterov"),
                           (("--method", "agd h=1", "--from", "1,2"), "--from"),
                           (("--method", "agd h=1", "--steps", "x"), "--steps"),
                           (("--method", "agd h=1", "--tolerance", "x"), "--tolerance"),
                           (("--method", "agd h=1", "-o", "b.txt"), "--iterates"),
                           (("--method", "agd h=1 epsilon=1 mu=0", "--iterates", "b.x"), "b.x")):
            with self.subTest(more):
                self.assert_rejected(self.noether(*turned, *more), word)

    def test_files(self):
        self.assertEqual(self.noether("match", "relief:4", "--rotate", "0.3,-0.2,1", "--band", "12", "-o",
                                      "b.txt", "--quiet").returncode, 0)
        result = self.noether_json("match", "relief:4", "b.txt", "--band", "12")
        self.assertAlmostEqual(result["angle"], math.sqrt(1.13), delta=1e-11)
        self.assertEqual(result["band"], 12)

    def test_two_scans_of_a_boulder(self):
        names = [os.path.join(EXAMPLES, f"boulder_{x}.txt") for x in "ab"]
        result = self.noether_json("match", *names, "--band", "8")
        self.assertAlmostEqual(result["angle"], 2.1213203, delta=0.006)  # measured 0.0027
        self.assertGreater(result["correlation"], 0.9997)
        self.assertLess(max(result["fit_residuals"]), 1e-3)  # the error of the scans
        done = self.noether("match", *names, "--band", "8")
        self.assertIn("rad about (0.3767", done.stdout)

    def test_bad_input(self):
        self.write("points\n1 0 0\n", "few.txt")
        self.write("coefficients\n1 2 3\n", "bad.txt")
        cases = [
            (["relief:1"], "two shapes, or one and --rotate"),
            ([], "needs a shape"),
            (["relief:1", "relief:2", "--rotate", "1,2,3"], "two shapes, or one and --rotate"),
            (["relief:1", "relief:2", "relief:3"], "found 'relief:3' as well"),
            (["relief:x", "relief:2"], "relief:SEED"),
            (["relief:1", "--rotate", "1,2"], "three numbers"),
            (["relief:1", "--rotate", "1,2,3,4"], "three numbers"),
            (["relief:1", "relief:2", "--band", "1"], "--band"),
            (["relief:1", "relief:2", "--search-band", "9999"], "--search-band"),
            (["relief:1", "none.txt"], "none.txt"),
            (["relief:1", "few.txt"], "points need a band"),
            (["relief:1", "few.txt", "--band", "4"], "1 values cannot determine the 16 coefficients"),
            (["relief:1", "bad.txt"], "bad.txt:2:1: degree and order"),
        ]
        for arguments, words in cases:
            with self.subTest(words):
                self.assert_rejected(self.noether("match", *arguments), words)
        self.assertEqual(self.files(), ["bad.txt", "few.txt"])

    def test_undetermined(self):
        done = self.noether("match", "relief:1", "relief:2", "--band", "2", "--json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("not determined", done.stderr)
        self.assertNotEqual(json.loads(done.stdout)["status"], "ok")


if __name__ == "__main__":
    unittest.main()
