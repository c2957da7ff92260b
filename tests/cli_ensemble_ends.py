"""noether ensemble --final -o FILE.h5: threads and processes write rows into the file as members end."""
# SPDX-License-Identifier: MIT
import csv
import os
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest

from command import MPI, MPIRUN, NOETHER, CommandTest, ranks_start

MODEL = """model "Pendulums"
param l = 1
coord q
L = l^2*q'^2/2 + 9.81*l*cos(q)
random q = uniform(-2, 2), q' = normal(0, 0.5)
members 1000
seed 7
observe height = -cos(q)
method midpoint
step 0.02
until 1
"""

# Members with l = 0 fail.
GRID = """param l = 1
coord q
L = l^2*q'^2/2 + 9.81*l*cos(q)
vary l = 0 .. 2, 5
vary q' = 0 .. 3, 40
start q = l/10
method midpoint
step 0.01
until 1
"""

ENDS = ["ensemble", "model.noe", "--quiet", "--final", "-o"]
TOO_MANY = "10000000"  # more than a test can run to the end


class EndsTest(CommandTest):
    """Starts with a model and the file out.h5 of the final states of its members."""

    def setUp(self):
        super().setUp()
        self.write(MODEL)
        done = self.noether(*ENDS, "out.h5")
        if "the HDF5 library was missing" in done.stderr or not shutil.which("h5dump"):
            self.skipTest("no HDF5 in this build, or no h5dump")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def dump(self, *arguments):
        done = subprocess.run(["h5dump", "-m", "%.17g", *arguments], cwd=self.directory, capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def content(self, name):
        """The content of the file without its name and time of creation."""
        text, moments = re.subn(r'"[-0-9]+T[:0-9]+Z"', "", self.dump(name).replace(name, ""))
        self.assertEqual(moments, 1)
        return text

    def assert_old(self, before):
        self.assertEqual(self.content("out.h5"), before)
        self.assertEqual(self.files(), ["model.noe", "out.h5"])

    def wait_for_part(self):
        """Waits until a temporary file appears beside out.h5."""
        while not any(name.endswith(".part") for name in self.files()):
            time.sleep(0.05)


class Alone(EndsTest):
    def test_the_same_for_any_lanes_and_threads(self):
        expected = self.content("out.h5")
        for lanes, threads in (("1", "1"), ("4", "3"), ("8", "2")):
            done = self.noether(*ENDS, "other.h5", "--lanes", lanes, "--threads", threads)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.content("other.h5"), expected)

    def test_the_same_as_in_text(self):
        self.write(GRID)
        for name in ("ends.h5", "ends.csv"):
            self.assertEqual(self.noether(*ENDS, name).returncode, 0)
        with open(self.path("ends.csv"), encoding="utf-8") as file:
            rows = list(csv.reader(line for line in file if not line.startswith("#")))[1:]
        data = self.dump("-y", "-w", "0", "-d", "trajectory", "ends.h5").split("DATA {")[1].split("}")[0]
        self.assertEqual(len(rows), 200)
        self.assertEqual(repr([float(word) for word in re.findall(r"[^\s,]+", data)]).replace("-nan", "nan"),
                         repr([float(word) for row in rows for word in row]))
        self.assertEqual(data.count("nan"), 40 * 3)

    def test_json_lists_final_states_too(self):
        expected = self.content("out.h5")
        alone = self.noether_json("ensemble", "model.noe", "--final")
        both = self.noether_json("ensemble", "model.noe", "--final", "-o", "other.h5")
        self.assertEqual(both["final"], alone["final"])
        self.assertEqual(self.content("other.h5"), expected)

    def kilobytes(self, members, *arguments):
        """Peak memory of a run with this number of members."""
        started = subprocess.Popen([NOETHER, "ensemble", "model.noe", "--quiet", "--steps", "1", "--members",
                                    str(members), "--threads", "1", *arguments], cwd=self.directory)
        _, status, usage = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(started.returncode, 0)
        return usage.ru_maxrss

    @unittest.skipIf(os.environ.get("NOETHER_SANITIZE"), "sanitizers keep memory")
    def test_memory_does_not_grow_with_the_members(self):
        """Measured: 4 MB more for HDF5 itself; a million ends would be 56 MB."""
        extra = self.kilobytes(1000000, "--final", "-o", "out.h5") - self.kilobytes(1000000)
        self.assertLess(extra, 8000)
        self.assertEqual(os.path.getsize(self.path("out.h5")) // 1000000, 56)

    def test_a_small_disk_is_reported_at_the_start(self):
        before = self.content("out.h5")
        limit = 10_000_000
        done = self.noether(*ENDS, "out.h5", "--members", "1000000",
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assert_rejected(done, "cannot write 'out.h5': File too large", exit_status=3)
        self.assert_old(before)

    def test_an_interrupted_run(self):
        before = self.content("out.h5")
        started = subprocess.Popen([NOETHER, *ENDS, "out.h5", "--members", TOO_MANY], cwd=self.directory,
                                   stderr=subprocess.PIPE, text=True)
        self.wait_for_part()
        started.send_signal(signal.SIGINT)
        self.assertIn("interrupted", started.communicate(timeout=60)[1])
        self.assert_old(before)


@unittest.skipUnless(ranks_start(), "no MPI, or mpirun does not start here")
class Ranks(EndsTest):
    def command(self, count, *arguments):
        return MPIRUN + ["-n", str(count), NOETHER + "-mpi", *arguments]

    def in_ranks(self, count, *arguments, **options):
        return subprocess.run(self.command(count, *arguments), cwd=self.directory, env=MPI, capture_output=True,
                              text=True, timeout=300, **options)

    def need_sharing(self):
        if "together" not in self.in_ranks(1, "--version").stdout:
            self.skipTest("HDF5 does not write from several processes in this build")

    def test_the_same_for_any_ranks(self):
        expected = self.content("out.h5")
        for count in (1, 2, 3):
            done = self.in_ranks(count, *ENDS, "other.h5", "--threads", "2")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(self.content("other.h5"), expected)
        self.assertEqual(self.files(), ["model.noe", "other.h5", "out.h5"])

    def test_fewer_members_than_ranks(self):
        for members in ("1", "64", "65"):
            self.assertEqual(self.noether(*ENDS, "out.h5", "--members", members).returncode, 0)
            done = self.in_ranks(3, *ENDS, "other.h5", "--members", members)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(self.content("other.h5"), self.content("out.h5"))

    def test_pictures_are_drawn_by_the_first(self):
        if not shutil.which("gnuplot"):
            self.skipTest("no gnuplot")
        done = self.in_ranks(2, "plot", "model.noe", "-o", "out.png")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("out.png", self.files())

    def test_an_unwritable_file_is_reported_once(self):
        done = self.in_ranks(3, *ENDS, "absent/out.h5")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertEqual(done.stderr.count("cannot write 'absent/out.h5': No such file or directory"), 1, done.stderr)

    def test_a_disk_too_small(self):
        self.need_sharing()
        before = self.content("out.h5")
        limit = 30_000_000  # the shared memory of MPI is smaller
        done = self.in_ranks(2, *ENDS, "out.h5", "--members", "1000000",
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertEqual(done.stderr.count("cannot write 'out.h5': File too large"), 1, done.stderr)
        self.assert_old(before)

    def test_a_process_dies(self):
        self.need_sharing()
        before = self.content("out.h5")
        for victim in (0, 1):
            started = subprocess.Popen(self.command(2, *ENDS, "out.h5", "--members", TOO_MANY), cwd=self.directory,
                                       env=MPI, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.wait_for_part()
            listed = subprocess.run(["pgrep", "-P", str(started.pid)], capture_output=True, text=True)
            os.kill(int(listed.stdout.split()[victim]), signal.SIGKILL)
            started.communicate(timeout=60)
            self.assertNotEqual(started.returncode, 0)
            self.assert_old(before)


class Columns(CommandTest):
    def test_coordinates_stay_beside_observed_quantities(self):
        text = ("coord q\nL = q'^2/2 - q^2/2\nrandom q = normal(1, 0.2)\nmembers 5\nobserve twice = 2*q\n"
                "method midpoint\nstep 0.1\nuntil 1\n")
        self.write(text)
        self.noether("ensemble", "model.noe", "--final", "-o", "a.csv", "--quiet")
        told = self.noether_json("ensemble", "model.noe", "--final")["final"]
        with open(self.path("a.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), ["member", "start.q", "energy", "twice", "end.q", "end.q'"])
        self.assertEqual([float(row["end.q"]) for row in rows], told["q"]["q"])
        self.assertEqual([float(row["end.q'"]) for row in rows], told["v"]["q"])


if __name__ == "__main__":
    unittest.main()
