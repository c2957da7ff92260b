"""SciPy's solve_ivp as a server of the benchmarks: integrates the problem and method given as
arguments; reads lines "tolerance until y...", answers "seconds evaluations y..." or "failed"."""
# SPDX-License-Identifier: MIT
import sys
import time
from math import cos, sin

import numpy
from scipy.integrate import solve_ivp

G = 2.95912208286e-4
GM = G * numpy.array([1.00000597682, 9.54786104043e-4, 2.85583733151e-4, 4.37273164546e-5,
                      5.17759138449e-5, 1 / 1.3e8])


def planets(_, y):
    x = y[:18].reshape(6, 3)
    d = x[None, :, :] - x[:, None, :]
    r2 = (d * d).sum(axis=2)
    numpy.fill_diagonal(r2, 1)
    a = ((GM / (r2 * numpy.sqrt(r2)))[:, :, None] * d).sum(axis=1)
    return numpy.concatenate((y[18:], a.ravel()))


def pendulum(_, y):
    q0, q1, v0, v1 = y
    s, c = sin(q0 - q1), 12 * cos(q0 - q1)
    w0 = -12 * v1 * v1 * s - 3 * 9.80665 * 2 * sin(q0)
    w1 = 12 * v0 * v0 * s - 2 * 9.80665 * 3 * sin(q1)
    inverse = 1 / (12 * 18 - c * c)
    return [v0, v1, (18 * w0 - c * w1) * inverse, (12 * w1 - c * w0) * inverse]


def main():
    slopes, method = {"planets": planets, "pendulum": pendulum}[sys.argv[1]], sys.argv[2]
    for line in sys.stdin:
        tolerance, until, *start = map(float, line.split())
        begin = time.thread_time()
        end = solve_ivp(slopes, (0, until), start, method=method, rtol=tolerance, atol=tolerance,
                        t_eval=[until])
        seconds = time.thread_time() - begin
        if end.success:
            print(seconds, end.nfev, *end.y[:, -1], flush=True)
        else:
            print("failed", flush=True)


main()
