"""Runs the command on model texts in a directory of its own."""
# SPDX-License-Identifier: MIT
import json
import os
import shutil
import subprocess
import tempfile
import unittest

NOETHER = os.environ["NOETHER"]

MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe"]
RANKS = MPIRUN + ["-n", "2"]
MPI = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")  # Open MPI does not free all its memory


WITHOUT_FAST = "NOETHER_WITHOUT_FAST" in os.environ  # no kernels of the folders fast/


def ranks_start():
    """True if noether-mpi is built and MPI processes can be started here."""
    return (os.path.exists(NOETHER + "-mpi") and shutil.which("mpirun") and
            subprocess.run(RANKS + ["true"], capture_output=True, timeout=300).returncode == 0)


DOUBLE_WELL = """model "Double well"
param m = 1
coord q
L = m/2*q'^2 - (q^4 - q^2)/2
start q = 0.74
method midpoint
step 0.01
until 1
"""


class CommandTest(unittest.TestCase):
    """A test with a directory for model files; `self.path` names a file in it."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, text, name="model.noe"):
        with open(self.path(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return name

    def noether(self, *arguments, environment=None, timeout=300, **options):
        """Runs the command in the test's directory, so that messages carry bare file names."""
        settings = dict(os.environ, **(environment or {}))
        return subprocess.run([NOETHER, *arguments], cwd=self.directory, env=settings,
                              capture_output=True, text=True, timeout=timeout, **options)

    def noether_json(self, *arguments, exit_status=0, **options):
        done = self.noether(*arguments, "--json", **options)
        self.assertEqual(done.returncode, exit_status, done.stderr)
        return json.loads(done.stdout)

    def files(self):
        return sorted(os.listdir(self.directory))

    def assert_rejected(self, done, *words, exit_status=2):
        """One message with these words on standard error, nothing on standard output."""
        self.assertEqual(done.returncode, exit_status, done.stderr)
        self.assertEqual(done.stdout, "")
        for word in words:
            self.assertIn(word, done.stderr)
