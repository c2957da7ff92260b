"""Bad input: position, message and exit status, and no file is written."""
# SPDX-License-Identifier: MIT
import json
import os
import resource
import shutil
import stat
import subprocess
import unittest

from command import DOUBLE_WELL, NOETHER, CommandTest


def changed(old, new):
    assert old in DOUBLE_WELL
    return DOUBLE_WELL.replace(old, new)


# text of the file, position of the message, words of the message
BAD_FILES = {
    "unknown name": (changed("q^4", "qq^4"), "4:17", "unknown name 'qq' (did you mean 'q'?)"),
    "vector times vector": (
        "coord x[3]\nL = x'*x'/2\nstart x = [1, 2, 3]\n", "2:", "use dot or cross"),
    "no velocity": (
        "coord q\nL = q^2/2\n", "2:", "velocity"),
    "step zero": (changed("step 0.01", "step 0"), "7:", "step"),
    "step negative": (changed("step 0.01", "step -1"), "7:", "step"),
    "overflow": (changed("m = 1", "m = 1e999"), "2:", "1e999"),
    "no operand": (changed("q^4 - q^2)", "q^4 - )"), "4:", ""),
    "unclosed": (changed("- q^2)/2", "- q^2/2"), "", ""),
    "two names": (changed("param m", "param q = 1, m"), "3:", "q"),
    "reserved": (changed("param m = 1", "param pi = 3"), "2:", "pi"),
    "index": ("coord x[2]\nL = dot(x', x')/2 - x[3]\n", "2:", "3"),
    "unknown statement": (changed("until 1", "untill 1"), "8:1", "untill"),
    "unknown method": (changed("midpoint", "midpiont"), "6:", "did you mean 'midpoint'?"),
    "method option": (changed("midpoint", "gauss stage = 2"), "6:", "stages"),
    "method range": (changed("midpoint", "gauss stages = 99"), "6:", "1 .. 12"),
    "method integer": (changed("midpoint", "gauss stages = 2.5"), "6:", "integer"),
}


class BadFile(CommandTest):
    def test_place_and_words(self):
        for name, (text, place, words) in BAD_FILES.items():
            with self.subTest(name):
                self.write(text)
                done = self.noether("run", "model.noe", "-o", "out.csv")
                self.assert_rejected(done, "model.noe:" + place, words)
                self.assertEqual(self.files(), ["model.noe"])

    def test_line_and_caret(self):
        self.write(changed("(q^4", "(qq^4"))
        done = self.noether("run", "model.noe")
        first, line, caret = done.stderr.splitlines()
        self.assertEqual(first, "model.noe:4:17: unknown name 'qq' (did you mean 'q'?)")
        self.assertEqual(line.strip(), "L = m/2*q'^2 - (qq^4 - q^2)/2")
        self.assertEqual(caret.strip(), "^")
        self.assertEqual(line[caret.index("^"):][:2], "qq")

    def test_caret_after_tabs_and_letters_of_two_bytes(self):
        self.write("coord q # é\nL = q'^2/2\t+ /* no */\n".replace("/* no */", "zz"))
        line, caret = self.noether("run", "model.noe").stderr.splitlines()[1:3]
        self.assertEqual(caret, "  " + " " * 10 + "\t" + "  ^")
        self.assertEqual(line[caret.index("^")], "z")
        self.write('model "é"; coord q\n')
        done = self.noether("run", "model.noe")
        line, caret = done.stderr.splitlines()[1:3]
        self.assertEqual(line[caret.index("^")], ";")

    def test_a_long_line_is_shown_around_the_place(self):
        self.write("coord q\nL = q'^2/2" + " + q^2" * 2000 + " + zz" + " + q" * 2000 + "\n")
        done = self.noether("run", "model.noe")
        line, caret = done.stderr.splitlines()[1:3]
        self.assertLess(len(line), 200)
        self.assertEqual(line[caret.index("^"):][:2], "zz")

    def test_missing_statements_name_what_to_add(self):
        for statement, words in (("method midpoint\n", "noether methods"), ("step 0.01\n", "'step"),
                                 ("until 1\n", "'until")):
            with self.subTest(statement):
                self.write(changed(statement, ""))
                self.assert_rejected(self.noether("run", "model.noe"), "model.noe:7:1: ", words)

    def test_end_before_start(self):
        self.write(DOUBLE_WELL)
        self.assert_rejected(self.noether("run", "model.noe", "--until", "0"), "--until", "start")
        self.assert_rejected(self.noether("run", "model.noe", "--from=2"), "model.noe", "start")

    def test_not_text(self):
        for text in (b"coord q\0\n", b"\x7fELF\x02\x01\x01\xff\xfe", b"coord \xff\n"):
            with self.subTest(text):
                self.write(text)
                self.assert_rejected(self.noether("run", "model.noe"), "model.noe")

    def test_empty(self):
        self.write("")
        self.assert_rejected(self.noether("run", "model.noe"), "model.noe")

    def test_nesting(self):
        self.write("coord q\nL = q'^2/2 - " + "(" * 10000 + "q" + ")" * 10000 + "\n")
        self.assert_rejected(self.noether("run", "model.noe"), "model.noe:2:", "deep")

    def test_a_file_of_100_megabytes(self):
        with open(self.path("big.noe"), "wb") as file:
            file.write(b"coord q\nL = q'^2/2\n" + b"# comment\n" * 10)
            file.truncate(100_000_000)
        self.assert_rejected(self.noether("run", "big.noe"), "big.noe", "larger than")

    def test_no_file(self):
        self.assert_rejected(self.noether("run", "absent.noe"), "absent.noe", "No such file")
        os.mkdir(self.path("folder"))
        self.assert_rejected(self.noether("run", "folder"), "directory")

    def test_set(self):
        self.write(DOUBLE_WELL)
        self.assert_rejected(self.noether("run", "model.noe", "--set", "mm=2"), "mm", "'m'")
        self.assert_rejected(self.noether("run", "model.noe", "--set", "m"), "m")
        self.assert_rejected(self.noether("run", "model.noe", "--set", "m=1+"), "m")
        self.assert_rejected(self.noether("run", "model.noe", "--set", "m=[1,2]"), "m")


class BadUsage(CommandTest):
    def test_nothing(self):
        self.assert_rejected(self.noether(), "noether SUBCOMMAND", "run", "--help")

    def test_unknown_subcommand(self):
        self.assert_rejected(self.noether("rnu"), "did you mean 'run'?")
        self.assert_rejected(self.noether("model.noe"), "noether run model.noe")

    def test_unknown_option(self):
        self.write(DOUBLE_WELL)
        done = self.noether("run", "model.noe", "--stpe", "1")
        self.assert_rejected(done, "did you mean --step?")
        self.assert_rejected(self.noether("run", "model.noe", "-z"), "--help")
        self.assert_rejected(self.noether("run", "model.noe", "--json=1"), "takes no value")
        self.assert_rejected(self.noether("run", "model.noe", "--step"), "needs a value")
        self.assert_rejected(self.noether("run"), "model file")
        self.assert_rejected(self.noether("run", "model.noe", "other.noe"), "other.noe")
        self.assert_rejected(self.noether("methods", "model.noe"), "model.noe")

    def test_numbers(self):
        self.write(DOUBLE_WELL)
        for option, value in (("--step", "0"), ("--step", "-1"), ("--step", "m+"), ("--step", "zz"),
                              ("--step", "1/0"), ("--until", "q"), ("--steps", "1.5"),
                              ("--steps", "-1"), ("--sample", "0"), ("--step", "")):
            with self.subTest(option=option, value=value):
                self.assert_rejected(self.noether("run", "model.noe", option, value), option)

    def test_more_steps_than_can_be_counted(self):
        self.write(DOUBLE_WELL)
        self.assert_rejected(self.noether("run", "model.noe", "--step", "1e-30"), "too many steps")

    def test_method(self):
        self.write(DOUBLE_WELL)
        for method, words in (("gaus", "did you mean 'gauss'?"), ("gauss stages=0", "1 .. 12"),
                              ("gauss stages", "expected '='"), ("", "method"),
                              ("midpoint stages=2", "has no option 'stages'")):
            with self.subTest(method):
                done = self.noether("run", "model.noe", "--method", method)
                self.assert_rejected(done, "--method:", words)

    def test_an_unsupported_method_names_alternatives(self):
        self.write("coord q\nL = q'^2*(1 + q^2)/2\nstart q = 1\nstep 0.1\nuntil 1\n")
        done = self.noether("run", "model.noe", "--method", "splitting order=4")
        self.assert_rejected(done, "--method:", "separable", "midpoint")

    def test_precision(self):
        self.write(DOUBLE_WELL)
        done = self.noether("run", "model.noe", "--precision", "half")
        self.assert_rejected(done, "'double' or 'quad'", "half")

    def test_output(self):
        self.write(DOUBLE_WELL)
        done = self.noether("run", "model.noe", "-o", "out.txt")
        self.assert_rejected(done, "out.txt", ".csv")
        self.assertEqual(self.files(), ["model.noe"])


class Environment(CommandTest):
    def test_standard_output_is_full(self):
        self.write(DOUBLE_WELL)
        with open("/dev/full", "w") as full:
            for arguments in (("run", "model.noe", "--json"), ("run", "model.noe"),
                              ("methods",), ("--help",)):
                done = unwritten(self, arguments, full)
                self.assertEqual(done.returncode, 3, arguments)
                self.assertIn("standard output", done.stderr)

    def test_a_closed_pipe(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = unwritten(self, ("methods",), writer)
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (3, ""))

    def test_a_full_disk_leaves_nothing(self):
        self.write(DOUBLE_WELL.replace("until 1", "until 1000"))
        limit = 200_000
        for name in ("out.csv", "out.h5"):
            with self.subTest(name):
                done = self.noether(
                    "run", "model.noe", "-o", name,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn(name, done.stderr)
                self.assertEqual(self.files(), ["model.noe"])

    def test_a_disk_that_is_full_at_the_end(self):
        self.write(DOUBLE_WELL)
        limit = 4096
        done = self.noether(
            "run", "model.noe", "-o", "out.h5", "--json",
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertNotEqual(json.loads(done.stdout)["status"], "ok")
        self.assertEqual(self.files(), ["model.noe"])

    def test_a_directory_that_is_not_there(self):
        self.write(DOUBLE_WELL)
        done = self.noether("run", "model.noe", "-o", "absent/out.csv")
        self.assert_rejected(done, "absent/out.csv", exit_status=3)

    def test_an_output_that_cannot_be_written(self):
        self.write(DOUBLE_WELL)
        self.write("precious", "out.csv")
        os.chmod(self.path("out.csv"), stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)
        os.chmod(self.directory, 0o777)
        other = {"user": "nobody"} if os.geteuid() == 0 else {}  # root may write everywhere
        try:
            done = self.noether("run", "model.noe", "-o", "out.csv", "--interpret", **other)
        except PermissionError:
            self.skipTest("the command cannot be started by another user here")
        self.assert_rejected(done, "out.csv", exit_status=3)
        with open(self.path("out.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious")
        self.assertEqual(self.files(), ["model.noe", "out.csv"])

    def test_an_output_that_is_a_directory(self):
        self.write(DOUBLE_WELL)
        os.mkdir(self.path("out.csv"))
        done = self.noether("run", "model.noe", "-o", "out.csv")
        self.assert_rejected(done, "out.csv", exit_status=3)

    @unittest.skipUnless(os.geteuid() == 0, "only root can give a directory away")
    def test_a_cache_of_another_user_is_not_used(self):
        self.write(DOUBLE_WELL)
        os.mkdir(self.path("cache"), 0o777)
        shutil.chown(self.path("cache"), "nobody")
        done = self.noether("run", "model.noe", environment={"NOETHER_CACHE": self.path("cache")})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.listdir(self.path("cache")), [])

    def test_quad_is_not_installed(self):
        self.write(DOUBLE_WELL)
        with open(NOETHER, "rb") as original:
            self.write(original.read(), "alone")
        os.chmod(self.path("alone"), 0o755)
        done = subprocess.run(["./alone", "run", "model.noe", "--precision", "quad"],
                              cwd=self.directory, capture_output=True, text=True)
        self.assert_rejected(done, "noether-quad", exit_status=3)


def unwritten(test, arguments, stdout):
    return subprocess.run([NOETHER, *arguments], cwd=test.directory, stdout=stdout,
                          stderr=subprocess.PIPE, text=True, timeout=60)


class Numerics(CommandTest):
    def test_newton_fails(self):
        self.write("coord q\nL = q'^2/2 - q^4/4 - exp(q^2)\nstart q = 3\nmethod midpoint\n"
                   "step 10\nuntil 100\n")
        done = self.noether("run", "model.noe", "-o", "out.csv")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"step \d+ from t = .*residual .*try")
        self.assertIn("INCOMPLETE", done.stdout)
        result = self.noether_json("run", "model.noe", exit_status=1)
        self.assertEqual(result["status"], "not converged")
        self.assertIn(result["message"], done.stderr)
        self.assertEqual(result["time"], 10 * result["steps"])
        with open(self.path("out.csv"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertEqual(len([line for line in lines if line[:1].isdigit()]), result["steps"] + 1)
        self.assertTrue([line for line in lines if "incomplete" in line and "step" in line], lines)

    def test_no_hamiltonian(self):
        self.write("coord x, y\nL = x*y' - (x^2 + y^2)/2\nstart x = 1\n"
                   "method discrete-gradient\nstep 0.1\nuntil 1\n")
        done = self.noether("run", "model.noe", "-o", "out.csv")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("this Lagrangian is degenerate", done.stderr)
        self.assertIn("midpoint", done.stderr)
        self.assertFalse(os.path.exists(self.path("out.csv")))

    def test_no_root(self):
        self.write("coord x, y\nL = (x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3\n"
                   "start x = 0.1, y = 0.3, x' = 0.35, y' = -0.2\n"
                   "method energy-momentum\nstep 0.1\nuntil 10\n")
        result = self.noether_json("run", "model.noe", exit_status=1)
        self.assertEqual(result["status"], "not converged")
        self.assertIn("right angles to the motion", result["message"])

    def test_log_of_a_negative_number(self):
        self.write("coord q\nL = q'^2/2 - log(q)\nstart q = 1, q' = -3\nmethod verlet\nstep 0.1\n"
                   "until 10\n")
        result = self.noether_json("run", "model.noe", exit_status=1)
        self.assertEqual(result["status"], "not finite")
        self.assertNotEqual(result["message"], "")
        self.assertLess(result["time"], 10)

    def test_a_start_outside_of_the_domain(self):
        self.write("coord q\nL = q'^2/2 - log(q)\nstart q = -1\nmethod verlet\nstep 0.1\nuntil 1\n")
        result = self.noether_json("run", "model.noe", exit_status=1)
        self.assertEqual(result["status"], "not finite")
        self.assertEqual(result["steps"], 0)

    def test_an_observed_value_that_is_nan(self):
        self.write(DOUBLE_WELL + "observe bad = log(q - 0.735)\n")
        result = self.noether_json("run", "model.noe", exit_status=1)
        self.assertEqual(result["status"], "not finite")
        self.assertIn("'bad'", result["message"])
        self.assertIsNone(result["observe"]["bad"])
        self.assertEqual(result["steps"], 100)


class Advice(CommandTest):
    """Messages on notation and names of elsewhere lead to those of this program."""

    TEXT = "coord theta\nL = theta'^2/2 - theta^2/2\nstart theta = 1\nmethod verlet\nstep 0.1\nuntil 1\n"

    def refused(self, text, *words):
        self.write(text)
        self.assert_rejected(self.noether("run", "model.noe"), *words)

    def test_notation(self):
        for old, new, words in (
                ("theta'^2/2", "theta_dot^2/2", ":2:5:|velocity of theta is written theta'"),
                ("theta'^2/2", "thetadot^2/2", ":2:5:|velocity of theta is written theta'"),
                ("theta = 1", "theta_dot = 1", ":3:7:|velocity of theta is written theta'"),
                ("theta'^2", "theta'**2", ":2:12:|a power is written with '^'"),
                ("coord theta", "// model\ncoord theta", ":1:1:|a comment begins with '#'"),
                ("coord theta", "coord theta // angle", ":1:13:|a comment begins with '#'"),
                ("start theta = 1", "start theta = 1 // rest", ":3:|a comment begins with '#'"),
                ("coord theta", "param I = 2\ncoord theta", ":1:7:|unit matrix of three rows")):
            self.refused(self.TEXT.replace(old, new, 1), *words.split("|"))

    def test_methods(self):
        known = {row["name"] for row in json.loads(self.noether("methods", "--json").stdout)}
        self.write(self.TEXT)
        for name, here in (("symplectic-euler", "euler-a"), ("leapfrog", "verlet"), ("stormer-verlet", "verlet"),
                           ("rattle", "lobatto"), ("shake", "lobatto"), ("implicit-midpoint", "midpoint")):
            self.assertIn(here, known)
            self.assert_rejected(self.noether("run", "model.noe", "--method", name), name, "'" + here)

    def test_degenerate_models(self):
        self.write("coord x, y\nL = (x*y' - y*x')/2 - (x^2 + y^2)/2\nstart x = 1\nmethod rk4\nstep 0.1\nuntil 1\n")
        done = self.noether("run", "model.noe")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("projected-gauss", done.stderr)
        self.assertEqual(self.noether("run", "model.noe", "--method", "projected-gauss").returncode, 0)


class Terminals(CommandTest):
    """Texts of files, paths and options do not reach the terminal as control characters."""

    HOSTILE = "\x1b]0;owned\x07\x1b[2J\u009b31m\u202e"

    def assert_harmless(self, *arguments):
        done = self.noether(*arguments)
        for text in (done.stdout, done.stderr):
            found = [c for c in text if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 or
                     c == "\u202e"]
            self.assertEqual(found, [], (arguments, text))
        return done

    def test_titles(self):
        for text in (f'model "a{self.HOSTILE}b"\n', f"# {self.HOSTILE}\n", f"observe q{self.HOSTILE} = q\n"):
            self.write(DOUBLE_WELL.replace('model "Double well"\n', text))
            for command in ("run", "check", "section", "ensemble", "control", "optimise"):
                self.assert_harmless(command, "model.noe")
            self.assert_harmless("converge", "model.noe", "--steps", "0.1,0.05,0.025")
            self.assert_harmless("compare", "model.noe", "--methods", "midpoint,gauss", "--steps", "0.1,0.05")

    def test_paths_and_options(self):
        self.write(DOUBLE_WELL)
        name = f"a{self.HOSTILE}.noe"
        self.write(DOUBLE_WELL + "oops\n", name)
        self.assert_harmless("run", name)
        self.assert_harmless("run", "model.noe", "-o", f"a{self.HOSTILE}.csv")
        self.assert_harmless("run", "model.noe", "-o", f"{self.HOSTILE}/a.csv")
        self.assert_harmless("run", f"missing{self.HOSTILE}")
        for option in ("--set", "--method", "--step", "--until", "--sample", "--precision", "--resume"):
            self.assert_harmless("run", "model.noe", option, self.HOSTILE)
        self.assert_harmless(self.HOSTILE)
        self.assert_harmless("run", "--" + self.HOSTILE)
        self.assert_harmless("reproduce", self.HOSTILE)

    def test_cells(self):
        self.write(f"t,q{self.HOSTILE}\n0,1\n1,2\n", "a.csv")
        self.assert_harmless("plot", "a.csv", "-o", "a.svg")
        self.assert_harmless("plot", "a.csv", "-y", "p", "-o", "a.svg")
        self.write(f"t,q\n0,1\n1,{self.HOSTILE}\n", "a.csv")
        self.assert_harmless("plot", "a.csv", "-o", "a.svg")

if __name__ == "__main__":
    unittest.main()
