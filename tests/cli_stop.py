"""'stop when' in a model file: the report of a run about its end."""
# SPDX-License-Identifier: MIT
import csv
import json
import math
import os
import unittest

from command import NOETHER, CommandTest

OSCILLATOR = """model "Oscillator"
coord q
L = (q'^2 - q^2)/2
start q = 1
stop when q = 0
method gauss stages = 6
step 0.1
until 10
"""

BALL = """param g = 9.81, h = 2
coord y
L = y'^2/2 - g*y
start y = h
stop when y = 0
method verlet
step 0.05
until 10
"""


class Stop(CommandTest):
    def test_the_object_has_place_and_reason(self):
        self.write(OSCILLATOR)
        result = self.noether_json("run", "model.noe")
        self.assertEqual(list(result), ["model", "method", "options", "kernel", "status", "message", "steps",
                                        "time", "step", "start", "final", "energy", "stopped",
                                        "newton", "effort", "code", "wall_seconds", "steps_per_second"])
        self.assertEqual((result["status"], result["message"]), ("ok", ""))
        self.assertEqual(list(result["stopped"]), ["by", "value"])
        self.assertEqual(result["stopped"]["by"], "q = 0")
        self.assertEqual(result["stopped"]["value"], result["final"]["q"]["q"])
        self.assertLess(abs(result["stopped"]["value"]), 1e-16)
        self.assertAlmostEqual(result["time"], math.pi/2, delta=4.5e-16)  # measured 0
        self.assertEqual(result["steps"], 16)
        self.assertEqual(result["step"]["last"], result["step"]["min"])
        self.assertAlmostEqual(result["step"]["last"], math.pi/2 - 1.5, delta=1e-15)

    def test_no_report_without_a_root(self):
        self.write(OSCILLATOR)
        for options in (("--until=1.5",), ("--steps=15",)):
            result = self.noether_json("run", "model.noe", *options)
            self.assertNotIn("stopped", result)
            self.assertEqual((result["steps"], result["time"]), (15, 1.5))
        self.assertNotIn("stopped", self.noether("run", "model.noe", "--until=1.5").stdout)

    def test_until_is_not_needed_with_steps(self):
        self.write(OSCILLATOR.replace("until 10\n", ""))
        self.assertEqual(self.noether_json("run", "model.noe", "--steps=1000")["steps"], 16)

    def test_summary(self):
        self.write(OSCILLATOR)
        done = self.noether("run", "model.noe", "--step=0.3")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("stopped at t = 1.570796327 where q = 0\n", done.stdout)
        self.assertIn("6 steps, t = 0 to 1.570796327", done.stdout)
        self.assertNotIn("does not divide", done.stdout)

    def test_every_stepper_finds_the_event(self):
        self.write(BALL)
        for method in ("verlet", "midpoint", "gauss stages=3", "lobatto stages=3",
                       "splitting order=6", "rk4", "dopri5"):
            for option in ((), ("--interpret",), ("--step=0.7",)):
                with self.subTest(method=method, option=option):
                    result = self.noether_json("run", "model.noe", "--method", method, *option)
                    self.assertAlmostEqual(result["time"], math.sqrt(4/9.81), delta=6e-16)
        generic = self.noether_json("run", "model.noe", "--generic")
        self.assertAlmostEqual(generic["time"], math.sqrt(4/9.81), delta=6e-16)  # measured 3.3e-16

    def test_parameters_change_the_event(self):
        self.write(BALL)
        time = self.noether_json("run", "model.noe", "--set", "h=5")["time"]
        self.assertAlmostEqual(time, math.sqrt(10/9.81), delta=6e-16)

    def test_the_first_of_several(self):
        self.write(BALL + "stop when y = h/2\nstop when y' = -5\n")
        result = self.noether_json("run", "model.noe", "--step=1")
        self.assertEqual(result["stopped"]["by"], "y = h/2")
        self.assertAlmostEqual(result["time"], math.sqrt(2/9.81), delta=6e-16)
        result = self.noether_json("run", "model.noe", "--step=1", "--set", "h=20")
        self.assertEqual(result["stopped"]["by"], "y' = -5")
        self.assertAlmostEqual(result["time"], 5/9.81, delta=6e-16)

    def test_the_last_row_is_at_the_root(self):
        self.write(BALL)
        for sample in ("1", "4", "13", "1000"):
            result = self.noether_json("run", "model.noe", "-o", "out.csv", "--sample", sample)
            with open(self.path("out.csv"), encoding="utf-8") as file:
                text = file.read()
            rows = list(csv.reader(line for line in text.splitlines() if not line.startswith("#")))
            self.assertEqual(float(rows[-1][0]), result["time"])
            self.assertEqual(float(rows[-1][1]), result["final"]["q"]["y"])
            self.assertEqual(len(rows), 2 + math.ceil(13/int(sample)))
            self.assertNotIn("incomplete", text)

    def test_not_finite(self):
        self.write(BALL.replace("stop when y = 0", "stop when sqrt(y) = -1"))
        done = self.noether("run", "model.noe", "--json", "-o", "out.csv")
        self.assertEqual(done.returncode, 1)
        result = json.loads(done.stdout)
        self.assertNotEqual(result["status"], "ok")
        self.assertNotIn("stopped", result)
        self.assertIn("step 13, t = 0.65: the sides of 'sqrt(y) = -1' do not", done.stderr)
        self.assertIn("out.csv", self.files())

    def test_studies_go_to_the_end_time(self):
        self.write(OSCILLATOR)
        result = self.noether_json("converge", "model.noe", "--method=verlet", "--until=4",
                                   "--steps=0.1,0.05")
        self.assertAlmostEqual(result["order"], 2, delta=0.01)
        self.assertEqual(self.noether("check", "model.noe").returncode, 0)

    def test_export(self):
        self.write(BALL)
        text = self.noether("export", "model.noe").stdout
        self.assertIn("MODEL_EVENTS = 1", text)
        self.assertIn("values[0]: y = 0", text)
        self.assertIn("void model_events(double t, const double *q, const double *v", text)

    def test_quad(self):
        if not os.path.exists(NOETHER + "-quad"):
            self.skipTest("this build has no noether-quad")
        self.write(OSCILLATOR.replace("stages = 6", "stages = 12"))
        done = self.noether("run", "model.noe", "--precision=quad", "--json")
        result = json.loads(done.stdout, parse_float=str)
        self.assertEqual(result["time"][:33], "1.5707963267948966192313216916397"[:33])


class Errors(CommandTest):
    def test_bad_statements(self):
        for statement, place, words in (
                ("stop when x = 0", 11, "compares scalars, found a vector of 3"),
                ("stop when x[1]", 15, "expected '=' between the sides of an equation"),
                ("stop x[1] = 0", 6, "expected 'when'"),
                ("stop when pi = 3", 11, "never changes"),
                ("stop when z = 0", 11, "unknown name 'z'"),
                ("stop when x[1] = 0 rising", 20, "expected an operator or the end of the line")):
            with self.subTest(statement):
                self.write("coord x[3]\nL = dot(x', x')/2\nmethod verlet\nstep 1\nuntil 2\n"
                           + statement + "\n")
                done = self.noether("run", "model.noe")
                self.assert_rejected(done, f"model.noe:6:{place}: ", words)

    def test_velocities_time_and_names_are_allowed(self):
        for equation in ("x[1]' = 5 - t", "norm(x) = far", "speed = 3*t", "t = 4"):
            self.write("coord x[3]\nL = dot(x', x')/2\nlet far = 4\nstart x = [1e-3, 0, 0], x' = e1\n"
                       f"observe speed = norm(x')\nstop when {equation}\n"
                       "method verlet\nstep 0.3\nuntil 20\n")
            self.assertEqual(self.noether_json("run", "model.noe")["stopped"]["by"], equation)


if __name__ == "__main__":
    unittest.main()
