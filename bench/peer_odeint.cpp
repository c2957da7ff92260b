// Boost.odeint: symplectic and classical steppers, and its controlled ones.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <boost/numeric/odeint.hpp>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "solver.h"

namespace odeint = boost::numeric::odeint;

namespace {

template <std::size_t N>
using numbers = std::conditional_t<N == 0, std::vector<double>, std::array<double, N == 0 ? 1 : N>>;

template <std::size_t N> void set_size(std::array<double, N> &, std::size_t) {}
void set_size(std::vector<double> &x, std::size_t size) { x.resize(size); }

// The forces in the forms that the steppers require; `evaluations` counts them.
struct forces {
    const problem *task;
    long *evaluations;

    void count() const { ++*evaluations; }

    // q'' = a(q), for velocity_verlet.
    template <class State> void operator()(const State &q, const State &v, State &a, double) const {
        count();
        task->acceleration(task->n, q.data(), v.data(), a.data());
    }
    // p' = a(q), for symplectic steppers, which assume q' = p.
    template <class State> void operator()(const State &q, State &a) const {
        count();
        task->acceleration(task->n, q.data(), q.data(), a.data());
    }
};

// y' = f(y) with y = (q, v).
struct slopes {
    const problem *task;
    long *evaluations;

    template <class State> void operator()(const State &y, State &f, double) const {
        ++*evaluations;
        std::copy(y.begin() + task->n, y.begin() + 2 * task->n, f.begin());
        task->acceleration(task->n, y.data(), y.data() + task->n, f.data() + task->n);
    }
};

struct integration {
    const problem *task;
    explicit integration(const problem *given) : task(given) {}
    virtual ~integration() = default;
    virtual void take(run *r) = 0;
};

// Steppers of pairs (q, v).
template <std::size_t N, template <class...> class Stepper> struct pairs : integration {
    using state = numbers<N>;
    using integration::integration;

    void take(run *r) override {
        state q, v;
        set_size(q, task->n);
        set_size(v, task->n);
        std::copy(task->q, task->q + task->n, q.begin());
        std::copy(task->v, task->v + task->n, v.begin());
        const forces system{task, &r->evaluations};
        Stepper<state> stepper;
        auto both = std::make_pair(std::ref(q), std::ref(v));
        for (long k = 0; k < r->steps; k++) stepper.do_step(system, both, k * r->step, r->step);
        std::copy(q.begin(), q.end(), r->q);
        std::copy(v.begin(), v.end(), r->v);
    }
};

// Steppers of y = (q, v); `Run` integrates one from 0 to the end.
template <std::size_t N, class Run> struct whole : integration {
    using integration::integration;

    void take(run *r) override {
        numbers<2 * N> y;
        const int n = task->n;
        set_size(y, 2 * n);
        std::copy(task->q, task->q + n, y.begin());
        std::copy(task->v, task->v + n, y.begin() + n);
        Run()(slopes{task, &r->evaluations}, y, r);
        std::copy(y.begin(), y.begin() + n, r->q);
        std::copy(y.begin() + n, y.end(), r->v);
    }
};

struct classical {
    template <class State> void operator()(slopes system, State &y, const run *r) const {
        odeint::runge_kutta4<State> stepper;
        for (long k = 0; k < r->steps; k++) stepper.do_step(system, y, k * r->step, r->step);
    }
};

struct fehlberg {
    template <class State> void operator()(slopes system, State &y, const run *r) const {
        auto stepper = odeint::make_controlled<odeint::runge_kutta_fehlberg78<State>>(r->tolerance,
                                                                                      r->tolerance);
        odeint::integrate_adaptive(stepper, system, y, 0.0, r->until, r->until * 1e-4);
    }
};

struct extrapolation {
    template <class State> void operator()(slopes system, State &y, const run *r) const {
        odeint::bulirsch_stoer<State> stepper(r->tolerance, r->tolerance);
        odeint::integrate_adaptive(stepper, system, y, 0.0, r->until, r->until * 1e-4);
    }
};

template <class State> using verlet = odeint::velocity_verlet<State>;
template <class State> using mclachlan = odeint::symplectic_rkn_sb3a_mclachlan<State>;

enum choice { VERLET, MCLACHLAN, CLASSICAL, FEHLBERG, EXTRAPOLATION };

template <std::size_t N> integration *make(choice which, const problem *task) {
    switch (which) {
    case VERLET: return new pairs<N, verlet>(task);
    case MCLACHLAN: return new pairs<N, mclachlan>(task);
    case CLASSICAL: return new whole<N, classical>(task);
    case FEHLBERG: return new whole<N, fehlberg>(task);
    default: return new whole<N, extrapolation>(task);
    }
}

// Array sizes known at compile time if a problem is small.
void *open(const solver *s, const problem *task, const run *) {
    const auto which = *static_cast<const choice *>(s->data);
    switch (task->n) {
    case 1: return make<1>(which, task);
    case 2: return make<2>(which, task);
    case 18: return make<18>(which, task);
    default: return make<0>(which, task);
    }
}

bool take(void *self, run *r) {
    r->evaluations = 0;
    try {
        static_cast<integration *>(self)->take(r);
    } catch (const std::exception &) {
        return false; // the step size underflows
    }
    return true;
}

void close(void *self) { delete static_cast<integration *>(self); }

const choice choices[] = {VERLET, MCLACHLAN, CLASSICAL, FEHLBERG, EXTRAPOLATION};

solver row(const char *method, choice which) {
    solver s{};
    s.package = "odeint";
    s.method = method;
    s.is_adaptive = which >= FEHLBERG;
    s.needs_separable = which <= MCLACHLAN;
    s.open = open;
    s.run = take;
    s.close = close;
    s.data = &choices[which];
    return s;
}

} // namespace

extern "C" const solver solver_odeint[] = {
    row("velocity_verlet", VERLET),       row("sb3a_mclachlan", MCLACHLAN),
    row("runge_kutta4", CLASSICAL),       row("fehlberg78", FEHLBERG),
    row("bulirsch_stoer", EXTRAPOLATION), solver{},
};
