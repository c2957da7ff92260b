// The public interface from C++: every public header is included, and the Kepler problem is run with
// a system of callbacks.
// SPDX-License-Identifier: MIT
#include <noether.h>
#include <noether_compat.h>
#include <noether_ensemble.h>
#include <noether_model.h>
#include <noether_optimise.h>
#include <noether_system.h>

#include <cmath>
#include <cstdio>

static double lagrangian(const noe_system *, double, const double *q, const double *v) {
    return (v[0] * v[0] + v[1] * v[1]) / 2 + 1 / std::hypot(q[0], q[1]);
}

static void first(const noe_system *, double, const double *q, const double *v, double *p,
                  double *w) {
    const double r = std::hypot(q[0], q[1]);
    for (int i = 0; i < 2; i++) {
        p[i] = v[i];
        w[i] = -q[i] / (r * r * r);
    }
}

static void second(const noe_system *system, double t, const double *q, const double *v, double *p,
                   double *w, double *d) {
    const double r2 = q[0] * q[0] + q[1] * q[1], c = -1 / (r2 * std::sqrt(r2));
    first(system, t, q, v, p, w);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            d[2 * i + j] = i == j;
            d[12 + 2 * i + j] = c * ((i == j) - 3 * q[i] * q[j] / r2);
        }
}

// The largest deviation of the energy over 10000 steps, NaN on failure.
static double revolve(const noe_problem &problem, noe_error &error) {
    const double q[2] = {0.4, 0}, v[2] = {0, 2};
    noe_work *work = nullptr;
    noe_monitor *monitor = nullptr;
    double deviation = NAN;
    if (noe_work_create(&work, &problem, &error) == NOE_OK &&
        noe_work_start(work, 0, q, v, &error) == NOE_OK &&
        noe_monitor_create(&monitor, work, &error) == NOE_OK &&
        noe_work_steps_monitored(work, 10000, monitor, &error) == NOE_OK)
        deviation = noe_monitor_get(monitor, "energy_max");
    noe_monitor_free(monitor);
    noe_work_free(work);
    return deviation;
}

int main() {
    noe_system kepler = {};
    kepler.name = "Kepler";
    kepler.n = 2;
    kepler.nz = 4;
    kepler.traits =
        NOE_QUADRATIC | NOE_CONSTANT_MASS | NOE_SEPARABLE | NOE_AUTONOMOUS | NOE_UNFORCED;
    kepler.lagrangian = lagrangian;
    kepler.first = first;
    kepler.second = second;
    noe_problem problem;
    noe_error error = {};
    if (noe_problem_init(&problem, &kepler, "gauss stages=3", 0.03, &error) != NOE_OK) {
        std::fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const double deviation = revolve(problem, error);
    noe_problem_clear(&problem);
    std::printf("energy within %.1e\n", deviation);
    return deviation < 1e-6 ? 0 : 1;
}
