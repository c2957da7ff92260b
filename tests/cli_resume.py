"""--checkpoint and --resume: a killed run continues with the same bits."""
# SPDX-License-Identifier: MIT
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest

from command import NOETHER, CommandTest

PENDULUM = """param k = 0.7
coord x, y
L = (1 + x^2/4)*x'^2/2 + x'*y'*cos(x - y)/3 + y'^2/2 - k*x^2*y - x^2 - y^2/2 - x^4/4
start x = 0.4, y = 0.3, x' = 0.2
invariant j = x*y
observe r = sqrt(x^2 + y^2)
method midpoint
step 0.02
until 40
"""

BODY = """param J = diag(1, 2, 3), b = [0.2, 0.3, 1]
rotation R, W
L = dot(W, J*W)/2 - dot([0, 0, 1], R*b)
start W = [0.3, 2, 0.1]
method lgvi
step 0.01
until 10
"""

FREE_BODY = """rotation R, W
L = dot(W, diag(1, 2, 3)*W)/2
start W = [0.3, 1, 0.1]
method kr
step 0.01
until 10
"""

SEPARABLE = """coord x, y
L = (x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3
start y = 0.1, x' = 0.4
method splitting
step 0.02
until 40
"""

VEHICLE = """param J = diag(1, 2, 3), M = diag(3, 1, 2)
pose R, x, W, V
L = dot(W, J*W)/2 + dot(V, M*V)/2
start W = [0.3, 1, 0.1], V = [1, 0.2, 0.5]
method flv
step 0.01
until 10
"""

VORTICES = """coord x[3], y[3]
param g = [1, -0.5, 2]
L = sum(i = 1..3, g[i]*(x[i]*y[i]' - y[i]*x[i]')/2)
  + sum(i = 2..3, j = 1..i-1, g[i]*g[j]*log((x[i]-x[j])^2 + (y[i]-y[j])^2))/4
start x = [0, 1, 0.3], y = [0, 0.2, 1]
method projected-gauss
step 0.02
until 10
"""

SKATE = """coord x, y, a
L = (x'^2 + y'^2 + a'^2)/2 - x/3
nonholonomic sin(a)*x' - cos(a)*y' = 0
start x' = 1, a' = 1
method lobatto stages = 2
step 0.01
until 10
"""

ROD = """coord x[2]
L = dot(x', x')/2 - 9.81*x[2] - x[1]*x[2]/5
constraint dot(x, x) = 1
start x = [1, 0], x' = [0, 0.5]
method lobatto stages = 2
step 0.01
until 10
"""

CHAIN = """param N = 200
coord q[N]
L = sum(i = 1..N, q[i]'^2*(2 + cos(q[i]))/2 + cos(q[i])) - sum(i = 2..N, (q[i] - q[i-1])^2*(1 + q[N]^2/50)/2)
start q[1] = 1
method midpoint
step 0.05
until 10
"""

CLOCK = ("wall_seconds", "steps_per_second", "code")  # compiled once, then from the cache


def without_clock(text):
    return {name: value for name, value in json.loads(text).items() if name not in CLOCK}


class Resume(CommandTest):
    def whole(self, *options):
        done = self.noether("run", "model.noe", "--json", "--quiet", "-o", "whole.csv", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return without_clock(done.stdout)

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def resumed(self, *options, output="resumed.csv", checkpoint="state"):
        done = self.noether("run", "model.noe", "--json", "--quiet", "-o", output, "--resume",
                            checkpoint, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return without_clock(done.stdout)

    def assert_resumes(self, *options, first=37, steps=120):
        """A run in two processes gives the results of a run in one."""
        whole = self.whole("--steps", str(steps), *options)
        begun = self.noether("run", "model.noe", "--quiet", "--json", "-o", "part.csv",
                             "--checkpoint", "state", "--checkpoint-every", "10", "--steps",
                             str(first), *options)
        self.assertEqual(begun.returncode, 0, begun.stderr)
        self.assertEqual(self.resumed("--steps", str(steps), *options), whole)
        self.assertEqual(self.content("resumed.csv"), self.content("whole.csv"))

    def test_every_method(self):
        rows = json.loads(self.noether("methods", "--json").stdout)
        served = {}
        for text in (PENDULUM, BODY, FREE_BODY, SKATE, ROD, SEPARABLE, VEHICLE,
                     VORTICES):
            self.write(text)
            for name in (row["name"] for row in rows):
                probe = self.noether("run", "model.noe", "--quiet", "--method", name, "--steps", "120")
                if probe.returncode:
                    continue
                served[name] = served.get(name, 0) + 1
                with self.subTest(method=name, model=text.split("\n")[0]):
                    self.assert_resumes("--method", name)
        left_out = {row["name"] for row in rows} - set(served)
        self.assertEqual(left_out, set())

    def test_sparse_matrices_and_their_pivots(self):
        self.write(CHAIN)
        for options in (("--steps", "60"), ("--steps", "60", "--method", "gauss stages=2")):
            whole = self.whole(*options, "--verbose")
            self.noether("run", "model.noe", "--quiet", "--json", "-o", "part.csv", "--checkpoint",
                         "state", "--checkpoint-every", "7", *options[2:], "--steps", "24")
            self.assertEqual(self.resumed(*options, "--verbose"), whole)
            self.assertEqual(self.content("resumed.csv"), self.content("whole.csv"))

    def test_quadruple_precision(self):
        self.write(PENDULUM)
        self.assert_resumes("--precision", "quad", "--method", "gauss stages=2")

    def test_a_stop_condition_after_resuming(self):
        self.write(PENDULUM + "stop when x + 0.2 = 0\n")
        self.assert_resumes(first=9, steps=2000)

    def test_a_resumed_run_is_compiled_like_a_new_one(self):
        """The rest of the run decides, not the fraction of the run that lies behind."""
        self.write(CHAIN.replace("N = 200", "N = 6"))
        self.noether("run", "model.noe", "--quiet", "--checkpoint", "state", "--steps", "500000",
                     "--specialised")
        resumed = self.noether_json("run", "model.noe", "--steps", "1500000", "--resume", "state", "--quiet")
        self.assertIn("compiled", resumed["code"]["stepper"], resumed["code"])

    def test_hdf5(self):
        self.write(PENDULUM)
        self.whole("--steps", "500")
        whole = self.noether("run", "model.noe", "--quiet", "-o", "whole.h5", "--steps", "500")
        if whole.returncode == 3:
            self.skipTest("no HDF5 in this build")
        self.noether("run", "model.noe", "--quiet", "-o", "part.h5", "--checkpoint", "state",
                     "--steps", "321")
        self.resumed("--steps", "500", output="resumed.h5")
        dump = [subprocess.run(["h5dump", "-y", self.path(name)], capture_output=True, text=True)
                .stdout.replace(name, "") for name in ("whole.h5", "resumed.h5")]
        dump = [re.sub(r'"[-0-9]+T[:0-9]+Z"', "when it was created", text) for text in dump]
        self.assertEqual(dump[0], dump[1])
        self.assertIn("energy", dump[0])


class Kill(CommandTest):
    def test_at_any_moment(self):
        """A run that is killed NOETHER_KILLS times, by default 100, ends like an undisturbed one. Every resumed process
        writes the checkpoint from which the next one starts."""
        self.write(PENDULUM)
        options = ["--steps", "400000", "--sample", "50", "--generic", "--quiet", "--json"]
        whole = self.noether("run", "model.noe", "-o", "whole.csv", *options)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        keep = ["--checkpoint", "state", "--checkpoint-every", "500", "-o", "out.csv"]
        chance = random.Random(8)
        seconds = json.loads(whole.stdout)["wall_seconds"]
        kills = finished = 0
        while kills < int(os.environ.get("NOETHER_KILLS", "100")):
            resume = ["--resume", "state"] if os.path.exists(self.path("state")) else []
            process = subprocess.Popen([NOETHER, "run", "model.noe", *keep, *resume, *options],
                                       cwd=self.directory, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            time.sleep(chance.uniform(0, 0.02 + seconds/25))
            process.send_signal(signal.SIGKILL)
            kills += process.wait() == -signal.SIGKILL
            output, errors = process.communicate()
            self.assertEqual(errors, b"")
            if process.returncode == 0:  # it ended before the signal, so it starts again
                finished += 1
                self.assertEqual(without_clock(output), without_clock(whole.stdout))
                for name in ("state", "state.rows"):
                    os.remove(self.path(name))
        resume = ["--resume", "state"] if os.path.exists(self.path("state")) else []
        done = self.noether("run", "model.noe", *keep, *resume, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(without_clock(done.stdout), without_clock(whole.stdout))
        with open(self.path("out.csv"), "rb") as one, open(self.path("whole.csv"), "rb") as other:
            self.assertEqual(one.read(), other.read())

    def test_nothing_of_killed_processes_stays(self):
        """Temporary files of a killed run go when a later one completes, and only they."""
        self.write(PENDULUM)
        keep = ["--checkpoint", "state", "--checkpoint-every", "100000", "-o", "out.csv", "--quiet"]
        for _ in range(3):
            process = subprocess.Popen([NOETHER, "run", "model.noe", *keep, "--steps", "2000000000"],
                                       cwd=self.directory)
            while not any(name.startswith(".out.csv") and name.endswith(f"{process.pid}.part")
                          for name in self.files()):
                time.sleep(0.01)
            process.kill()
            process.wait()
        self.write("keep", ".out.csv.note.part")
        running = subprocess.Popen([NOETHER, "run", "model.noe", "-o", "out.csv", "--quiet", "--steps",
                                    "2000000000"], cwd=self.directory)
        mine = f".out.csv.{running.pid}.part"
        while mine not in self.files():
            time.sleep(0.01)
        done = self.noether("run", "model.noe", "-o", "out.csv", "--quiet", "--steps", "100")
        left = [name for name in self.files() if name.startswith(".out.csv")]
        running.kill()
        running.wait()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(left, [mine, ".out.csv.note.part"])

    def test_an_interrupt_writes_the_last_step(self):
        self.write(PENDULUM)
        process = subprocess.Popen([NOETHER, "run", "model.noe", "--steps", "2000000000", "--quiet",
                                    "--checkpoint", "state"], cwd=self.directory,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not os.path.exists(self.path("state")):
            time.sleep(0.01)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, words = process.communicate()
        self.assertEqual(process.returncode, 1)
        steps = int(words.split("after step ")[1].split()[0])
        self.assertGreater(steps, 0)
        resumed = self.noether_json("run", "model.noe", "--steps", str(steps + 10), "--resume", "state")
        whole = self.noether_json("run", "model.noe", "--steps", str(steps + 10))
        self.assertEqual([resumed["final"], resumed["energy"]], [whole["final"], whole["energy"]])


class Refusal(CommandTest):
    def setUp(self):
        super().setUp()
        self.write(PENDULUM)
        done = self.noether("run", "model.noe", "--quiet", "--steps", "100", "-o", "part.csv",
                            "--checkpoint", "state")
        self.assertEqual(done.returncode, 0, done.stderr)

    def resume(self, *options, preexec=None):
        return self.noether("run", "model.noe", "--quiet", "--steps", "200", "--resume", "state",
                            *options, preexec_fn=preexec)

    def test_another_model(self):
        self.write(PENDULUM.replace("k = 0.7", "k = 0.8"))
        self.assert_rejected(self.resume("-o", "out.csv"), "another model", "line 1 was",
                             "'param k = 0.7'", "'param k = 0.8'")
        self.write(PENDULUM + "\n# a remark\n")
        self.assert_rejected(self.resume("-o", "out.csv"), "another model")
        self.assertNotIn("out.csv", self.files())

    def test_another_run(self):
        for options, words in ((("--set", "k=2"), "'--set k=2'"), (("--step", "0.01"), "step=0.01"),
                               (("--method", "verlet"), "verlet"), (("--from", "1"), "from=1"),
                               (("--sample", "3"), "every 1 steps")):
            self.assert_rejected(self.resume("-o", "out.csv", *options), words)
            self.assertNotIn("out.csv", self.files())
        done = self.noether("run", "model.noe", "--quiet", "--steps", "50", "--resume", "state")
        self.assertEqual(done.returncode, 2)
        self.assertIn("stands at step 100, beyond the 50 steps", done.stderr)
        done = self.noether("run", "model.noe", "--precision", "quad", "--steps", "200", "--resume",
                            "state")
        self.assert_rejected(done, "double precision", "quad")

    def test_another_version(self):
        with open(self.path("state"), "r+b") as file:
            file.seek(24)
            file.write(b"9.9.9\0")
        self.assert_rejected(self.resume(), "version 9.9.9")

    def test_damage(self):
        with open(self.path("state"), "rb") as file:
            whole = file.read()
        chance = random.Random(3)
        for _ in range(60):
            place = chance.randrange(len(whole))
            self.write(whole[:place] + bytes([whole[place] ^ 1 << chance.randrange(8)]) +
                       whole[place + 1:], "state")
            self.assert_rejected(self.resume("-o", "out.csv"), "state")
        for length in (0, 5, 100, len(whole)//2, len(whole) - 1):
            self.write(whole[:length], "state")
            self.assert_rejected(self.resume("-o", "out.csv"), "checkpoint")
        self.assertNotIn("out.csv", self.files())

    def test_damaged_rows(self):
        """Of the rows before the checkpoint every changed bit and every missing byte is noticed."""
        with open(self.path("state.rows"), "rb") as file:
            whole = file.read()
        chance = random.Random(5)
        places = [(chance.randrange(len(whole)), chance.randrange(8)) for _ in range(100)]
        for place, bit in places:
            self.write(whole[:place] + bytes([whole[place] ^ 1 << bit]) + whole[place + 1:], "state.rows")
            self.assert_rejected(self.resume("-o", "out.csv"), "state.rows", "leave out -o")
        for length in (0, 10, len(whole)//2, len(whole) - 1):
            self.write(whole[:length], "state.rows")
            self.assert_rejected(self.resume("-o", "out.csv"), "state.rows")
        self.assertNotIn("out.csv", self.files())
        self.write(whole, "state.rows")
        self.assertEqual(self.resume("-o", "out.csv").returncode, 0)

    def forge(self, content, place, value):
        """Writes the checkpoint with 8 bytes at `place` replaced and the checksum made right."""
        body = bytearray(content[:-8])
        body[place:place + 8] = value
        total = 0xcbf29ce484222325
        for byte in body:
            total = (total ^ byte) * 0x100000001b3 % 2**64
        self.write(bytes(body) + total.to_bytes(8, "little"), "state")

    def assert_survives(self, model, *options, stride=8):
        """No number of a checkpoint makes the command end by a signal, whatever its value."""
        self.write(model)
        done = self.noether("run", "model.noe", "--quiet", "--steps", "15", "--checkpoint", "state", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("state"), "rb") as file:
            content = file.read()
        chance = random.Random(len(content))
        values = [b"\xff" * 8, bytes([0xff] * 7 + [0x7f]), b"\x41" * 8, bytes(8),
                  (2**31 + 2**63).to_bytes(8, "little")]
        places = list(range(0, len(content) - 16, stride))
        for place in chance.sample(places, min(len(places), 150)):
            self.forge(content, place, chance.choice(values))
            done = self.noether("run", "model.noe", "--quiet", "--steps", "18", "--resume", "state", *options)
            self.assertIn(done.returncode, (0, 1, 2), (place, done.returncode, done.stderr))

    def test_forged_numbers(self):
        self.assert_survives(PENDULUM)
        self.assert_survives(PENDULUM + "stop when x + 9 = 0\n", "--method", "energy-midpoint")
        self.assert_survives(ROD)
        self.assert_survives(CHAIN.replace("N = 200", "N = 12"), "--method", "gauss stages=2")

    def test_forged_lengths(self):
        """The sizes at the head of the file: of the texts and of the snapshot."""
        with open(self.path("state"), "rb") as file:
            content = file.read()
        for place in range(64, 120, 8):
            for value in (0, 1, 7, len(content), 2**40, 2**63, 2**64 - 1):
                self.forge(content, place, value.to_bytes(8, "little"))
                done = self.resume("-o", "out.csv")
                self.assertIn(done.returncode, (0, 2), (place, value, done.stderr))

    def test_no_file(self):
        self.assert_rejected(self.noether("run", "model.noe", "--resume", "nothing"), "nothing",
                             "No such file")
        self.assert_rejected(self.noether("run", "model.noe", "--resume", "."), "not a file")
        self.assert_rejected(self.noether("run", "model.noe", "--checkpoint-every", "5"),
                             "needs --checkpoint")

    def test_one_file_for_both(self):
        done = self.noether("run", "model.noe", "--checkpoint", "out.csv", "-o", "out.csv")
        self.assert_rejected(done, "the same file", "out.csv")
        self.assertNotIn("out.csv", self.files())

    def test_rows_of_another_run(self):
        shutil.copy(self.path("state"), self.path("kept"))
        self.noether("run", "model.noe", "--quiet", "--steps", "300", "-o", "part.csv",
                     "--checkpoint", "state")
        os.rename(self.path("kept"), self.path("state"))
        self.assert_rejected(self.resume("-o", "out.csv"), "state.rows", "another run")
        os.remove(self.path("state.rows"))
        self.assert_rejected(self.resume("-o", "out.csv"), "state.rows", "leave out -o")
        self.assertEqual(self.resume().returncode, 0)

    def test_a_checkpoint_without_rows(self):
        self.noether("run", "model.noe", "--quiet", "--steps", "100", "--checkpoint", "state")
        done = self.resume("-o", "out.csv")
        self.assertEqual(done.returncode, 0)
        self.assertIn("out.csv begins after step 100", done.stderr)

    def test_a_full_disk(self):
        self.assert_rejected(self.noether("run", "model.noe", "--quiet", "--checkpoint", "/dev/full"),
                             "/dev/full", "No space left", exit_status=3)

        def no_room():  # for later rows; the first checkpoints fit
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))

        done = self.resume("--steps", "20000", "-o", "out.h5", "--checkpoint", "state",
                           "--checkpoint-every", "100", preexec=no_room)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertNotIn("out.h5", self.files())
        self.assertEqual([name for name in self.files() if name.endswith(".part")], [])
        whole = self.noether_json("run", "model.noe", "--steps", "20000", "-o", "whole.csv")
        resumed = self.noether_json("run", "model.noe", "--steps", "20000", "--resume", "state", "-o",
                                    "out.csv")
        self.assertEqual(resumed["final"], whole["final"])
        with open(self.path("out.csv"), "rb") as one, open(self.path("whole.csv"), "rb") as other:
            self.assertEqual(one.read(), other.read())


if __name__ == "__main__":
    unittest.main()
