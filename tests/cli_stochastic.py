"""Noise on the command line: equal bits on every path, correct means, clear rejections."""
# SPDX-License-Identifier: MIT
import json
import math
import os
import subprocess
import tempfile
import unittest

from command import MPI, NOETHER, RANKS, ranks_start

SOURCE = os.environ.get("NOETHER_SOURCE", os.path.join(os.path.dirname(__file__), ".."))


def example(name):
    return os.path.join(SOURCE, "examples", name + ".noe")


def noether(*arguments):
    return subprocess.run([NOETHER, *arguments], capture_output=True, text=True)


def result(*arguments):
    done = noether(*arguments, "--json")
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: exit status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def motion(report):
    """The part of a report about the motion, without times and rates."""
    return {key: report[key] for key in ("start", "final", "energy", "steps", "seed")}


def statistics(report):
    told = dict(report)
    for key in ("lanes", "lanes_text", "threads", "ranks", "wall_seconds", "member_steps_per_second"):
        told.pop(key, None)
    return told


class SameBits(unittest.TestCase):
    def test_of_one_run(self):
        for name in ("sliding_disk", "brownian_rigid_body"):
            with self.subTest(name):
                path = example(name)
                plain = motion(result("run", path, "--generic"))
                self.assertEqual(plain, motion(result("run", path, "--interpret")))
                self.assertEqual(plain, motion(result("run", path, "--specialised")))
                self.assertEqual(plain, motion(result("run", path, "--seed", "1")))
                self.assertNotEqual(plain["final"], result("run", path, "--seed", "2")["final"])

    def test_of_an_ensemble(self):
        path = example("brownian_rigid_body")
        short = ("--steps", "50", "--members", "70")
        first = statistics(result("ensemble", path, *short, "--lanes", "1", "--threads", "1"))
        for lanes, threads in (("2", "2"), ("8", "1"), ("0", "3")):
            with self.subTest(lanes=lanes, threads=threads):
                again = result("ensemble", path, *short, "--lanes", lanes, "--threads", threads)
                self.assertEqual(first, statistics(again))

    def test_of_ranks(self):
        if not ranks_start():
            self.skipTest("no MPI, or mpirun does not start here")
        arguments = ["ensemble", example("sliding_disk"), "--steps", "40", "--members", "200",
                     "--json", "--final"]
        one = statistics(json.loads(noether(*arguments).stdout))
        done = subprocess.run([*RANKS, NOETHER + "-mpi", *arguments], env=MPI, capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(one, statistics(json.loads(done.stdout)))

    def test_of_a_run_that_was_resumed(self):
        with tempfile.TemporaryDirectory() as folder:
            state = os.path.join(folder, "state")
            for name in ("sliding_disk", "brownian_rigid_body", "kubo_oscillator"):
                with self.subTest(name):
                    path = example(name)
                    whole = motion(result("run", path, "--steps", "500"))
                    result("run", path, "--steps", "201", "--checkpoint", state)
                    again = result("run", path, "--steps", "500", "--resume", state)
                    self.assertEqual(whole["final"], again["final"])

    def test_a_run_is_the_first_member(self):
        path = example("sliding_disk")
        alone = result("run", path)["final"]["q"]
        members = result("ensemble", path, "--members", "2", "--final")["final"]["q"]
        for name in ("x", "theta"):
            self.assertEqual(alone[name], members[name][0])
            self.assertNotEqual(alone[name], members[name][1])


class Means(unittest.TestCase):
    def mean(self, report, name):
        row = report["statistics"][name]
        return row["mean"], math.sqrt(row["variance"] / row["count"])

    def assert_mean(self, report, name, expected):
        mean, error = self.mean(report, name)
        self.assertAlmostEqual(mean, expected, delta=3 * error, msg=name)

    def test_sliding_disk(self):
        """Within three standard errors of the moments from the discrete Lyapunov equation."""
        report = result("ensemble", example("sliding_disk"))
        self.assertEqual(report["members"], 2000)
        self.assert_mean(report, "spring", 0.60152743878435)
        self.assert_mean(report, "translation", 0.61097551373907)
        self.assert_mean(report, "rotation", 0.61884890953468)

    def test_brownian_rigid_body(self):
        report = result("ensemble", example("brownian_rigid_body"), "--until", "20")
        for axis in (1, 2, 3):
            self.assert_mean(report, f"heat[{axis}]", 0.8)
        self.assert_mean(report, "cosine", 1 / math.tanh(1.5) - 1 / 1.5)

    def test_kubo_oscillator(self):
        """The second moments of dp = -q dt - sigma q dB, dq = p dt satisfy a closed system of equations."""
        qq, qp, pp, h = 1.0, 0.0, 0.0, 1e-4
        for _ in range(round(10 / h)):
            middle = (qq + h * qp, qp + h / 2 * (pp - qq), pp + h / 2 * (0.09 * qq - 2 * qp))
            qq, qp, pp = (qq + 2 * h * middle[1], qp + h * (middle[2] - middle[0]),
                          pp + h * (0.09 * middle[0] - 2 * middle[1]))
        report = result("ensemble", example("kubo_oscillator"), "--until", "10")
        self.assert_mean(report, "energy", (qq + pp) / 2)

    def test_crossings_of_the_barrier(self):
        report = result("section", example("langevin_double_well"), "--until", "3000")
        self.assertEqual(report["status"], "ok")


class Refusals(unittest.TestCase):
    def assert_rejected(self, arguments, *words):
        done = noether(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_subcommands(self):
        path = example("sliding_disk")
        self.assert_rejected(("converge", path, "--steps", "0.1,0.05"), "noise", "ensemble")
        self.assert_rejected(("compare", path, "--methods", "stochastic-euler"), "noise", "ensemble")
        self.assert_rejected(("control", path, "--method", "midpoint"), "noise")
        self.assert_rejected(("run", path, "--method", "verlet"), "verlet knows no noise",
                             "stochastic-baoab")
        self.assert_rejected(("run", path, "--seed", "-1"), "--seed")

    def test_check_names_the_checks_it_skips(self):
        done = noether("check", example("sliding_disk"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 Brownian motion", done.stdout)
        self.assertIn("not measured, because noise paths differ", done.stdout)

    def test_statements(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.noe")
            for noise, words in (("noise b : q = q'", "not on velocities"),
                                 ("noise b : x = 1", "unknown coordinate 'x'"),
                                 ("noise b : q = [1, 2]", "needs a scalar")):
                with self.subTest(noise):
                    with open(path, "w", encoding="utf-8") as file:
                        file.write(f"coord q\nL = q'^2/2\n{noise}\nmethod stochastic-euler\nstep 0.1\n")
                    self.assert_rejected(("run", path), "model.noe:3:", words)

    def test_without_noise_it_is_the_deterministic_limit(self):
        path = example("kepler")
        verlet = result("run", path, "--steps", "200")
        baoab = result("run", path, "--steps", "200", "--method", "stochastic-baoab")
        for a, b in zip(verlet["final"]["q"]["x"], baoab["final"]["q"]["x"]):
            self.assertAlmostEqual(a, b, delta=1e-13)


if __name__ == "__main__":
    unittest.main()
