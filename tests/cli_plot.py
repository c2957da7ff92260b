"""noether plot: pictures of files and models, and messages if there is nothing to draw."""
# SPDX-License-Identifier: MIT
import json
import os
import shutil
import unittest

from command import DOUBLE_WELL, CommandTest

PLUNGE = """coord q
L = q'^2/2 + 1/q
start q = 1
method midpoint
step 0.05
until 3
"""

HAS_GNUPLOT = shutil.which("gnuplot") is not None
STARTS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@unittest.skipUnless(HAS_GNUPLOT, "gnuplot is not installed")
class Pictures(CommandTest):
    def assert_picture(self, name):
        with open(self.path(name), "rb") as file:
            start = file.read(5)
        expected = STARTS[name.rsplit(".", 1)[1]]
        self.assertEqual(start[:len(expected)], expected)

    def assert_done(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")

    def test_a_model_is_run_and_drawn(self):
        done = self.noether("plot", self.write(DOUBLE_WELL))
        self.assert_done(done)
        self.assertIn("model.png: 101 rows, 4 panels", done.stdout)
        self.assert_picture("model.png")
        self.assertEqual(self.files(), ["model.noe", "model.png"])

    def test_the_options_of_run_apply(self):
        told = json.loads(self.noether("plot", self.write(DOUBLE_WELL), "--method", "verlet",
                                       "--steps", "7", "--json").stdout)
        self.assertEqual(told["rows"], 8)
        self.assertEqual(told["status"], "ok")

    def test_every_format_gives_every_kind(self):
        model = self.write(DOUBLE_WELL)
        for extension in ("csv", "h5"):
            self.assert_done(self.noether("run", model, "--quiet", "-o", f"a.{extension}"))
            for kind in STARTS:
                self.assert_done(self.noether("plot", f"a.{extension}", "-o", f"a.{kind}"))
                self.assert_picture(f"a.{kind}")

    def test_expressions(self):
        model = self.write(DOUBLE_WELL)
        done = self.noether("plot", model, "-x", "q", "-y", "q', q'^2/2", "-yenergy_error",
                            "-o", "b.svg")
        self.assert_done(done)
        with open(self.path("b.svg"), encoding="utf-8") as file:
            text = file.read()
        for label in ("q&apos;^2/2", "energy_error", "Double well", "midpoint, step=0.01"):
            self.assertIn(label, text.replace("'", "&apos;"))

    def test_window(self):
        self.noether("run", self.write(DOUBLE_WELL), "-o", "a.csv", "--quiet")
        for window, rows in (("0.2..0.4", 21), ("-1..0.05", 6), ("0.999..2.", 1)):
            for arguments in (["a.csv"], ["model.noe"], ["a.csv", "-y", "q"]):
                done = self.noether("plot", *arguments, "--window", window, "-o", "b.svg")
                self.assertIn(f"b.svg: {rows} rows", done.stdout, done.stderr)

    def test_several_files(self):
        self.write(DOUBLE_WELL)
        for name, method in (("one.csv", "midpoint"), ("two.csv", "verlet")):
            self.noether("run", "model.noe", "--method", method, "-o", name, "--quiet")
        done = self.noether("plot", "one.csv", "two.csv", "-y", "abs(energy_error)", "--log", "y",
                            "-o", "c.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("202 rows, 1 panel", done.stdout)
        with open(self.path("c.svg"), encoding="utf-8") as file:
            text = file.read()
        for label in ("one", "two", "abs(energy_error)", "1e-0"):
            self.assertIn(f">{label}" if label != "1e-0" else label, text)
        self.write(DOUBLE_WELL + "section s : q' = 0 record q, q'\n", "cut.noe")
        for name in ("a.csv", "b.csv"):
            self.noether("section", "cut.noe", "--until", "20", "-o", name, "--quiet")
        self.assertIn("2 panels", self.noether("plot", "a.csv", "b.csv", "-o", "d.svg").stdout)

    def test_curves_that_are_left_out_are_stated(self):
        names = ", ".join(f"u{i}" for i in range(10))
        constraints = "".join(f"constraint u{i} = 0\n" for i in range(10))
        lagrangian = " + ".join(f"u{i}'^2/2 - {i + 1}*u{i}" for i in range(10))
        self.write(f"model \"Held\"\ncoord {names}\nL = {lagrangian}\n{constraints}"
                   "method lobatto stages = 2\nstep 0.1\nuntil 1\n", "held.noe")
        done = self.noether("plot", "held.noe", "-o", "a.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("a.svg"), encoding="utf-8") as file:
            self.assertIn("Multipliers of constraints, first 8 of 10", file.read())

    def test_a_failed_run_is_drawn_and_fails(self):
        done = self.noether("plot", self.write(PLUNGE.replace("1/q", "1/q^2")), "-o", "a.svg")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("step", done.stderr)
        with open(self.path("a.svg"), encoding="utf-8") as file:
            self.assertIn("incomplete", file.read())

    def test_a_full_disk_leaves_no_picture(self):
        os.symlink("/dev/full", self.path("a.png"))
        done = self.noether("plot", self.write(DOUBLE_WELL), "-o", "a.png")
        self.assert_rejected(done, "a.png", "No space left", exit_status=3)
        self.assertEqual(self.files(), ["a.png", "model.noe"])


class Refusals(CommandTest):
    def assert_refused(self, arguments, *words, exit_status=2):
        before = self.files()
        self.assert_rejected(self.noether("plot", *arguments), *words, exit_status=exit_status)
        self.assertEqual(self.files(), before)

    def test_bad_requests(self):
        self.write("t,q\n0,1\n1,2\n", "a.csv")
        self.write("t,q\n", "empty.csv")
        self.write("nothing of the kind", "b.csv")
        self.write("no HDF5", "c.h5")
        self.write("0,1\n", "numbers.csv")
        self.write("x", "picture.txt")
        for arguments, words in (
                ([], "FILE"),
                (["none.h5"], "No such file"),
                (["picture.txt"], "not a trajectory"),
                (["empty.csv"], "no rows"),
                (["b.csv"], "no rows"),
                (["c.h5"], "it is not HDF5"),
                (["numbers.csv"], "expected names of columns"),
                (["a.csv", "-y", "energee"], "unknown column 'energee'"),
                (["a.csv", "-y", "qq"], "did you mean 'q'?"),
                (["a.csv", "-y", "q+"], "expected a column"),
                (["a.csv", "-y"], "-y needs a value"),
                (["a.csv", "-x", "q"], "-x needs a -y"),
                (["a.csv", "-x", "q", "-x", "t", "-y", "q"], "twice"),
                (["a.csv", "-o", "a.gif"], ".png, .svg or .pdf"),
                (["a.csv", "--step", "1"], "--step is for a model file"),
                (["a.csv", "--precison", "quad"], "did you mean --precision?"),
                (["a.csv", "empty.csv"], "over one another with -y"),
                (["a.csv", "model.noe"], "a model is drawn alone"),
                (["a.csv", "--window", "1"], "expected two times"),
                (["a.csv", "--window", "2..1"], "expected two times"),
                (["a.csv", "--window", "3..4"], "no row has 't' from 3 to 4"),
                (["a.csv", "-y", "q", "--log", "z"], "expected x, y or xy")):
            with self.subTest(arguments):
                self.assert_refused(arguments, words)

    def test_a_model_that_does_not_parse(self):
        model = self.write(DOUBLE_WELL.replace("q^4", "qq^4"))
        self.assert_refused([model], "model.noe:4:", "unknown name 'qq'")

    def test_no_gnuplot(self):
        self.write("t,q\n0,1\n1,2\n", "a.csv")
        done = self.noether("plot", "a.csv", environment={"PATH": self.directory})
        self.assert_rejected(done, "gnuplot-nox", exit_status=3)
        self.assertEqual(self.files(), ["a.csv"])

    def test_a_picture_that_cannot_be_written(self):
        self.write("t,q\n0,1\n1,2\n", "a.csv")
        self.assert_refused(["a.csv", "-o", "none/a.png"], "none/a.png", "No such file",
                            exit_status=3)
        os.mkdir(self.path("a.png"))
        self.assert_refused(["a.csv"], "a.png", "Is a directory", exit_status=3)


class Program(CommandTest):
    def test_gnuplot_is_not_taken_from_a_relative_directory(self):
        self.write("t,q\n0,1\n1,2\n", "a.csv")
        self.write("#!/bin/sh\ntouch started\n", "gnuplot")
        os.chmod(self.path("gnuplot"), 0o755)
        for path in (".:", ":", "::", "./:"):
            self.noether("plot", "a.csv", "-o", "a.svg", environment={"PATH": path + os.environ["PATH"]})
            self.assertNotIn("started", self.files(), path)

if __name__ == "__main__":
    unittest.main()
