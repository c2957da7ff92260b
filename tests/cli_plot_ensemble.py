"""noether plot of ensembles: recorded data, kinds of pictures, and rejections."""
# SPDX-License-Identifier: MIT
import csv
import json
import shutil
import unittest

from command import CommandTest

RANDOM = """model "Pendulums"
coord q
L = q'^2/2 + 9.81*cos(q)
random q = normal(1, 0.2), q' = normal(0, 0.5)
members 300
observe angle = q, height = -cos(q)
method midpoint
step 0.02
until 1
"""

GRID = """model "Grid"
param c = 0
coord q
L = q'^2/2 + 9.81*cos(q)
force q = -c*q'
vary q' = 0 .. 3, 4
vary c = 0 .. 1, 5
observe angle = q
method midpoint
step 0.02
until 1
"""


class Records(CommandTest):
    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]

    def test_bins_count_all_members_between_min_and_max(self):
        self.write(RANDOM)
        self.noether("ensemble", "model.noe", "-o", "a.csv", "--quiet")
        self.noether("ensemble", "model.noe", "--final", "-o", "b.csv", "--quiet")
        rows, ends = self.read("a.csv"), [row["angle"] for row in self.read("b.csv")]
        self.assertEqual(len(rows), 51)
        for row in rows:
            self.assertEqual(sum(row[f"angle bin{i}"] for i in range(1, 41)), 300)
        last = rows[-1]
        least, most = last["angle min"], last["angle max"]
        self.assertEqual((least, most), (min(ends), max(ends)))
        for i in range(40):
            low, high = (least + (most - least) * k / 40 for k in (i, i + 1))
            inside = sum(low <= x < high or (i == 39 and x == most) for x in ends)
            self.assertEqual(last[f"angle bin{i + 1}"], inside)

    def test_an_incomplete_table_is_refused(self):
        """The last quantity lacks columns. A single quantity may have any number of bins."""
        self.write(RANDOM)
        self.noether("ensemble", "model.noe", "-o", "a.csv", "--quiet")
        with open(self.path("a.csv"), encoding="utf-8") as file:
            rows = list(csv.reader(file))
        whole = len(rows[0])
        stride = (whole - 1)//3
        for count in (*range(2, 11), stride + 2, 2*stride, whole - 3, whole - 1):
            with open(self.path("b.csv"), "w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows(row[:count] for row in rows)
            for kind in ((), ("--kind", "density"), ("--kind", "histogram")):
                done = self.noether("plot", "b.csv", "-o", "b.svg", *kind)
                self.assert_rejected(done, "incomplete")
        self.assertNotIn("b.svg", self.files())

    def test_final_states_are_recorded_with_varied_parameters(self):
        self.write(GRID)
        self.noether("ensemble", "model.noe", "--final", "-o", "a.csv", "--quiet")
        told = self.noether_json("ensemble", "model.noe", "--final")["final"]
        rows = self.read("a.csv")
        self.assertEqual(list(rows[0]), ["member", "start.q'", "c", "energy", "angle", "end.q",
                                         "end.q'"])
        self.assertEqual([row["angle"] for row in rows], told["q"]["q"])
        self.assertEqual([(row["start.q'"], row["c"]) for row in rows],
                         [(a, b / 4) for a in range(4) for b in range(5)])


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class Pictures(CommandTest):
    def panels(self, *arguments):
        done = self.noether("plot", *arguments, "--json", "-o", "a.svg")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.path("a.svg"), encoding="utf-8") as file:
            return json.loads(done.stdout)["panels"], file.read()

    def test_random_members_are_a_fan_and_histograms(self):
        count, text = self.panels(self.write(RANDOM))
        self.assertEqual(count, 4)
        for words in ("median", "90 %", "members by height at t = 1"):
            self.assertIn(words, text)

    def test_two_numbers_that_vary_are_a_heat_map(self):
        count, text = self.panels(self.write(GRID))
        self.assertEqual(count, 1)
        for words in ("angle", "start.q", ">c<"):
            self.assertIn(words, text.replace(" ", ""))

    def test_a_kind_and_numbers_may_be_chosen(self):
        self.write(RANDOM)
        self.assertEqual(self.panels("model.noe", "--kind", "fan")[0], 2)
        self.assertEqual(self.panels("model.noe", "--kind=density", "-y", "height")[0], 1)
        self.assertEqual(self.panels("model.noe", "--kind", "histogram", "-y", "height, energy")[0], 2)
        self.write(GRID.replace("vary c = 0 .. 1, 5", ""))
        self.assertEqual(self.panels("model.noe", "--kind", "heat")[0], 1)

    def test_recorded_data_are_drawn(self):
        self.write(RANDOM)
        for name in ("a.h5", "a.csv"):
            self.noether("ensemble", "model.noe", "-o", name, "--quiet")
            self.assertEqual(self.panels(name)[0], 4)
            self.noether("ensemble", "model.noe", "--final", "-o", name, "--quiet")
            self.assertEqual(self.panels(name)[0], 2)
            self.assertEqual(self.panels(name, "-x", "start.q", "-y", "angle")[0], 1)

    def test_a_long_run_is_sampled(self):
        self.write(RANDOM.replace("step 0.02", "step 0.0005"))
        told = json.loads(self.noether("plot", "model.noe", "--json", "--members", "8", "-o", "a.png").stdout)
        self.assertLess(told["rows"], 402)


class Refusals(CommandTest):
    def test_messages(self):
        self.write(RANDOM)
        self.noether("ensemble", "model.noe", "--final", "-o", "ends.csv", "--quiet")
        self.noether("run", "model.noe", "-o", "run.csv", "--quiet")
        for arguments, words in ((("model.noe", "--kind", "pie"), "fan, density, histogram, heat"),
                                 (("model.noe", "--kind"), "--kind needs a value"),
                                 (("model.noe", "--kind", "heat"), "vary on a grid"),
                                 (("ends.csv", "--kind", "fan"), "without --final"),
                                 (("ends.csv", "-y", "weight"), "no number 'weight'"),
                                 (("ends.csv", "--members", "3"), "--members is for a model file"),
                                 (("run.csv", "--kind", "fan"), "'noether ensemble'")):
            done = self.noether("plot", "-o", "a.png", *arguments)
            self.assert_rejected(done, words)


if __name__ == "__main__":
    unittest.main()
