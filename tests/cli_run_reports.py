"""noether run and check: reports say what their numbers leave out."""
# SPDX-License-Identifier: MIT
import math
import unittest

from command import CommandTest


class Honesty(CommandTest):
    """Statements that the numbers carry."""

    SPRING = "coord q\nL = q'^2/2 - q^2/2\nstart q = 1\nmethod dopri5\nstep 0.1\nuntil 10.05\n"
    BODY = """param J = diag(1, 2.8, 2)
rotation R, W
L = dot(W, J*W)/2 - R[3][3]*9
start W = [0.5, -0.5, 0.4]
method lgvi-energy guard=anchored
step 0.01
until 4
"""

    def test_a_run_warns_of_random_values(self):
        for line, word in (("random q = normal(1, 0.2)\n", "random values"), ("vary q = 0 .. 1, 5\n", "varies")):
            self.write(self.SPRING.replace("start q = 1\n", line))
            done = self.noether("run", "model.noe")
            self.assertEqual(done.returncode, 0)
            self.assertIn(word, done.stderr)
            self.assertIn("noether ensemble", done.stderr)
            self.assertIn(word, self.noether_json("run", "model.noe", "--quiet")["warnings"][0])
        self.write(self.SPRING)
        self.assertEqual(self.noether("run", "model.noe").stderr, "")
        self.assertNotIn("warnings", self.noether_json("run", "model.noe"))

    def test_an_adaptive_run_ends_at_the_end(self):
        self.write(self.SPRING)
        for until in ("10.05", "0.01", "1", "3.3"):
            said = self.noether_json("run", "model.noe", "--until", until)
            self.assertLess(abs(said["time"] - float(until)), 4e-15)
            self.assertLess(abs(said["final"]["q"]["q"] - math.cos(float(until))), 1e-5)
        self.write(self.SPRING + "stop when q - 5 = 0\n")
        self.assertLess(abs(self.noether_json("run", "model.noe")["time"] - 10.05), 4e-15)
        self.write(self.BODY)
        self.assertGreater(self.noether_json("run", "model.noe")["time"], 4)
        self.assertIn("ends beyond 4: its size follows", self.noether("run", "model.noe").stdout)

    def test_a_shortened_last_step_is_not_resumed(self):
        self.write(self.SPRING)
        whole = self.noether_json("run", "model.noe", "--until", "20")
        self.noether("run", "model.noe", "--checkpoint", "state", "--quiet")
        resumed = self.noether_json("run", "model.noe", "--until", "20", "--resume", "state")
        self.assertEqual(resumed["final"], whole["final"])
        self.assertEqual(resumed["steps"], whole["steps"])

    def test_steps_that_do_not_keep_the_energy_are_counted(self):
        self.write(self.BODY)
        said = self.noether_json("run", "model.noe")["discrete_energy"]
        self.assertGreater(said["fixed_steps"], 10)
        self.assertGreater(said["fixed_steps_max_error"], 1e6*said["max_error"])
        text = self.noether("run", "model.noe").stdout
        self.assertRegex(text, r"of first-size steps +[0-9.]+e-0")
        self.assertRegex(text, r"\n +[0-9]+ of [0-9]+ steps were taken with the first size")

    def test_no_deviation_relative_to_zero(self):
        self.write("param e = 1e-17\ncoord q\nL = q'^2/2 - (q^4 - q^2)/2\nstart q = 1 + e, q' = e\n"
                   "method midpoint\nstep 0.1\nuntil 10\n")
        self.assertNotIn("relative", self.noether("run", "model.noe").stdout)
        self.write(self.SPRING)
        self.assertIn("relative", self.noether("run", "model.noe").stdout)

    def test_no_infinite_mean_and_no_signed_nan(self):
        self.write("coord q\nL = q'^2/2 - exp(q^2)\nstart q = 1, q' = 40\nmethod midpoint\nstep 5\nuntil 50\n")
        for text in (self.noether("run", "model.noe").stdout, self.noether("run", "model.noe", "--json").stdout):
            self.assertNotIn("inf iterations", text)
            self.assertNotIn("-nan", text)

    def test_speed_is_that_of_the_steps(self):
        """Condition numbers, which --json measures, take many times the time of a step."""
        self.write("param N = 60\ncoord q[N]\nL = sum(i = 1..N, q[i]'^2/2*(2 + cos(q[i])) + cos(q[i]))\n"
                   "start q[1] = 1\nmethod midpoint\nstep 0.05\nuntil 15\n")
        said = self.noether_json("run", "model.noe", "--generic")
        self.assertGreater(said["steps_per_second"], 1.5*said["steps"]/said["wall_seconds"])


class Sample(CommandTest):
    def test_derivatives_of_a_large_system_are_sampled(self):
        text = ("param N = 40\ncoord q[N]\nL = sum(i = 1..N, q[i]'^2/2 + cos(q[i])) - sum(i = 2..N, (q[i] - q[i-1])^2/2)\n"
                "start q[1] = 1\nmethod verlet\nstep 0.05\nuntil 1\n")
        for count, compared in ((40, 40), (3000, 64)):
            self.write(text.replace("N = 40", f"N = {count}"))
            said = self.noether_json("check", "model.noe")["derivatives"]
            self.assertEqual(said["coordinates"], compared)
            self.assertLess(said["gradient_error"], 1e-8)
            self.assertLess(said["hessian_error"], 1e-8)
            done = self.noether("check", "model.noe").stdout
            self.assertEqual("by a sample of 64 of 3000 coordinates" in done, count == 3000)


if __name__ == "__main__":
    unittest.main()
