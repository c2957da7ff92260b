/* SciPy: a Python process that serves one problem and method until the program ends. */
/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "solver.h"

enum { SERVERS_MAX = 8 };

struct server {
    const struct problem *problem;
    const char *method;
    FILE *question, *answer;
};
static struct server servers[SERVERS_MAX];

static void become_server(const int *in, const int *out, const struct server *server) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    close(in[1]);
    close(out[0]);
    execl(BENCH_PYTHON, "python3", "-W", "ignore", BENCH_SCIPY, server->problem->name,
          server->method, NULL);
    _exit(1);
}

static bool start_server(struct server *server) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) return false;
    const pid_t child = fork();
    if (child == 0) become_server(in, out, server);
    close(in[0]);
    close(out[1]);
    server->question = fdopen(in[1], "w");
    server->answer = fdopen(out[0], "r");
    return child > 0 && server->question && server->answer;
}

static void *scipy_open(const struct solver *solver, const struct problem *problem,
                        const struct run *run) {
    (void)run;
    for (int i = 0; i < SERVERS_MAX; i++) {
        struct server *server = &servers[i];
        if (server->problem == problem && server->method == solver->data) return server;
        if (server->problem) continue;
        server->problem = problem;
        server->method = solver->data;
        return start_server(server) ? server : NULL;
    }
    return NULL;
}

static bool scipy_run(void *self, struct run *run) {
    const struct server *server = self;
    const int n = server->problem->n;
    fprintf(server->question, "%.17g %.17g", run->tolerance, run->until);
    for (int i = 0; i < n; i++) fprintf(server->question, " %.17g", server->problem->q[i]);
    for (int i = 0; i < n; i++) fprintf(server->question, " %.17g", server->problem->v[i]);
    fprintf(server->question, "\n");
    if (fflush(server->question) != 0) return false;
    if (fscanf(server->answer, "%lf %ld", &run->seconds, &run->evaluations) != 2) {
        if (fscanf(server->answer, "%*s") < 0) run->seconds = 0;
        return false;
    }
    bool is_done = true;
    for (int i = 0; i < n; i++) is_done &= fscanf(server->answer, "%lf", &run->q[i]) == 1;
    for (int i = 0; i < n; i++) is_done &= fscanf(server->answer, "%lf", &run->v[i]) == 1;
    return is_done;
}

/* The process serves further requests and ends at the end of its input. */
static void scipy_close(void *self) { (void)self; }

#define ROW(name)                                                                                  \
    {                                                                                              \
        .package = "scipy", .method = name, .is_adaptive = true, .open = scipy_open,               \
        .run = scipy_run, .close = scipy_close, .data = name,                                      \
    }

const struct solver solver_scipy[] = {ROW("DOP853"), ROW("LSODA"), {0}};
