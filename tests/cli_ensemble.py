"""noether ensemble: members, their statistics, and equal bits for any lanes, threads and ranks."""
# SPDX-License-Identifier: MIT
import csv
import json
import os
import shutil
import signal
import statistics
import subprocess
import time
import unittest

from command import MPI, NOETHER, RANKS, CommandTest, ranks_start

RANDOM = """model "Pendulums"
param l = 1
coord q
L = l^2*q'^2/2 + 9.81*l*cos(q)
random q = uniform(-2, 2), q' = normal(0, 0.5)
members 300
seed 7
observe height = -cos(q)
method midpoint
step 0.02
until 1
"""

GRID = """model "Grid"
param l = 1, k = 2*l
coord q
L = l^2*q'^2/2 + 9.81*k*cos(q)
vary l = 0 .. 2, 5
vary q' = 0 .. 3, 4
start q = k/10
observe length = l, twice = k
method midpoint
step 0.01
until 1
"""


def reported(result):
    """The part of a result that must not depend on lanes, threads or ranks."""
    return {key: result[key] for key in ("members", "failed", "statistics", "final")}


class Members(CommandTest):
    def test_the_same_bits_for_any_lanes_and_threads(self):
        self.write(RANDOM)
        results = [reported(self.noether_json("ensemble", "model.noe", "--final", "--lanes", lanes,
                                          "--threads", threads))
                   for lanes, threads in (("1", "1"), ("4", "3"), ("8", "2"), ("0", "2"))]
        for other in results[1:]:
            self.assertEqual(other, results[0])

    def test_statistics_are_those_of_the_ends(self):
        self.write(RANDOM)
        result = self.noether_json("ensemble", "model.noe", "--final")
        ends = result["final"]["q"]["q"]
        told_of = self.noether_json("ensemble", self.write(RANDOM.replace("height = -cos(q)", "angle = q")))
        angle = told_of["statistics"]["angle"]
        self.assertEqual(angle["count"], 300)
        self.assertAlmostEqual(angle["mean"], statistics.fmean(ends), delta=1e-15)
        self.assertAlmostEqual(angle["variance"], statistics.variance(ends), delta=2e-15)
        self.assertEqual((angle["min"], angle["max"]), (min(ends), max(ends)))
        self.assertAlmostEqual(angle["quantiles"]["0.5"], statistics.median(ends), delta=1e-15)

    def test_random_starts_have_their_distribution(self):
        text = RANDOM.replace("height = -cos(q)", "angle = q, speed = q'")
        result = self.noether_json("ensemble", self.write(text), "--steps", "0", "--members", "20000")
        angle, speed = result["statistics"]["angle"], result["statistics"]["speed"]
        self.assertLess(abs(angle["mean"]), 3 * (4 / 3 / 20000) ** 0.5)
        self.assertLess(abs(angle["variance"] - 4 / 3), 0.03)
        self.assertLess(abs(speed["mean"]), 3 * 0.5 / 20000 ** 0.5)
        self.assertLess(abs(speed["variance"] - 0.25), 0.01)
        self.assertTrue(-2 < angle["min"] < -1.99 and 1.99 < angle["max"] < 2)

    def test_the_seed_determines_the_members(self):
        self.write(RANDOM)
        ends = [self.noether_json("ensemble", "model.noe", "--seed", seed)["statistics"]["height"]["mean"]
                for seed in ("7", "7", "8")]
        self.assertEqual(ends[0], ends[1])
        self.assertNotEqual(ends[0], ends[2])


class Grid(CommandTest):
    def test_a_member_is_the_run_with_its_parameters(self):
        self.write(GRID)
        result = self.noether_json("ensemble", "model.noe", "--final", "--lanes", "1")
        self.assertEqual(result["members"], 20)
        run = self.noether_json("run", "model.noe", "--set", "l=1.5")
        self.assertAlmostEqual(result["final"]["q"]["q"][12], run["final"]["q"]["q"], delta=1e-15)
        self.assertEqual(result["statistics"]["twice"]["max"], 4)

    def test_failed_members_are_reported_and_others_continue(self):
        result = self.noether_json("ensemble", self.write(GRID))
        self.assertEqual([row["member"] for row in result["failed"]], [0, 1, 2, 3])
        self.assertIn("singular", result["failed"][0]["reason"])
        self.assertEqual(result["statistics"]["length"]["count"], 16)

    def test_failures_are_listed_by_member_for_any_threads(self):
        self.write(RANDOM.replace("height = -cos(q)", "root = sqrt(q)").replace("members 300", "members 3000"))
        one = self.noether_json("ensemble", "model.noe", "--threads", "1", "--lanes", "1")
        two = self.noether_json("ensemble", "model.noe", "--threads", "3", "--lanes", "8")
        members = [row["member"] for row in one["failed"]]
        self.assertEqual(two["failed"], one["failed"])
        self.assertEqual(members, sorted(set(members)))
        self.assertEqual(len(members), 1000)
        self.assertEqual(one["failed_count"] + one["statistics"]["root"]["count"], 3000)
        self.assertTrue(1000 < one["failed_count"] < 2000)
        self.assertIn("not a finite number", one["failed"][0]["reason"])

    def test_all_members_failed(self):
        self.write(GRID.replace("vary l = 0 .. 2, 5", "vary l = 0 .. 0, 1"))
        result = self.noether_json("ensemble", "model.noe", exit_status=1)
        self.assertEqual(result["status"], "all members failed")
        self.assertEqual(result["failed_count"], 4)
        done = self.noether("ensemble", "model.noe", "--quiet")
        self.assertEqual(done.returncode, 1)
        self.assertIn("all members failed, the first at step 1: a matrix is singular", done.stderr)

    def test_a_full_disk(self):
        self.write(RANDOM)
        os.symlink("/dev/full", self.path("out.csv"))
        done = self.noether("ensemble", "model.noe", "-o", "/dev/full/out.csv")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(done.stdout, "")

    def test_a_file_of_samples(self):
        self.write(RANDOM + "sample every 10\n")
        self.assertEqual(self.noether("ensemble", "model.noe", "-o", "out.csv", "--quiet").returncode, 0)
        with open(self.path("out.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        self.assertEqual([float(row["t"]) for row in rows][:3], [0, 0.2, 0.4])
        self.assertEqual(len(rows), 6)
        self.assertIn("height median", rows[0])


class BadInput(CommandTest):
    def test_models_without_an_ensemble(self):
        self.write(RANDOM.replace("random", "# random").replace("members", "# members"))
        self.assert_rejected(self.noether("ensemble", "model.noe"), "states no ensemble")
        self.write(RANDOM)
        self.assert_rejected(self.noether("ensemble", "model.noe", "--lanes", "3"), "--lanes", "1, 2, 4 or 8")
        self.assert_rejected(self.noether("ensemble", "model.noe", "--method", "dopri5"), "fixed step")
        self.assert_rejected(self.noether("ensemble", "model.noe", "-o", "out.txt"), "out.txt", ".csv")

    def test_a_parameter_that_sets_the_size(self):
        self.write("param n = 2\ncoord q[n]\nL = dot(q', q')/2\nvary n = 2 .. 3, 2\n"
                   "method midpoint\nstep 0.1\nuntil 1\n")
        self.assert_rejected(self.noether("ensemble", "model.noe"), "changes the number of coordinates")


@unittest.skipUnless(ranks_start(), "no MPI, or mpirun does not start here")
class Ranks(CommandTest):
    def in_ranks(self, *arguments):
        return subprocess.run(RANKS + [NOETHER + "-mpi", *arguments], cwd=self.directory, env=MPI,
                              capture_output=True, text=True, timeout=300)

    def test_the_same_bits(self):
        self.write(RANDOM)
        alone = reported(self.noether_json("ensemble", "model.noe", "--final", "--threads", "1"))
        done = self.in_ranks("ensemble", "model.noe", "--final", "--threads", "1", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(reported(json.loads(done.stdout)), alone)

    def test_errors_are_printed_once(self):
        self.write(RANDOM.replace("L =", "L = qq +"))
        for arguments in (("ensemble", "model.noe"), ("ensemble", "nothing.noe"),
                          ("ensemble", "model.noe", "--lane", "3")):
            alone = self.noether(*arguments)
            done = self.in_ranks(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr.count(alone.stderr), 1, done.stderr)

    def test_a_process_dies(self):
        self.write(RANDOM)
        self.write("what was there", "out.csv")
        started = subprocess.Popen(RANKS + [NOETHER + "-mpi", "ensemble", "model.noe", "--members",
                                            "10000000", "-o", "out.csv"], cwd=self.directory, env=MPI,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        processes = []
        while len(processes) < 2:
            time.sleep(0.1)
            listed = subprocess.run(["pgrep", "-P", str(started.pid)], capture_output=True, text=True)
            processes = listed.stdout.split()
        time.sleep(2)
        os.kill(int(processes[1]), signal.SIGKILL)
        output, errors = started.communicate(timeout=60)
        self.assertNotEqual(started.returncode, 0)
        self.assertEqual(output, "")
        self.assertIn("another process of the ensemble has died", errors)
        with open(self.path("out.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "what was there")


class Code(CommandTest):
    """The code that ran is in the JSON, and compilers agree in every bit."""

    TEXT = """coord q
L = q'^2/2 + 9.81*cos(q)
random q = normal(1, 0.2)
members 24
method midpoint
step 0.02
until 1
"""

    def ensemble(self, *options, **environment):
        self.write(self.TEXT)
        return self.noether_json("ensemble", "model.noe", "--final", "--quiet", *options,
                                 environment=environment)

    @unittest.skipUnless(shutil.which("clang") and shutil.which("gcc"), "needs gcc and clang")
    def test_compilers_agree_in_lanes(self):
        for method in ("midpoint", "verlet", "gauss stages=2", "lobatto stages=3"):
            one, other = (self.ensemble("--method", method, NOETHER_CC=name) for name in ("gcc", "clang"))
            self.assertEqual(one["lanes"], other["lanes"])
            self.assertGreater(other["lanes"], 1, other["code"])
            for key in ("final", "statistics"):
                self.assertEqual(one[key], other[key], method)

    def test_a_single_lane_is_a_stated_fact(self):
        said = self.ensemble()
        self.assertIn("lanes", said["code"]["lanes"])
        self.assertIn(said["code"]["model"], ("compiled", "cached"))
        self.assertTrue(os.path.isabs(said["code"]["compiler"]))
        said = self.ensemble(NOETHER_CC="false")
        self.assertEqual(said["lanes"], 1)
        self.assertIn("one run at a time", said["code"]["lanes"])
        self.assertEqual(said["code"]["model"], "interpreted")
        run = self.noether_json("run", "model.noe", "--quiet", "--specialised")
        self.assertIn("compiled", run["code"]["stepper"])

if __name__ == "__main__":
    unittest.main()
