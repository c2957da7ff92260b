"""noether section of many orbits: crossings of all members in one output, equal for any threads and lanes."""
# SPDX-License-Identifier: MIT
import csv
import json
import shutil
import signal
import subprocess
import time
import unittest

from command import NOETHER, CommandTest

ORBITS = """model "Henon-Heiles"
param E = 0.125, y0 = -0.25
coord x, y
L = (x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3
start y = y0, x' = sqrt(2*E - y0^2 + 2*y0^3/3)
vary y0 = -0.2 .. 0.4, 7
section cut : x = 0 rising record y, y'
method gauss stages = 3
step 0.1
until 100
"""


VEHICLE = """model "Kirchhoff"
param J = diag(1.09, 2.16, 2.68), M = diag(3.72, 7.42, 4.29), phi = 0.6, s = 0.9
param p = 5.2*[cos(phi), sin(phi), 0]
param rest = 4 - p[1]^2/(2*M[1][1]) - p[2]^2/(2*M[2][2]) - s^2*(sin(phi)^2/(2*J[1][1]) + cos(phi)^2/(2*J[2][2]))
pose R, x, W, V
L = dot(W, J*W)/2 + dot(V, M*V)/2
start W = [s*sin(phi)/J[1][1], -s*cos(phi)/J[2][2], sqrt(2*rest/J[3][3])]
start V = [p[1]/M[1][1], p[2]/M[2][2], 0]
vary s = 0.3 .. 0.9, 11
section cut : V[3] = 0 record W[1], W[3], V[3]
method flv
step 0.05
until 50
"""

PENDULUM = """param w = 1
coord q
L = q'^2/2 + cos(q) + 0.1*q*cos(2*t)
start q' = w
vary w = 0.3 .. 1.9, 9
section strobe : sin(2*t) = 0.3 rising record q, q'
section turn : q' = 0 record q
method midpoint
step 0.05
until 40
"""


class Orbits(CommandTest):
    def test_a_member_has_the_crossings_of_a_scalar_run(self):
        self.write(ORBITS)
        told = self.noether_json("section", "model.noe")
        cut = told["sections"]["cut"]
        self.assertEqual(told["members"], 7)
        self.assertEqual(len(cut["member"]), cut["count"])
        self.assertEqual(cut["member"], sorted(cut["member"]))
        alone = self.write(ORBITS.replace("vary y0 = -0.2 .. 0.4, 7\n", ""), "alone.noe")
        for member in (0, 4, 6):
            y0 = -0.2 + (0.4 + 0.2) * member / 6
            one = self.noether_json("section", alone, "--set", f"y0={y0!r}")["sections"]["cut"]
            own = [i for i, m in enumerate(cut["member"]) if m == member]
            self.assertEqual([cut["t"][i] for i in own], one["t"])
            self.assertEqual([cut["records"][i] for i in own], one["records"])

    def test_the_same_bits_for_any_threads(self):
        self.write(ORBITS)
        one, three = (self.noether_json("section", "model.noe", "--threads", n) for n in ("1", "3"))
        self.assertEqual(one["sections"], three["sections"])
        self.assertEqual(one["energy"], three["energy"])

    def compare_lanes(self, text, widths, alone):
        """Equal bits for any lanes and threads, and agreement with scalar runs of the members."""
        self.write(text)
        one = self.noether_json("section", "model.noe")
        self.assertEqual(one["lanes"], 0)
        told = [self.noether_json("section", "model.noe", "--lanes", lanes, "--threads", threads)
                for lanes, threads in widths]
        for (lanes, _), other in zip(widths, told):
            self.assertEqual(other["lanes"], int(lanes))
            self.assertEqual(other["sections"], told[0]["sections"])
            self.assertEqual(other["energy"], told[0]["energy"])
            self.assertEqual((other["failed"], other["steps"]), (one["failed"], one["steps"]))
        for name, value in one["energy"]["steps"].items():
            self.assertLess(abs(told[0]["energy"]["steps"][name] - value), 1e-15)  # measured 4.4e-16
        for name, cut in told[0]["sections"].items():
            single = one["sections"][name]
            self.assertGreater(cut["count"], 20)
            self.assertEqual(cut["member"], single["member"])
            for t, records, t1, records1 in zip(cut["t"], cut["records"], single["t"], single["records"]):
                self.assertLess(abs(t - t1), alone)
                for x, y in zip(records, records1):
                    self.assertLess(abs(x - y), alone)
        return told[0]

    def test_the_same_bits_in_lanes(self):
        # Event functions with rates, by stages; of the velocity, by a kernel with event detection; two with sines.
        self.compare_lanes(ORBITS, (("8", "1"), ("1", "3"), ("4", "2")), 3e-13)  # measured 1.4e-13
        cut = self.compare_lanes(VEHICLE, (("8", "2"), ("1", "1"), ("2", "3"), ("4", "1")), 1.5e-14)  # measured 7.1e-15
        for record in cut["sections"]["cut"]["records"]:
            self.assertLess(abs(record[2]), 2e-17)  # measured 6.5e-18
        steps, crossings = cut["energy"]["steps"], cut["energy"]
        self.assertLess(crossings["max_error"], 2 * steps["max_error"])  # measured 1.14
        self.compare_lanes(PENDULUM, (("8", "2"), ("1", "1")), 1.5e-14)  # measured 7.1e-15

    def test_members_that_fail_in_lanes(self):
        text = ORBITS.replace("-0.2 .. 0.4, 7", "-0.6 .. 3.2, 12").replace("until 100", "until 20")
        self.write(text.replace("sqrt(2*E - y0^2 + 2*y0^3/3)", "sqrt(2*E + 0*y0)"))
        one = self.noether_json("section", "model.noe")
        told = [self.noether_json("section", "model.noe", "--lanes", lanes) for lanes in ("1", "8")]
        self.assertGreater(len(one["failed"]), 2)
        self.assertLess(len(one["failed"]), 12)
        for other in told:
            self.assertEqual(other["failed"], one["failed"])
            self.assertEqual(other["sections"], told[0]["sections"])
            self.assertEqual(other["sections"]["cut"]["member"], one["sections"]["cut"]["member"])

    def test_crossings_at_the_very_end_of_steps_in_lanes(self):
        text = ("param a = 1\ncoord q\nL = q'^2/2\nstart q' = a\nvary a = 1 .. 2, 3\nsection cut : q = 1 record q\n"
                "method midpoint\nstep 0.25\nuntil 4\n")
        cut = self.noether_json("section", self.write(text), "--lanes", "8")["sections"]["cut"]
        self.assertEqual(cut["member"], [0, 1, 2])
        for t, exact in zip(cut["t"], (1, 1 / 1.5, 0.5)):
            self.assertLess(abs(t - exact), 1e-15)

    def test_lanes_that_are_not_supported(self):
        self.write(ORBITS)
        self.assert_rejected(self.noether("section", "model.noe", "--lanes", "3"), "expected 1, 2, 4 or 8")
        told = self.noether_json("section", self.write(ORBITS + "stop when y = 0.39\n"), "--lanes", "8")
        self.assertEqual(told["lanes"], 0)

    def test_the_file_has_a_column_of_members(self):
        self.write(ORBITS)
        self.noether("section", "model.noe", "-o", "a.csv", "--quiet")
        cut = self.noether_json("section", "model.noe")["sections"]["cut"]
        with open(self.path("a.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), ["section", "t", "energy", "member", "y", "y'"])
        self.assertEqual([int(row["member"]) for row in rows], cut["member"])
        self.assertEqual([float(row["t"]) for row in rows], cut["t"])

    def test_random_members_have_their_seed(self):
        self.write(ORBITS.replace("vary y0 = -0.2 .. 0.4, 7", "random y0 = uniform(-0.2, 0.4)\nmembers 5"))
        times = [self.noether_json("section", "model.noe", *more)["sections"]["cut"]["t"]
                 for more in ((), ("--seed", "1"), ("--seed", "2"), ("--members", "3"))]
        self.assertEqual(times[0], times[1])
        self.assertNotEqual(times[0], times[2])
        self.assertLess(len(times[3]), len(times[0]))

    def test_failed_members_are_reported_and_others_continue(self):
        self.write(ORBITS.replace("-0.2 .. 0.4, 7", "-0.6 .. 0.2, 5"))
        told = self.noether_json("section", "model.noe")
        self.assertEqual([row["member"] for row in told["failed"]], [0])
        self.assertIn("sqrt", told["failed"][0]["reason"])
        self.assertEqual(set(told["sections"]["cut"]["member"]), {1, 2, 3, 4})
        done = self.noether("section", self.write(ORBITS.replace("-0.2 .. 0.4, 7", "-0.9 .. -0.6, 3")))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("all members failed", done.stderr)

    def test_an_interrupted_run_reports_the_number_of_finished_members(self):
        self.write(ORBITS.replace("0.4, 7", "0.4, 100000"))
        started = subprocess.Popen([NOETHER, "section", "model.noe", "--generic", "--threads", "1"],
                                   cwd=self.directory, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(2)
        started.send_signal(signal.SIGINT)
        told = started.communicate(timeout=60)[1]
        self.assertRegex(told, r"interrupted after \d+ of 100000 members with \d+ steps together")
        words = told[told.index("interrupted"):].split()
        self.assertEqual(int(words[7]), 1000 * int(words[2]))

    def test_a_parameter_that_sets_the_size(self):
        self.write("param n = 1\ncoord x[n]\nL = dot(x', x')/2\nvary n = 1 .. 3, 3\n"
                   "section cut : x[1] = 1 record x[1]\nmethod midpoint\nstep 0.1\nuntil 2\n")
        self.assert_rejected(self.noether("section", "model.noe"), "changes the number of coordinates")

    def test_a_section_that_is_never_crossed(self):
        done = self.noether("section", self.write(ORBITS.replace("cut : x = 0", "cut : x = 9")), "-o", "a.csv")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("never crossed", done.stdout)
        self.assert_rejected(self.noether("plot", "a.csv"), "no section was crossed")

    def test_a_section_that_is_crossed_in_every_step(self):
        text = ORBITS.replace("cut : x = 0 rising", "cut : cos(10*pi*t + 1) = 0")
        told = self.noether_json("section", self.write(text))
        self.assertEqual(told["sections"]["cut"]["count"], 7 * 1000)
        for t in told["sections"]["cut"]["t"][:1000]:
            turns = 10 * t + 1 / 3.141592653589793 - 0.5
            self.assertLess(abs(turns - round(turns)), 1e-12)  # measured 4e-13

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_orbits_have_colours(self):
        done = self.noether("plot", self.write(ORBITS), "--json", "-o", "a.svg")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads(done.stdout)["panels"], 1)
        with open(self.path("a.svg"), encoding="utf-8") as file:
            text = file.read().lower()
        for colour in ("0072b2", "d55e00", "009e73", "cc79a7", "e69f00", "56b4e9"):
            red, green, blue = (int(colour[i:i + 2], 16) for i in (0, 2, 4))
            self.assertIn(f"rgb({red:3d}, {green:3d}, {blue:3d})".replace(" ", ""), text.replace(" ", ""))


class Ensembles(CommandTest):
    def test_results_that_exceed_memory_are_reported(self):
        text = ORBITS.replace("vary y0 = -0.2 .. 0.4, 7", "random y0 = uniform(-0.2, 0.4)\nmembers 1000000000")
        done = self.noether("ensemble", self.write(text), "--final", "--json")
        self.assert_rejected(done, "GB", "into a file .h5", exit_status=3)
        done = self.noether("ensemble", "model.noe", "-o", "a.csv", "--until", "1e6")
        self.assert_rejected(done, "GB", "fewer samples", exit_status=3)


if __name__ == "__main__":
    unittest.main()
