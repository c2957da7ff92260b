"""Energy-adaptive methods on the command line: values computed independently, published tables, and
messages where no step size exists."""
# SPDX-License-Identifier: MIT
import csv
import math
import os
import unittest

from command import CommandTest

EXAMPLES = os.path.join(os.environ["NOETHER_SOURCE"], "examples")

WELL = """param q0 = 0.74, v0 = 0
coord q
L = q'^2/2 - (q^4 - q^2)/2
start q = q0, q' = v0
method energy-midpoint
step 0.1
until 50
"""
HENON = """coord x, y
L = (x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3
start x = 0.1, y = 0.2, x' = 0.3, y' = -0.1
method energy-midpoint
step 0.1
until 10
"""


def example(name):
    return os.path.join(EXAMPLES, name + ".noe")


def potential(q):
    return (q**4 - q**2) / 2


def delta_amplitude(u, m):
    """Jacobi's dn(u|m), by the arithmetic-geometric mean."""
    a, b, c = [1.0], math.sqrt(1 - m), [math.sqrt(m)]
    while abs(c[-1]) > 1e-17:
        a.append((a[-1] + b) / 2)
        c.append((a[-2] - b) / 2)
        b = math.sqrt(a[-2] * b)
    phi = 2**(len(a) - 1) * a[-1] * u
    for n in range(len(a) - 1, 0, -1):
        phi = (phi + math.asin(c[n] / a[n] * math.sin(phi))) / 2
    return math.sqrt(1 - m * math.sin(phi)**2)


class EnergyTest(CommandTest):
    def rows(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return list(csv.DictReader(line for line in file if not line.startswith("#")))


class References(EnergyTest):
    """States of the methods themselves, computed with 30 digits."""

    def check(self, result, t, q, p, energy, h):
        self.assertAlmostEqual(result["time"], t, delta=1e-11)  # measured 4e-12
        self.assertAlmostEqual(result["step"]["last"], h, delta=5e-13)
        self.assertAlmostEqual(result["discrete_energy"]["final"], energy, delta=2e-12)
        for name in q:
            self.assertAlmostEqual(result["final"]["q"][name], q[name], delta=5e-12)
            self.assertAlmostEqual(result["final"]["p"][name], p[name], delta=5e-12)

    def test_double_well(self):
        self.write(WELL)
        for q0, h, steps, *expected in [
                (0.74, 0.1, 100, 10.2982690658347, 0.693232781187783, -0.043447768711893,
                 -0.123873288412564, 0.10472429673995),
                (0.995, 0.01, 500, 9.51139143116359, 0.255084033481352, -0.225701404967321,
                 -0.00494963468262392, 0.0369395496103878)]:
            t, q, p, energy, last = expected
            result = self.noether_json("run", "model.noe", "--set", f"q0={q0}", "--step", str(h),
                                       "--steps", str(steps))
            self.check(result, t, {"q": q}, {"q": p}, energy, last)

    def test_two_degrees_of_freedom(self):
        self.write(HENON)
        result = self.noether_json("run", "model.noe", "--steps", "100")
        self.check(result, 10.0045231452572, {"x": -0.177504408555447, "y": -0.0897589453598281},
                   {"x": -0.129864337111746, "y": 0.312127003636657}, 0.0741255597589347,
                   0.0965214803893239)


class PublishedTables(EnergyTest):
    """Results of Sharma, Patil and Woolsey (2018) and of Sharma (2020), recomputed."""

    def start(self, q0, h):
        """The momentum whose first step of length h ends at the exact solution."""
        q1 = q0 * delta_amplitude(q0 * h, 2 - 1 / q0**2)
        v, x = (q1 - q0) / h, (q0 + q1) / 2
        return f"v0={v + h / 2 * (2 * x**3 - x):.17g}"

    def run_well(self, q0, h, *options):
        result = self.noether_json("run", "model.noe", "--set", f"q0={q0}", "--set",
                                   self.start(q0, h), "--step", f"{h:.17g}", "-o", "out.csv",
                                   *options)
        path = [(float(row["t"]), float(row["q"])) for row in self.rows("out.csv")]
        away = max(abs(q - q0 * delta_amplitude(q0 * t, 2 - 1 / q0**2)) for t, q in path)
        return result, path, away

    def test_double_well(self):
        self.write(WELL)
        for q0, h, steps, most, away, fixed_energy, fixed_away in [
                (0.74, 0.01, 4846, 0.010657, 4.10e-5, 7.65e-9, 4.11e-5),
                (0.74, 0.1, 485, 0.10655, 4.11e-3, 7.54e-7, 4.13e-3),
                (0.992, 0.01, 2626, 0.03950, 4.58e-3, 2.74e-5, 5.34e-3),
                (0.995, 0.01, 2365, 0.04626, 6.85e-3, 3.51e-5, 9.81e-3),
                (0.995, 0.1, 247, 0.42895, 0.588, 3.03e-3, 0.688)]:
            with self.subTest(q0=q0, h=h):
                result, _, error = self.run_well(q0, h)
                self.assertEqual(result["steps"], steps)
                self.assertLess(result["discrete_energy"]["max_error"], 3e-16)  # measured 1.4e-16
                self.assertAlmostEqual(result["step"]["max"], most, delta=2e-4 * most)
                self.assertAlmostEqual(error, away, delta=0.03 * away)
                equal = result["time"] / steps
                _, path, error = self.run_well(q0, equal, "--method", "midpoint", "--steps",
                                               str(steps))
                self.assertAlmostEqual(error, fixed_away, delta=0.03 * fixed_away)
                discrete = [((q1 - q) / equal)**2 / 2 + potential((q + q1) / 2)
                            for (_, q), (_, q1) in zip(path, path[1:])]
                deviation = max(abs(energy - discrete[0]) for energy in discrete)
                self.assertAlmostEqual(deviation, fixed_energy, delta=0.01 * fixed_energy)

    def test_driven_oscillator(self):
        for sigma, least, most in [(0.1, 0.00953, 0.01047), (0.5, 0.0073, 0.0134),
                                   (1, 0.00094, 0.01002), (2, 0.0061, 0.0211),
                                   (3, 0.0066, 0.0140), (5, 0.00697, 0.02054)]:
            step = self.noether_json("run", example("forced_oscillator"), "--set",
                                     f"sigma={sigma}")["step"]
            self.assertAlmostEqual(step["min"], least, delta=0.005 * least)
            self.assertAlmostEqual(step["max"], most, delta=0.005 * most)

    def test_driven_energy(self):
        """Errors of the positions and of the discrete energy against the exact solution."""
        for sigma, energy, away in [(0.1, 5.9e-4, 6.6e-4), (0.5, 8.6e-4, 6.4e-4),
                                    (5, 5.4e-4, 2.0e-3)]:
            self.noether_json("run", example("forced_oscillator"), "--set", f"sigma={sigma}", "-o",
                              "out.csv")
            w, errors = 2 * sigma, [0, 0]
            c = 1 / (4 - w * w)  # q = a cos 2t + sin(2t)/2 + c cos wt
            a = 0.1 - c
            for row in self.rows("out.csv"):
                t = float(row["t"])
                q = a * math.cos(2 * t) + math.sin(2 * t) / 2 + c * math.cos(w * t)
                v = -2 * a * math.sin(2 * t) + math.cos(2 * t) - c * w * math.sin(w * t)
                errors[0] = max(errors[0], abs(float(row["discrete_energy"]) - v*v/2 - 2*q*q))
                errors[1] = max(errors[1], abs(float(row["q"]) - q))
            self.assertAlmostEqual(errors[0], energy, delta=0.08 * energy)
            self.assertAlmostEqual(errors[1], away, delta=0.02 * away)

    def test_damped_oscillator(self):
        """With the damping ratio zeta the step size grows by exp(zeta w t), and shrinks if zeta < 0."""
        for zeta, last in [(0.02, 0.0220), (0.05, 0.0718), (0.1, 0.535), (-0.02, 0.00454)]:
            result = self.noether_json("run", example("damped_oscillator_adaptive"), "--set",
                                       f"c={4 * zeta}")
            self.assertAlmostEqual(result["step"]["last"], last, delta=0.002 * last)

    def test_damping_in_the_lagrangian(self):
        """Caldirola's L e^(ct/m) needs no force, and its step size does not grow."""
        self.write("param c = 0.08\ncoord q\nL = exp(c*t)*(q'^2/2 - 2*q^2)\nstart q = 1\n"
                   "method energy-midpoint\nstep 0.01\nuntil 60\n")
        result = self.noether_json("run", "model.noe")
        self.assertGreater(result["step"]["min"], 0.0098)
        self.assertLess(result["step"]["max"], 0.0103)  # measured 0.01021
        self.assertLess(result["discrete_energy"]["max_error"], 3e-14)  # measured 1.5e-14


class PublishedBodies(EnergyTest):
    """Mean errors of the energy with fixed steps (Sharma, 2020, Tables 5.1 and 6.1)."""

    def test_fixed_steps(self):
        upside_down = ("--set", "R0=diag(-1, 1, -1)")
        for name, step, until, expected, *options in [
                ("pendulum_3d", 1e-3, 30, 3.2e-7), ("pendulum_3d", 1e-3, 30, 1.5e-5, *upside_down),
                ("pendulum_3d", 4e-4, 30, 2.6e-6, *upside_down),
                ("underwater_vehicle", 1e-2, 20, 1.19e-3),
                ("underwater_vehicle", 1e-3, 20, 1.19e-4)]:
            result = self.noether_json("run", example(name), "--method", "lgvi", "--step",
                                       str(step), "--until", str(until), *options)
            self.assertAlmostEqual(result["energy"]["mean_error"], expected, delta=0.03 * expected)


class LongRuns(EnergyTest):
    def test_round_off_does_not_add_up(self):
        self.write(WELL)
        for q0, h in [(0.74, 0.1), (0.995, 0.01)]:
            result = self.noether_json("run", "model.noe", "--set", f"q0={q0}", "--step", str(h),
                                       "--steps", "5000000", "--sample", "5000000")
            self.assertEqual(result["steps"], 5000000)
            self.assertLess(result["discrete_energy"]["max_error"], 5e-16)  # measured 2e-16
            self.assertGreater(result["step"]["min"], h * (1 - 1e-6))

    def time_error(self, q0, h, steps):
        """Deviation of the time in double precision from that in quadruple precision."""
        options = ("--set", f"q0={q0}", "--step", str(h), "--steps", str(steps))
        plain = self.noether_json("run", "model.noe", *options)
        quad = self.noether_json("run", "model.noe", *options, "--precision", "quad")
        self.assertLess(quad["discrete_energy"]["max_error"], 3e-34)  # measured 1e-34
        return abs(plain["time"] - quad["time"])

    def test_quadruple_precision(self):
        """The time after many steps is a random walk of round-off, so the mean of several runs is tested."""
        self.write(WELL)
        errors = [self.time_error(0.74 + 1e-4*i, 0.01, 5000) for i in range(10)]
        self.assertLess(sum(errors)/10, 4.2e-10)  # measured 2.1e-10
        for q0, h, steps in [(0.74, 0.0001, 5000), (0.995, 0.01, 2000)]:
            self.assertLess(self.time_error(q0, h, steps), 3.3e-10)

    def test_over_the_barrier(self):
        done = self.noether_json("run", example("double_well_barrier"), "--until", "20000",
                                 "--sample", "7", "-o", "out.csv")
        errors = [abs(float(row["energy"]) - 0.12705) for row in self.rows("out.csv")]
        half = len(errors) // 2
        self.assertLess(done["energy"]["max_error"], 2.6e-3)  # measured 1.68e-3
        self.assertAlmostEqual(max(errors[:half]), max(errors[half:]), delta=1e-5)
        self.assertLess(done["discrete_energy"]["max_error"], 1.3e-15)  # measured 6.2e-16
        self.assertGreater(done["discrete_energy"]["fixed_steps"], 0)


class NoStep(EnergyTest):
    """The run ends where no step size conserves the discrete energy, not before, and gives the reason."""

    def stopped(self, text, *options):
        self.write(text)
        result = self.noether_json("run", "model.noe", *options, exit_status=1)
        self.assertEqual(result["status"], "no step keeps the energy")
        return result

    def test_inflections(self):
        E, pendulum = 2.125, "coord q\nL = q'^2/2 + cos(q)\nstart q' = 2.5\n"
        energy, low, high = potential(1.1), 0.0, 0.5
        for _ in range(60):  # 2E(6s - 1) + 3s^2 - 2s^3 = 0, s = q^2
            s = (low + high) / 2
            low, high = (s, high) if 2*energy*(6*s - 1) + 3*s*s - 2*s**3 < 0 else (low, s)
        for text, expected in [(pendulum, math.acos(math.sqrt(E * E - 1) - E)),
                               (WELL.replace("0.74", "1.1").split("method")[0], math.sqrt(low))]:
            result = self.stopped(text + "method energy-midpoint\nstep 0.001\nuntil 50\n")
            self.assertIn("curvature D", result["message"])
            self.assertAlmostEqual(result["final"]["q"]["q"], expected, delta=0.01)  # measured 4e-3

    def test_sombrero_potential(self):
        result = self.stopped("coord x, y\nlet s = x^2 + y^2\nL = (x'^2 + y'^2)/2 - (s^2 - s)/2\n"
                              "start x = 0.8, y = 0.1, x' = 0.05, y' = 0.3\n"
                              "method energy-midpoint\nstep 0.01\nuntil 10\n")
        self.assertIn("D has changed its sign", result["message"])
        self.assertAlmostEqual(result["time"], 2.1, delta=0.01)

    def test_quartic(self):
        """D touches zero at the centre: the step succeeds, and its size grows until the cap ends the run."""
        result = self.stopped("coord q\nL = q'^2/2 - q^4/4\nstart q = 1\nmethod energy-midpoint\n"
                              "step 0.1\nuntil 100\n")
        self.assertIn("exceed max_ratio", result["message"])
        self.assertGreater(result["step"]["max"], 2)

    def test_equilibria_and_free_motions(self):
        for model in ("L = q'^2/2 - (q^4 - q^2)/2\nstart q = 0", "L = q'^2/2 + cos(q)\nstart q = 0",
                      "L = q'^2/2 - 3\nstart q = 1", "L = q'^2/2 - 3\nstart q' = 1"):
            for guard in ("stop", "anchored"):
                result = self.stopped(f"coord q\n{model}\nmethod energy-midpoint guard = {guard}\n"
                                      "step 0.1\nuntil 1\n")
                self.assertIn("does not depend on the step", result["message"])
                self.assertEqual(result["steps"], 0)

    def test_step_that_shrinks(self):
        result = self.stopped(WELL, "--set", "q0=1e-9")
        self.assertIn("the step has shrunk from 0.1 to 0.001", result["message"])
        result = self.noether_json("run", example("pendulum_3d"), "--method", "lgvi-energy-onepass",
                                   "--step", "0.01", "--until", "500", exit_status=1)
        self.assertIn("the step has shrunk", result["message"])

    def test_guard_without_an_anchor(self):
        result = self.stopped(WELL, "--set", "q0=0.995", "--method",
                              "energy-midpoint guard=anchored threshold=1")
        self.assertEqual(result["steps"], 500)
        self.assertIn("kept the first step size in all 500 steps", result["message"])

    def test_invalid_step_sizes(self):
        self.write(WELL)
        for step in ("0", "-0.1"):
            done = self.noether("run", "model.noe", "--step", step)
            self.assert_rejected(done, "--step: the step must be positive")

    def test_lagrangian_without_a_hamiltonian(self):
        self.write("coord x, y\nL = x*y' - (x^2 + y^2)/2\nstart x = 1\nmethod energy-midpoint\n"
                   "step 0.1\nuntil 1\n")
        for kind in ("gonzalez", "equivariant", "avf", "itoh-abe"):
            done = self.noether("run", "model.noe", "--method", f"discrete-gradient kind={kind}")
            self.assert_rejected(done, "this Lagrangian is degenerate", "midpoint")
        done = self.noether("run", "model.noe")
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertNotEqual(done.stderr, "")


if __name__ == "__main__":
    unittest.main()
