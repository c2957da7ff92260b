"""Specialised steppers: equal bits, and the fallback without them."""
# SPDX-License-Identifier: MIT
import glob
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from command import DOUBLE_WELL, NOETHER, CommandTest

EXAMPLES = os.path.join(os.environ["NOETHER_SOURCE"], "examples")
MARK = "#define NOE_SPECIALISED"
NOBODY = 65534

# A compiler without optimisation that runs an action for steppers: from "$source" to "$object".
SCRIPT = """#!/bin/sh
previous=
for word; do
    case $previous in -o) object=$word ;; esac
    case $word in *.c) source=$word ;; esac
    previous=$word
done
if grep -q '^%s' "$source"; then
    %s
fi
exec cc "$@" -O1
"""


def example(name):
    return os.path.join(EXAMPLES, name + ".noe")


def has_ended(pid):
    """True if the process has ended or is a zombie."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def without_clock(text):
    """The object without times, and without the origin of the code, which the cache decides."""
    result = json.loads(text)
    del result["wall_seconds"], result["steps_per_second"], result["code"]
    return result


class StepperTest(CommandTest):
    """A test with its own cache and directory for temporary files."""

    def setUp(self):
        super().setUp()
        self.environment = {"NOETHER_CACHE": self.path("cache"), "TMPDIR": self.path("tmp")}
        os.mkdir(self.path("tmp"))
        self.write(DOUBLE_WELL)

    def run_model(self, *arguments, file="model.noe", **environment):
        return self.noether("run", file, *arguments,
                            environment=dict(self.environment, **environment))

    def use_compiler(self, action):
        """Compiles further steppers by `action`, a shell command."""
        with open(self.path("compiler"), "w", encoding="utf-8") as file:
            file.write(SCRIPT % (MARK, action))
        os.chmod(self.path("compiler"), 0o755)
        self.environment["NOETHER_CC"] = self.path("compiler")

    def stepper_of(self, done):
        """The line of --verbose about the stepper."""
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        at = next(i for i, line in enumerate(lines) if line.split()[:1] == ["stepper"])
        return " ".join(lines[at].split()[1:] + ["because"] + lines[at + 1].split())

    def cached(self, ending):
        """The cached stepper's file with this ending."""
        for path in glob.glob(self.path("cache/*.c")):
            with open(path, encoding="utf-8") as file:
                if MARK in file.read():
                    return path[:-2] + ending
        return None

    def assert_nothing_left(self, entries):
        self.assertEqual(os.listdir(self.path("tmp")), [])
        if entries is None:
            return
        names = os.listdir(self.path("cache"))
        self.assertEqual(len(names), 2*entries, names)
        self.assertFalse([name for name in names if not name.endswith((".c", ".so"))])


class SameBits(StepperTest):
    def test_examples_and_methods(self):
        for name, method in (("henon_heiles", "verlet"), ("henon_heiles", "splitting order=8"),
                             ("outer_solar_system", "verlet"), ("outer_solar_system", "midpoint"),
                             ("double_pendulum", "midpoint"), ("double_pendulum", "gauss stages=2"),
                             ("double_pendulum", "gauss stages=8"), ("cart_pendulum", "rk4"),
                             ("double_pendulum", "lobatto stages=3"), ("duffing", "euler-a"),
                             ("point_vortices", "gauss stages=3"), ("figure_eight", "splitting")):
            with self.subTest(name=name, method=method):
                found = []
                for option, stepper in (("--generic", "generic"), ("--specialised", "compiled")):
                    arguments = ("--method", method, "--steps=1500", "--sample=7", "-o", "out.csv",
                                 option)
                    done = self.run_model(*arguments, "--json", file=example(name))
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    with open(self.path("out.csv"), "rb") as file:
                        found.append((without_clock(done.stdout), file.read()))
                    done = self.run_model(*arguments, "--verbose", file=example(name))
                    self.assertTrue(self.stepper_of(done).startswith(stepper))
                self.assertEqual(found[0][0], found[1][0])
                self.assertEqual(found[0][1], found[1][1])
                self.assertGreater(len(found[0][1].splitlines()), 200)

    def test_a_run_that_stops_at_a_root(self):
        found = [self.run_model(option, "--json", file=example("pendulum_period")).stdout
                 for option in ("--generic", "--specialised")]
        self.assertEqual(without_clock(found[0]), without_clock(found[1]))
        self.assertIn("stopped", without_clock(found[0]))


class Choice(StepperTest):
    def rate(self, *arguments, **options):
        done = self.run_model("--generic", "--json", *arguments, **options)
        return json.loads(done.stdout)["steps_per_second"]

    def test_a_long_run_switches_to_a_stepper(self):
        steps = int(4*self.rate("--steps=200000"))
        arguments = (f"--steps={steps}", f"--sample={steps//100}", "-o", "out.csv", "--verbose")
        found = []
        for option in ((), ("--generic",)):
            done = self.run_model(*arguments, *option)
            self.assertEqual(done.stderr, "")
            with open(self.path("out.csv"), "rb") as file:
                found.append((self.stepper_of(done), file.read()))
        self.assertRegex(found[0][0], r"^compiled for this model and method by /.*/cc in [0-9.]+ s "
                         r"because at step [0-9]+ the rest of the run was estimated at [0-9.]+ s; "
                         r"compiling pays from [0-9.]+ s$")
        self.assertEqual(found[1][0], "generic because --generic was given")
        self.assertEqual(found[0][1], found[1][1])

    def test_a_short_run_gets_none(self):
        steps = int(0.3*self.rate("--steps=100000"))
        self.assertRegex(self.stepper_of(self.run_model(f"--steps={steps}", "--verbose")),
                         "^generic because at step .* was estimated at 0.[0-9]+ s; compiling pays")
        self.assertEqual(self.stepper_of(self.run_model("--verbose")),
                         "generic because the run ended before its duration could be estimated")
        self.assertIsNone(self.cached(".so"))

    def test_a_large_model_gets_none(self):
        file, method = example("toda_lattice"), "--method=midpoint"
        done = self.run_model("--specialised", "--verbose", method, file=file)
        self.assertEqual(self.stepper_of(done), "generic because the system is too large for a "
                         "specialised stepper to pay")
        self.assertEqual(len(done.stderr.splitlines()), 1)
        steps = int(2.5*self.rate("--steps=2000", method, file=file))
        done = self.run_model(f"--steps={steps}", "--verbose", method, file=file)
        self.assertEqual(done.stderr, "")
        self.assertIn("too large", self.stepper_of(done))

    def test_a_method_without_one(self):
        done = self.run_model("--specialised", "--method=projected-euler", "--step=0.001", "--verbose")
        self.assertIn("the method has no specialised stepper", self.stepper_of(done))
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_options_that_contradict(self):
        self.assert_rejected(self.run_model("--generic", "--specialised"), "--generic")


class Machine(StepperTest):
    def test_restricted_instructions_are_reported(self):
        expected = None
        for settings, words in (({}, "lanes"), ({"NOETHER_LANES_SIMD": "avx2"}, "4 lanes"),
                                ({"NOETHER_LANES_SIMD": "none"}, "no AVX2, 4 lanes"),
                                ({"NOETHER_LANES_SLEEF": "no"}, "libm (SLEEF is turned off)")):
            arguments = ("--specialised", "--method=gauss stages=8")
            done = self.run_model(*arguments, "--verbose", **settings)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            lines = [line for line in done.stdout.splitlines() if line.split()[:1] == ["lanes"]]
            self.assertEqual(len(lines), 1)
            if settings.get("NOETHER_LANES_SIMD") != "avx2" or "no AVX2" not in lines[0]:
                self.assertIn(words, lines[0])
            steps = without_clock(self.run_model(*arguments, "--json", **settings).stdout)["steps"]
            self.assertEqual(steps, expected or steps)
            expected = steps


class Compiler(StepperTest):
    def setUp(self):
        super().setUp()
        self.expected = without_clock(self.run_model("--generic", "--json").stdout)

    def assert_falls_back(self, *words, **environment):
        """One warning with these words, and the results of the generic stepper."""
        done = self.run_model("--specialised", "--json", **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in ("warning: no specialised stepper", "the run continues", *words):
            self.assertIn(word, done.stderr)
        self.assertEqual(without_clock(done.stdout), self.expected)
        self.assert_nothing_left(None)
        self.assertEqual(glob.glob(self.path("cache/building*")), [])

    def test_fails(self):
        self.use_compiler("echo 'model.c:1:1: error: not today' >&2; exit 1")
        self.assert_falls_back("failed with status 1: not today")
        self.use_compiler("kill -SEGV $$")
        self.assert_falls_back("was ended by signal 11")
        self.use_compiler("exit 0")
        self.assert_falls_back("cannot keep")
        self.use_compiler('echo rubbish >"$object"; exit 0')
        self.assert_falls_back("cannot be loaded")

    def test_fails_during_the_run(self):
        self.use_compiler("exit 1")
        steps = int(2.5*json.loads(self.run_model("--generic", "--json", "--steps=200000").stdout)
                    ["steps_per_second"])
        done = self.run_model(f"--steps={steps}", "--verbose")
        self.assertIn("failed with status 1", self.stepper_of(done))
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("warning", done.stderr)

    def test_hangs(self):
        self.use_compiler(f"sleep 600 & echo $! >{self.path('pid')}; wait")
        began = time.monotonic()
        self.assert_falls_back("was ended after 1 s", NOETHER_CC_TIMEOUT="1")
        self.assertLess(time.monotonic() - began, 30)
        self.assert_child_ended()

    def assert_child_ended(self):
        with open(self.path("pid"), encoding="utf-8") as file:
            pid = int(file.read())
        for _ in range(100):
            if has_ended(pid):
                return
            time.sleep(0.05)
        self.fail("the compiler's child is still there")

    def interrupt(self, *options):
        """Interrupts a run while its compiler hangs; returns its exit status and message."""
        command = [NOETHER, "run", "model.noe", *options]
        with subprocess.Popen(command, cwd=self.directory, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True,
                              env=dict(os.environ, **self.environment)) as run:
            while not os.path.exists(self.path("pid")) or not os.path.getsize(self.path("pid")):
                self.assertIsNone(run.poll())
                time.sleep(0.02)
            run.send_signal(signal.SIGINT)
            _, words = run.communicate(timeout=60)
        self.assert_child_ended()
        self.assertEqual(glob.glob(self.path("cache/building*")), [])
        return run.returncode, words

    def test_an_interrupt_ends_it(self):
        hang = f"sleep 600 & echo $! >{self.path('pid')}; wait"
        self.use_compiler(hang)
        status, words = self.interrupt("--specialised")
        self.assertEqual((status, len(words.splitlines())), (1, 1), words)
        self.assertIn("interrupted after step 0", words)
        os.remove(self.path("pid"))
        with open(self.path("compiler"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + hang)  # of models, too
        self.environment["NOETHER_CACHE"] = self.path("other")
        self.assertEqual(self.interrupt(), (1, "noether: interrupted\n"))

    def test_no_compiler(self):
        self.environment["NOETHER_CC"] = "/nonexistent"
        done = self.run_model("--json")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertEqual(without_clock(done.stdout)["steps"], self.expected["steps"])


class Cache(StepperTest):
    def setUp(self):
        super().setUp()
        self.use_compiler(":")

    def make(self):
        """Compiles the model and its stepper; returns the output of a run."""
        done = self.run_model("--specialised", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return without_clock(done.stdout)

    def assert_recompiled(self):
        before = self.run_model("--specialised", "--verbose")
        self.assertEqual(before.stderr, "")
        self.assertRegex(self.stepper_of(before), "^compiled for this .* in [0-9.]+ s because")
        after = self.run_model("--specialised", "--verbose")
        self.assertIn("from the cache", self.stepper_of(after))
        self.assertEqual(self.make(), self.expected)
        self.assert_nothing_left(2)

    def test_damaged_entries(self):
        self.expected = self.make()
        self.assertEqual(self.expected,
                         without_clock(self.run_model("--generic", "--json").stdout))
        path, text = self.cached(".so"), self.cached(".c")
        model = next(name for name in glob.glob(self.path("cache/*.so")) if name != path)
        self.run_model("--specialised", "--method=implicit-euler", NOETHER_CACHE=self.path("other"))
        other = max(glob.glob(self.path("other/*.so")), key=os.path.getmtime)
        with open(self.path("other.c"), "w", encoding="utf-8") as file:
            file.write("int other;\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.path("other.so"),
                        self.path("other.c")], check=True)
        with open(path, "rb") as file:
            whole = file.read()

        def put(content, where=path):
            os.remove(where)
            with open(where, "wb") as file:
                file.write(content)

        def make_directory(where):
            os.remove(where)
            os.mkdir(where)

        wrong_machine = bytearray(whole)
        wrong_machine[18] ^= 0xff
        middle = bytearray(whole)
        middle[len(middle)//2] ^= 1
        for name, damage in (
                ("half", lambda: put(whole[:len(whole)//2])),
                ("without its last byte", lambda: put(whole[:-1])),
                ("empty", lambda: put(b"")),
                ("rubbish", lambda: put(b"rubbish\n"*1000)),
                ("ELF of another machine", lambda: put(wrong_machine)),
                ("one bit", lambda: put(middle)),
                ("object of the model", lambda: shutil.copy(model, path)),
                ("stepper of another method", lambda: shutil.copy(other, path)),
                ("foreign object", lambda: shutil.copy(self.path("other.so"), path)),
                ("missing", lambda: os.remove(path)),
                ("text missing", lambda: os.remove(text)),
                ("text of another", lambda: put(b"int other;\n", text)),
                ("directory", lambda: make_directory(path)),
                ("directory for the text", lambda: make_directory(text)),
                ("link to nothing", lambda: (os.remove(path), os.symlink("nothing", path)))):
            with self.subTest(damage=name):
                damage()
                self.assert_recompiled()

    def test_a_valid_object_that_is_not_a_stepper(self):
        self.use_compiler('echo "int other;" | cc -shared -fPIC -xc -o "$object" -; exit 0')
        done = self.run_model("--specialised", "--json")
        self.assertIn("not one of this library", done.stderr)
        self.expected = without_clock(done.stdout)
        self.use_compiler(":")  # the name of the compiler is unchanged, so the entry is the same
        self.assert_recompiled()

    def test_a_full_directory_in_the_way(self):
        self.expected = self.make()
        path = self.cached(".so")
        os.remove(path)
        os.makedirs(os.path.join(path, "full"))
        done = self.run_model("--specialised", "--json")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (0, 1), done.stderr)
        self.assertIn("warning: no specialised stepper: cannot keep", done.stderr)
        self.assertEqual(without_clock(done.stdout), self.expected)

    def test_entries_that_cannot_be_read(self):
        self.expected = self.make()
        user = {}
        if os.geteuid() == 0:  # root may read everything
            user = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
            os.chmod(self.directory, 0o755)
            for path in (self.path("cache"), self.path("tmp"), *glob.glob(self.path("cache/*"))):
                os.chown(path, NOBODY, NOBODY)
            try:
                subprocess.run([NOETHER, "--version"], check=True, stdout=subprocess.DEVNULL,
                               **user)
            except (OSError, subprocess.CalledProcessError):
                self.skipTest("another user cannot start the command")
        for ending in (".so", ".c"):
            os.chmod(self.cached(".c")[:-2] + ending, 0)
            for words in ("^compiled for this", "from the cache"):
                done = self.noether("run", "model.noe", "--specialised", "--verbose",
                                    environment=self.environment, **user)
                self.assertEqual(done.stderr, "")
                self.assertRegex(self.stepper_of(done), words)
        os.chmod(self.path("cache"), 0o500)
        done = self.noether("run", "model.noe", "--specialised", "--verbose",
                            environment=self.environment, **user)
        self.assertLessEqual(len(done.stderr.splitlines()), 1)
        self.assertIn("is not used: Permission denied", done.stdout)
        self.assertTrue(self.stepper_of(done).startswith("compiled"))
        self.assert_nothing_left(2)

    def test_no_writable_cache(self):
        self.environment["NOETHER_CACHE"] = "/proc/nothing"
        done = self.run_model("--specialised", "--verbose")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("'/proc/nothing' is not used", done.stderr)
        self.assertIn("'/proc/nothing' is not used", done.stdout)
        self.assertTrue(self.stepper_of(done).startswith("compiled for this"))
        self.assert_nothing_left(None)
        self.environment["TMPDIR"] = "/proc"
        done = self.run_model("--verbose")
        self.assertIn("because the run", self.stepper_of(done))
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("interpreted", done.stderr)

    def test_ten_at_once(self):
        command = [NOETHER, "run", "model.noe", "--specialised", "--json"]
        runs = [subprocess.Popen(command, cwd=self.directory, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True,
                                 env=dict(os.environ, **self.environment)) for _ in range(10)]
        found = [(run.communicate(timeout=300), run.returncode) for run in runs]
        expected = without_clock(self.run_model("--generic", "--json").stdout)
        for (output, words), status in found:
            self.assertEqual((status, words), (0, ""))
            self.assertEqual(without_clock(output), expected)
        self.assert_nothing_left(2)
        after = self.run_model("--specialised", "--verbose")
        self.assertIn("from the cache", self.stepper_of(after))

    def test_ten_repair_at_once(self):
        self.make()
        for path in glob.glob(self.path("cache/*.so")):
            with open(path, "r+b") as file:
                file.truncate(3000)
        self.test_ten_at_once()


if __name__ == "__main__":
    unittest.main()
