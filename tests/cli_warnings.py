"""Warnings of runs whose accuracy is useless, and silence on the others."""
# SPDX-License-Identifier: MIT
import os
import unittest

from command import CommandTest

EXAMPLES = os.path.join(os.environ["NOETHER_SOURCE"], "examples")

# What each model does wrong, its text, and words of the warning.
USELESS = [
    ("an unstable linear system",
     "coord x, y\nL = (x'^2 + y'^2)/2 - 1e4*x^2/2 - y^2/2\nstart x = 1, y = 1\n"
     "method verlet\nstep 0.0205\nuntil 4\n", ["stability limit", "the energy changed by"]),
    ("a collision",
     "coord x, y\nL = (x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)\nstart x = 1, y' = 0.02\n"
     "method verlet\nstep 0.01\nuntil 10\n", ["the energy changed by"]),
    ("a pole",
     "coord x\nL = x'^2/2 + 1/abs(x)\nstart x = 1, x' = -0.1\nmethod verlet\nstep 0.05\nuntil 5\n",
     ["the energy changed by"]),
    ("a long step",
     "coord q\nL = q'^2/2 + 9.81*cos(q)\nstart q = 0.5\nmethod midpoint\nstep 5\nuntil 100\n",
     ["longer than half the shortest period"]),
]


class Warnings(CommandTest):
    def test_useless_runs(self):
        for what, text, words in USELESS:
            with self.subTest(what):
                self.write(text)
                done = self.noether("run", "model.noe")
                result = self.noether_json("run", "model.noe")
                for word in words:
                    self.assertIn(word, done.stderr)
                    self.assertIn(word, done.stdout)
                    self.assertIn(word, " ".join(result["warnings"]))
                self.assertEqual(self.noether("run", "model.noe", "--quiet").stderr, "")

    def test_good_runs(self):
        for name in ("kepler", "double_well", "damped_oscillator", "pendulum_period", "heavy_top"):
            with self.subTest(name):
                self.assertNotIn("warning", self.noether("run", os.path.join(EXAMPLES, name + ".noe")).stderr)

    def test_places_of_what_is_missing(self):
        for text, place in (("", "model.noe:1:1: "),
                            ("coord q\nL = q'^2/2\nmethod midpoint\nuntil 1\n", "model.noe:4:1: no step"),
                            ("coord q\nL = q'^2/2\nstep 0.1\n", "model.noe:3:1: no method"),
                            ("coord q\nL = q'^2*q^2 - q\nstart q = 1\nmethod splitting\nstep 0.1\nuntil 1\n",
                             "model.noe:4:8: splitting needs"),
                            ("coord x, y\nL = x'^2/2 - y^2 - x^2\nmethod midpoint\nstep 0.1\nuntil 1\n",
                             "model.noe:1:10: 'y' has no inertia")):
            with self.subTest(place):
                self.write(text)
                done = self.noether("run", "model.noe")
                self.assertEqual(done.returncode, 2)
                self.assertIn(place, done.stderr)


if __name__ == "__main__":
    unittest.main()
