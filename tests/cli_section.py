"""noether section: tables, JSON object, files, pictures and rejections."""
# SPDX-License-Identifier: MIT
import csv
import math
import os
import shutil
import unittest

from command import CommandTest

OSCILLATOR = """model "Oscillator"
coord q
L = (q'^2 - q^2)/2
start q = 1
method gauss stages = 6
step 0.1
until 20
"""
BOTH = "section cut : q = 0 rising record q', [q, t]\nsection top : q' = 0 falling record q\n"


class Sections(CommandTest):
    def test_json(self):
        self.write(OSCILLATOR + BOTH)
        said = self.noether_json("section", "model.noe")
        self.assertEqual(said["status"], "ok")
        self.assertEqual(sorted(said["sections"]), ["cut", "top"])
        cut, top = said["sections"]["cut"], said["sections"]["top"]
        self.assertEqual((cut["count"], len(cut["t"]), len(cut["records"])), (3, 3, 3))
        for k, (t, record) in enumerate(zip(cut["t"], cut["records"])):
            self.assertLess(abs(t - (1.5 + 2 * k) * math.pi), 1e-14)
            self.assertLess(abs(record[0] - 1), 1e-15)
            self.assertLess(abs(record[1][0]), 1e-16)
            self.assertEqual(record[1][1], t)
        self.assertEqual(top["count"], 3)
        self.assertLess(abs(top["t"][0] - 2 * math.pi), 2e-15)
        for energy in (said["energy"], said["energy"]["steps"]):
            self.assertEqual(energy["start"], -0.5 + 1)
            self.assertLess(energy["max_error"], 2e-15)
            self.assertLessEqual(energy["mean_error"], energy["max_error"])
        self.assertGreater(said["wall_seconds"], 0)

    def test_options(self):
        self.write(OSCILLATOR + BOTH)
        said = self.noether_json("section", "model.noe", "--until", "9", "--method", "verlet",
                                 "--step", "0.05")
        self.assertEqual((said["method"], said["steps"]), ("verlet", 180))
        self.assertEqual(said["sections"]["cut"]["count"], 1)
        said = self.noether_json("section", "model.noe", "--steps", "20")
        self.assertEqual((said["steps"], said["sections"]["cut"]["count"]), (20, 0))
        said = self.noether_json("section", "model.noe", "--precision", "quad", "--until", "9")
        self.assertLess(abs(said["sections"]["cut"]["t"][0] - 1.5 * math.pi), 1e-15)

    def test_table(self):
        self.write(OSCILLATOR + BOTH + "section far : q = 2 record q\n")
        done = self.noether("section", "model.noe")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in ("Oscillator", "q = 0, rising: crossed 3 times", "q = 2: never crossed",
                      "at crossings", "at steps", "[q, t][1]"):
            self.assertIn(words, done.stdout.replace("([q, t])", "[q, t]"))
        self.assertEqual(self.noether("section", "model.noe", "--quiet").stdout, "")

    def test_never_crossed(self):
        self.write(OSCILLATOR + "section far : q = 2 record q\n")
        done = self.noether("section", "model.noe", "-o", "far.csv")
        self.assertEqual(done.returncode, 0)
        self.assertIn("never crossed", done.stdout)
        with open(self.path("far.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "section,t,energy,q\n")
        said = self.noether_json("section", "model.noe")
        self.assertEqual(said["sections"]["far"]["count"], 0)
        self.assertEqual(said["sections"]["far"]["records"], [])
        self.assert_rejected(self.noether("plot", "far.csv"), "no section was crossed")

    def test_stop(self):
        self.write(OSCILLATOR + BOTH + "stop when q = -1/2\n")
        said = self.noether_json("section", "model.noe")
        self.assertEqual(said["stopped"]["by"], "q = -1/2")
        self.assertLess(abs(said["time"] - 2 * math.pi / 3), 1e-15)
        self.assertIn("stopped at", self.noether("section", "model.noe").stdout)
        run = self.noether_json("run", "model.noe")
        self.assertEqual(run["stopped"]["by"], "q = -1/2")

    def test_sections_do_not_change_the_run(self):
        self.write(OSCILLATOR, "plain.noe")
        self.write(OSCILLATOR + BOTH, "model.noe")
        plain, crossed = (self.noether_json("run", name) for name in ("plain.noe", "model.noe"))
        self.assertEqual(plain["final"], crossed["final"])
        section = self.noether_json("section", "model.noe")
        self.assertEqual(section["energy"]["steps"]["final"], plain["energy"]["final"])
        self.assertEqual(section["energy"]["steps"]["max_error"], plain["energy"]["max_error"])

    def test_steppers(self):
        self.write(OSCILLATOR + BOTH)
        generic = self.noether_json("section", "model.noe", "--generic")
        special = self.noether_json("section", "model.noe", "--specialised")
        self.assertEqual(generic["sections"], special["sections"])
        self.assert_rejected(self.noether("section", "model.noe", "--generic", "--specialised"),
                             "exclude")

    def test_files(self):
        self.write(OSCILLATOR + BOTH)
        self.assertIn("wrote", self.noether("section", "model.noe", "-o", "points.csv").stdout)
        with open(self.path("points.csv"), encoding="utf-8") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows[0], ["section", "t", "energy", "cut: q'", "cut: ([q, t])[1]",
                                   "cut: ([q, t])[2]", "top: q"])
        self.assertEqual([row[0] for row in rows[1:]], ["1", "2", "1", "2", "1", "2"])
        self.assertEqual(rows[1][6].lower(), "nan")
        self.assert_rejected(self.noether("section", "model.noe", "-o", "points.txt"), ".csv")
        done = self.noether("section", "model.noe", "-o", "none/points.csv")
        self.assertEqual(done.returncode, 3)

    @unittest.skipUnless(shutil.which("gnuplot"), "needs gnuplot")
    def test_pictures(self):
        self.write(OSCILLATOR + BOTH)
        self.noether("section", "model.noe", "-o", "points.csv", "--quiet")
        self.assertIn("2 panels", self.noether("plot", "points.csv").stdout)
        self.assertIn("6 rows", self.noether("plot", "model.noe", "-o", "model.svg").stdout)
        self.assertTrue(os.path.getsize(self.path("points.png")) > 1000)
        self.assertIn("201 rows", self.noether("plot", "model.noe", "-y", "q").stdout)

    def test_rejections(self):
        self.write(OSCILLATOR)
        self.assert_rejected(self.noether("section", "model.noe"), "states no section", "record")
        self.write(OSCILLATOR + "section s : q = 0 record qq\n")
        self.assert_rejected(self.noether("section", "model.noe"), "model.noe:8:26", "'qq'")
        self.assert_rejected(self.noether("section"), "needs a model file")

    def test_a_failure_writes_the_crossings_found(self):
        self.write(OSCILLATOR.replace("start q = 1", "start q = 1") +
                   "section s : q = 0 record q\nsection bad : log(4 - t) = 5 record t\n")
        done = self.noether("section", "model.noe", "-o", "points.csv")
        self.assertEqual(done.returncode, 1)
        self.assertIn("do not differ by a finite number", done.stderr)
        with open(self.path("points.csv"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("# incomplete", text)
        self.assertEqual(text.count("\n"), 3)


if __name__ == "__main__":
    unittest.main()
