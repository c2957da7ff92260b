"""Every file in examples/ runs unchanged and conserves the quantities that its comment names."""
# SPDX-License-Identifier: MIT
import cmath
import csv
import glob
import json
import math
import os
import shutil
import subprocess
import tempfile
import unittest

NOETHER = os.environ["NOETHER"]
SOURCE = os.environ.get("NOETHER_SOURCE", os.path.join(os.path.dirname(__file__), ".."))
EXAMPLES = sorted(glob.glob(os.path.join(SOURCE, "examples", "*.noe")))


def run(name, *options):
    path = os.path.join(SOURCE, "examples", name + ".noe")
    done = subprocess.run([NOETHER, "run", path, "--json", *options], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{name}: exit status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


class EveryExample(unittest.TestCase):
    def test_runs_unaltered(self):
        self.assertGreater(len(EXAMPLES), 10)
        for path in EXAMPLES:
            name = os.path.basename(path)[:-4]
            with self.subTest(example=name):
                result = run(name)
                self.assertEqual(result["status"], "ok")
                self.assertGreater(result["steps"], 0)

    def test_begins_with_a_comment(self):
        for path in EXAMPLES:
            with self.subTest(example=path), open(path, encoding="utf-8") as file:
                self.assertTrue(file.readline().startswith("# "))

    def test_figure_eight_closes(self):
        result = run("figure_eight")
        for start, final in zip(result["start"]["q"]["x"], result["final"]["q"]["x"]):
            for a, b in zip(start, final):
                self.assertAlmostEqual(a, b, delta=2.6e-7)  # measured 1.3e-7

    def test_energy_adaptive_steps_conserve_the_discrete_energy(self):
        for name, least, most in [("double_well_adaptive", 0.1, 0.42895),
                                  ("forced_oscillator", 0.00697, 0.02054),
                                  ("damped_oscillator_adaptive", 0.01, 0.022035),
                                  ("double_well_barrier", 0.0926, 0.1518),
                                  ("duffing_damped", 0.05, 0.0753)]:
            with self.subTest(example=name):
                result = run(name)
                self.assertLess(result["discrete_energy"]["max_error"], 1e-15)  # measured 6.7e-16
                self.assertAlmostEqual(result["step"]["min"], least, delta=2e-4 * least + 1e-5)
                self.assertAlmostEqual(result["step"]["max"], most, delta=1e-3 * most)

    def test_bicycle_has_the_published_rates(self):
        """Meijaard et al. (2007), 5 m/s: a linear recurrence with the published eigenvalues cancels small motions."""
        rates = [complex(-0.77534188219585, 4.46486771378823),
                 complex(-0.77534188219585, -4.46486771378823), -0.322866429004087,
                 -14.0783896927982]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bicycle.csv")
            result = run("bicycle", "--set", "push=1e-4", "--step", "0.005", "--until", "3", "-o", path)
            with open(path, encoding="utf-8") as file:
                rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        self.assertLess(result["constraints"]["position_max"], 1e-15)  # measured 4.4e-16
        self.assertLess(result["constraints"]["velocity_max"], 1e-14)  # measured 5e-15
        stride, factors = 20, [1]
        for rate in rates:
            root = cmath.exp(0.005 * stride * rate)
            factors = [a - b * root for a, b in zip(factors + [0], [0] + factors)]
        for name in "lean", "steering":
            values = [float(row[name]) for row in rows]
            left = max(abs(sum(f.real * values[k + stride * (4 - i)] for i, f in enumerate(factors)))
                       for k in range(len(values) - 4 * stride))
            with self.subTest(quantity=name):
                self.assertLess(left, 6.5e-9 * max(map(abs, values)))  # measured 3.2e-9

    def test_aeroelastic_section_ends_in_its_limit_cycle(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cycle.csv")
            run("aeroelastic_section", "--until", "24", "--step", "0.002", "-o", path)
            with open(path, encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
        late = [(float(row["t"]), float(row["alpha"])) for row in rows[len(rows) // 2:]]
        pitch = [alpha for _, alpha in late]
        self.assertAlmostEqual(min(pitch), -0.062456, delta=3e-5)
        self.assertAlmostEqual(max(pitch), 0.071253, delta=3e-5)
        zeros = [t0 - a0 * (t1 - t0) / (a1 - a0)
                 for (t0, a0), (t1, a1) in zip(late, late[1:]) if a0 < 0 <= a1]
        period = (zeros[-1] - zeros[0]) / (len(zeros) - 1)
        self.assertAlmostEqual(period, 0.377902, delta=2e-6)  # measured 3e-7

    def test_pleiades_end_as_published(self):
        published = [0.3706139143970502, -3.943437585517392]
        for a, b in zip(run("pleiades")["final"]["q"]["x"][0], published):
            self.assertAlmostEqual(a, b, delta=7e-13)  # measured 3.4e-13

    def test_solar_system_keeps_energy_in_its_band(self):
        energy = run("outer_solar_system")["energy"]
        self.assertLess(energy["max_error"] / abs(energy["start"]), 1.1e-13)  # measured 5.3e-14

    def test_symmetries_keep_their_momenta(self):
        for name, bound in [("kepler", 1e-15), ("figure_eight", 5e-16), ("toda_lattice", 2e-15),
                            ("point_vortices", 1.7e-13), ("pleiades", 6e-14)]:
            for invariant, value in run(name)["invariants"].items():
                with self.subTest(example=name, invariant=invariant):
                    errors = value["max_error"]
                    errors = errors if isinstance(errors, list) else [errors]
                    self.assertLess(max(errors), bound)

    def test_bodies_keep_their_momenta(self):
        for name, bound in [("free_rigid_body", 3e-15), ("dzhanibekov", 8e-15), ("heavy_top", 3e-14),
                            ("pendulum_3d", 7e-16), ("underwater_vehicle", 6e-13),
                            ("kirchhoff_vehicle", 3e-12), ("spacecraft_rotor", 4e-15),
                            ("two_asteroids", 4e-16), ("rigid_molecules", 4e-14)]:
            result = run(name)
            self.assertLess(result["group_error_max"], 1.4e-15)  # measured 6.7e-16
            for invariant, value in result["invariants"].items():
                with self.subTest(example=name, invariant=invariant):
                    self.assertLess(value["max_error"], bound)  # twice what was measured

    def test_bodies_in_quadruple_precision(self):
        result = run("two_asteroids", "--precision", "quad", "--steps", "20")
        self.assertLess(result["group_error_max"], 8e-34)  # measured 3.9e-34
        for value in result["invariants"].values():
            self.assertLess(value["max_error"], 2e-34)  # measured 9.6e-35

    def test_free_body_keeps_its_energy(self):
        self.assertLess(run("free_rigid_body")["energy"]["max_error"], 2.7e-15)  # measured 1.3e-15

    def test_fast_top_ends_as_published(self):
        published = [-0.150416822746, -0.724165591637, -0.673022269560]
        for a, b in zip(run("heavy_top_fast")["observe"]["centre"], published):
            self.assertAlmostEqual(a, b, delta=1e-12)  # measured 4.6e-13

    def test_pendulum_energy_as_in_the_thesis(self):
        hanging = run("pendulum_3d")["energy"]
        upside_down = run("pendulum_3d", "--set", "R0=diag(-1, 1, -1)")["energy"]
        self.assertAlmostEqual(hanging["mean_error"], 3.2e-7, delta=5e-9)
        self.assertAlmostEqual(upside_down["mean_error"], 1.54e-5, delta=5e-8)

    def test_pendulum_stops_at_a_quarter_of_its_period(self):
        a, b = 1, math.cos(math.radians(85))  # K(k) = pi/2/agm(1, sqrt(1 - k^2))
        for _ in range(10):
            a, b = (a + b)/2, math.sqrt(a*b)
        result = run("pendulum_period")
        self.assertAlmostEqual(result["time"], math.pi/2/a/math.sqrt(9.81), delta=1.8e-15)  # 8.9e-16
        self.assertEqual(result["stopped"]["by"], "angle = 0")

    def test_damped_oscillator_meets_the_exact_solution(self):
        self.assertLess(abs(run("damped_oscillator")["observe"]["error"]), 3.5e-7)  # measured 1.7e-7

    def test_moved_cart_as_published(self):
        for parts, alpha, force in [(100, -0.4293021841127312, 12.18805981357213),
                                    (200, -0.4279745780362218, 12.91166306310217)]:
            result = run("cart_pendulum_moved", "--step", f"T/{parts}")
            self.assertAlmostEqual(result["final"]["q"]["alpha"], alpha, delta=1e-12)
            self.assertAlmostEqual(result["final"]["multipliers"][0], force, delta=1e-10)
            self.assertAlmostEqual(result["observe"]["force_on_cart"], -force, delta=1e-10)
            self.assertLess(result["constraints"]["position_max"], 1e-17)  # measured 3.5e-18

    def test_squeezer_as_published(self):
        """Reference values at 0.03 s: Mazzia and Magherini, test set for IVP solvers, 2008."""
        published = {"beta": 15.81077119629904, "theta": -15.75637105984298,
                     "gamma": 0.04082224013073101, "phi": -0.5347301163226948,
                     "delta": 0.5244099658805304, "omega": 0.5347301163226948,
                     "epsilon": 1.048080741042263}
        for step, bound in [("1e-4", 1.9e-6), ("2e-4", 3e-5)]:  # measured 9.2e-7, 1.5e-5: order 4
            result = run("andrews_squeezer", "--step", step)
            for name, angle in published.items():
                self.assertAlmostEqual(result["final"]["q"][name], angle, delta=bound)
            self.assertLess(result["constraints"]["position_max"], 3e-16)

    def test_known_solutions(self):
        for name, quantity, bound in [("knife_edge", "error", 4.1e-7), ("rolling_disk", "circle", 1.1e-10),
                                      ("ball_on_turntable", "circle", 6e-12)]:
            with self.subTest(example=name):
                self.assertLess(abs(run(name)["observe"][quantity]), bound)  # twice what was measured

    def test_sleigh_and_suslov_against_independent_values(self):
        q = run("chaplygin_sleigh", "--until", "2")["final"]["q"]
        for name, value in [("x", .5288489974502074), ("y", 1.237490563367496), ("phi", 1.656726061355187)]:
            self.assertAlmostEqual(q[name], value, delta=4e-8)
        p = run("suslov", "--until", "2")["final"]["p"]["R"]
        for a, b in zip(p, [2.239884268079060, -.8511038117749809, .3628664724383139]):
            self.assertAlmostEqual(a, b, delta=3e-6)

    def test_sleigh_ends_straight_ahead(self):
        result = run("chaplygin_sleigh")
        speed = math.sqrt(2*result["energy"]["start"])  # m = 1: all energy in the direction of the skate
        self.assertAlmostEqual(result["observe"]["speed"], speed, delta=1e-8)

    def test_constraints_hold(self):
        """Energy in a band and constraints at round-off: bounds are twice the measured values."""
        for name, energy, position, velocity in [
                ("double_spherical_pendulum", 2e-5, 1.3e-15, 1e-14), ("slider_crank", 1.2e-9, 1.5e-15, 2e-14),
                ("rod_chain", 2.5e-4, 6e-16, 1.2e-14), ("four_bar", 6.1e-7, 6.5e-15, 1.7e-13), ("nonholonomic_particle", 8.5e-8, 0, 2.3e-16),
                ("knife_edge", 1.3e-7, 0, 1.4e-14), ("rolling_disk", 1.1e-9, 0, 5.3e-15),
                ("falling_disk", 1.5e-13, 0, 7e-16), ("chaplygin_sleigh", 4.4e-9, 0, 1.8e-15),
                ("suslov", 4.2e-7, 0, 3.4e-16), ("chaplygin_ball", 5.5e-9, 0, 9e-16),
                ("heavy_top_dae", 2.7e-9, 9e-16, 4.3e-15)]:
            with self.subTest(example=name):
                result = run(name)
                self.assertLess(result["energy"]["max_error"], energy)
                self.assertLessEqual(result["constraints"]["position_max"], position)
                self.assertLess(result["constraints"]["velocity_max"], velocity)

    def test_constraints_keep_momenta(self):
        for name, bound in [("double_spherical_pendulum", 2.3e-15), ("chaplygin_ball", 2.3e-16),
                            ("heavy_top_dae", 1.6e-15), ("falling_disk", 1.2e-12)]:
            for invariant, value in run(name)["invariants"].items():
                with self.subTest(example=name, invariant=invariant):
                    self.assertLess(value["max_error"], bound)

    def test_top_with_a_constraint_is_the_top(self):
        free = run("heavy_top", "--until", "2", "--step", "1e-3", "--method", "gauss stages=4")["final"]
        held = run("heavy_top_dae", "--step", "1e-3", "--method", "lobatto stages=4")["final"]
        for row, other in zip(free["q"]["R"], held["q"]["R"]):
            for a, b in zip(row, other):
                self.assertAlmostEqual(a, b, delta=1e-12)

    def test_circuit_as_published(self):
        result = run("lcr_circuit")
        for a, b in zip(result["final"]["q"]["q"], [-0.05556462128334356, 0.03698876384720993]):
            self.assertAlmostEqual(a, b, delta=1e-14)

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_work_and_precision_of_the_free_body(self):
        """The orders that docs/choosing_a_method.md states, from the script that draws its picture."""
        script = os.path.join(SOURCE, "examples", "work_precision.sh")
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "work.png")
            done = subprocess.run([script, picture, "--json", "--steps", "0.00625,0.003125"],
                                  env=dict(os.environ, NOETHER=NOETHER), capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertGreater(os.path.getsize(picture), 0)
        rows = json.loads(done.stdout)["rows"]
        self.assertEqual(len(rows), 36)
        for coarse, fine in zip(rows[::2], rows[1::2]):
            name = fine["method"]
            is_first = name == "kr" or name.endswith("thesis")
            order = 1 if is_first else 4 if name in ("rk4", "gauss stages=2") else 2
            with self.subTest(method=name):
                observed = math.log2(coarse["error"] / fine["error"])
                self.assertAlmostEqual(observed, order, delta=0.06)  # measured 0.03

    @unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
    def test_pictures_of_scripts(self):
        """Every picture that the scripts draw: of steps, constraints and condition numbers."""
        build = os.environ["NOETHER_BUILD"]
        with tempfile.TemporaryDirectory() as folder:
            for script, *arguments in [
                    ("energy_pictures.sh", folder), ("constraint_pictures.sh", folder),
                    ("condition.sh", os.path.join(build, "tests", "example-condition"),
                     os.path.join(folder, "condition.png"))]:
                done = subprocess.run([os.path.join(SOURCE, "examples", script), *arguments],
                                      env=dict(os.environ, NOETHER=NOETHER), capture_output=True,
                                      text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
            sizes = [os.path.getsize(path) for path in glob.glob(os.path.join(folder, "*.png"))]
        self.assertEqual(len(sizes), 41)
        self.assertGreater(min(sizes), 10000)


if __name__ == "__main__":
    unittest.main()
