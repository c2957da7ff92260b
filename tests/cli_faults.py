"""Fault injection: a call for memory, a file or a process fails, in every subcommand.

The command tests/noether-faults is built with tests/faults/faults.c. An evenly spread choice of the calls is
tried, 15 of each kind or as many as NOETHER_FAULTS says; NOETHER_FAULTS=all tries every call.
"""
# SPDX-License-Identifier: MIT
import os
import re
import subprocess
import unittest

import command

FAULTS = os.path.join(os.environ["NOETHER_BUILD"], "tests", "noether-faults")
SOURCE = os.environ["NOETHER_SOURCE"]
WANTED = os.environ.get("NOETHER_FAULTS", "15")
TRIES = None if WANTED == "all" else int(WANTED)

SECTION = """param w = 1
coord x, y
L = (x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3
start x' = 0.4, y = 0.1
section s : x = 0 rising record y, y'
random y = uniform(0, 0.1)
members 3
method verlet
step 0.05
until 20
"""
CONTROL = """coord q
L = q'^2/2
control u in [-1, 1]
force q = u
start q = 0
final q = 1, q' = 0
minimize u^2
method midpoint
steps 4
until 2
"""
OPTIMISE = """coord x[2]
minimize (x[1] - 1)^2 + 3*x[2]^2
start x = [0, 1]
method agd h = 0.1 epsilon = 0.1 mu = 0.9
"""
CASES = {
    "run": (command.DOUBLE_WELL, ["run", "model.noe", "-o", "out.h5"]),
    "run-csv": (command.DOUBLE_WELL, ["run", "model.noe", "-o", "out.csv", "--json"]),
    "run-checkpoint": (command.DOUBLE_WELL, ["run", "model.noe", "-o", "out.csv", "--checkpoint", "c"]),
    "run-specialised": (command.DOUBLE_WELL, ["run", "model.noe", "--specialised"]),
    "check": (command.DOUBLE_WELL, ["check", "model.noe"]),
    "converge": (command.DOUBLE_WELL, ["converge", "model.noe", "--steps", "0.1,0.05"]),
    "compare": (command.DOUBLE_WELL, ["compare", "model.noe", "--methods", "midpoint,verlet"]),
    "export": (command.DOUBLE_WELL, ["export", "model.noe", "-o", "out.c"]),
    "section": (SECTION, ["section", "model.noe", "-o", "out.csv"]),
    "ensemble": (SECTION, ["ensemble", "model.noe", "-o", "out.h5"]),
    "control": (CONTROL, ["control", "model.noe", "-o", "out.csv"]),
    "optimise": (OPTIMISE, ["optimise", "model.noe", "-o", "out.csv"]),
    "plot": (command.DOUBLE_WELL, ["plot", "table.csv", "-o", "out.png"]),
    "methods": (command.DOUBLE_WELL, ["methods"]),
}
OUTPUTS = {"out.h5", "out.csv", "out.c", "out.png", "c", "c.rows"}
TABLE = "t,q\n" + "".join(f"{0.1*i},{i % 7}\n" for i in range(50))


def results(text):
    """The lines of a report that do not depend on the clock or on the cache."""
    return [line for line in text.splitlines() if not re.search(r"time|wall|second|compiled| s$|steps/s", line)]


@unittest.skipUnless(os.path.exists(FAULTS), "the command with fault injection is not built")
class Faults(command.CommandTest):
    def setUp(self):
        super().setUp()
        self.cache = self.path(".cache")

    def run_with(self, arguments, **environment):
        settings = dict(os.environ, NOETHER_CACHE=self.cache, **environment)
        return subprocess.run([FAULTS, *arguments], cwd=self.directory, env=settings, capture_output=True,
                              text=True, timeout=120)

    def count(self, arguments):
        """Number of calls of each kind, in all processes of the command."""
        report = self.path(".report")
        done = self.run_with(arguments, NOETHER_FAULT_REPORT=report)
        self.assertEqual(done.returncode, 0, done.stderr)
        counts = {}
        with open(report, encoding="ascii") as file:
            for line in file:
                kind, number = line.split()
                counts[kind] = max(counts.get(kind, 0), int(number))
        os.remove(report)
        return counts

    def clear(self):
        for name in OUTPUTS:
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))

    def check_fault(self, arguments, kind, number, whole):
        """A failure has a message, status 3 and leaves nothing. Otherwise everything is written, and a
        part of the command that it can do without, such as the cache of models, changes no result."""
        done = self.run_with(arguments, NOETHER_FAULT=f"{kind} {number}")
        left = set(self.files()) - {".cache", "model.noe", "table.csv"}
        if done.returncode == 2 and kind == "open":  # an input that cannot be read
            self.assertIn("cannot read", done.stderr)
            return
        self.assertIn(done.returncode, (0, 3), f"{done.stdout}{done.stderr}")
        self.assertNotIn("Sanitizer", done.stderr)
        if done.returncode == 0:
            self.assertEqual(left, whole.files, done.stderr)
            if kind == "memory" and results(done.stdout) != results(whole.stdout):
                self.assertIn("memory", done.stdout + done.stderr)
        else:
            self.assertEqual(left - whole.files, set(), done.stderr)
            self.assertIn(":", done.stderr)
            self.assertLess(len(done.stderr), 1000)
        self.clear()

    def check_case(self, case):
        text, arguments = CASES[case]
        self.write(text)
        self.write(TABLE, "table.csv")
        self.count(arguments)  # fills the cache, so that the counts are those of later calls
        counts = self.count(arguments)
        whole = self.run_with(arguments)
        whole.files = set(self.files()) & OUTPUTS
        self.clear()
        for kind, count in counts.items():
            stride = max(1, -(-count // TRIES)) if TRIES else 1
            for number in range(1, count + 1, stride):
                with self.subTest(case=case, kind=kind, number=number):
                    self.check_fault(arguments, kind, number, whole)


def add_cases():
    for case in CASES:
        setattr(Faults, "test_" + case.replace("-", "_"), lambda self, case=case: self.check_case(case))


add_cases()

if __name__ == "__main__":
    unittest.main()
