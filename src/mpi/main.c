/* noether-mpi: the command run by several MPI processes that share the members of an ensemble. */
/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/ensemble.h"
#include "mpi/parallel_writers.h"

static struct ensemble_ranks ranks;

/* Range of members that one process integrates. */
struct range {
    long first, count;
};

static struct range members_of(const struct ensemble_settings *settings, int part) {
    const long blocks = (settings->members + ENSEMBLE_BLOCK - 1) / ENSEMBLE_BLOCK;
    const long size = (blocks + ENSEMBLE_PARTS - 1) / ENSEMBLE_PARTS * ENSEMBLE_BLOCK;
    struct range range = {part * size, size};
    if (range.first > settings->members) range.first = settings->members;
    if (range.first + range.count > settings->members)
        range.count = settings->members - range.first;
    return range;
}

/* Sends `bytes` from their owner to the first process, at the same address offset. */
static void send_to_first(void *data, size_t bytes, int owner, int tag) {
    enum { MESSAGE_MAX = 1 << 30 }; /* an MPI message counts its bytes by an int */
    if (owner == 0) return;
    for (char *at = data; bytes > 0;) {
        const int count = bytes < MESSAGE_MAX ? (int)bytes : MESSAGE_MAX;
        if (ranks.rank == owner)
            MPI_Send(at, count, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
        else if (ranks.rank == 0)
            MPI_Recv(at, count, MPI_BYTE, owner, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        at += count;
        bytes -= (size_t)count;
    }
}

static void gather_part(struct ensemble *ensemble, const struct ensemble_settings *settings,
                        int part) {
    const int owner = part % ranks.size;
    const long all = ensemble->nsamples * ensemble->nnumbers;
    const struct range range = members_of(settings, part);
    send_to_first(ensemble->part + part * all, (size_t)all * sizeof *ensemble->part, owner, part);
    for (long j = 0; ensemble->is_exact && j < all; j++)
        send_to_first(ensemble->value + j * settings->members + range.first,
                      (size_t)range.count * sizeof(real), owner, part);
    const long size = ensemble_end_size(settings->problem);
    if (ensemble->final)
        send_to_first(ensemble->final + range.first * size,
                      (size_t)(range.count * size) * sizeof(real), owner, part);
}

static void gather_failures(struct ensemble *ensemble) {
    for (int owner = 1; owner < ranks.size; owner++) {
        long all = ensemble->nfailed, listed = ensemble_listed(ensemble);
        send_to_first(&all, sizeof all, owner, ENSEMBLE_PARTS);
        send_to_first(&listed, sizeof listed, owner, ENSEMBLE_PARTS);
        if (ranks.rank == owner)
            send_to_first(ensemble->failure, (size_t)listed * sizeof *ensemble->failure, owner,
                          ENSEMBLE_PARTS);
        if (ranks.rank != 0) continue;
        struct ensemble_failure *more = calloc((size_t)listed + 1, sizeof *more);
        if (!more) MPI_Abort(MPI_COMM_WORLD, CLI_ENVIRONMENT);
        send_to_first(more, (size_t)listed * sizeof *more, owner, ENSEMBLE_PARTS);
        ensemble_add_failures(ensemble, listed, more);
        ensemble->nfailed += all - listed; /* failures that were counted but not listed */
        free(more);
    }
}

static void gather(struct ensemble *ensemble, const struct ensemble_settings *settings) {
    for (int part = 0; part < ENSEMBLE_PARTS; part++) gather_part(ensemble, settings, part);
    gather_failures(ensemble);
    for (long j = 0; !ensemble->is_exact && j < ensemble->nsamples * ensemble->nnumbers; j++) {
        unsigned *bin = ensemble->bin + j * STATISTIC_BINS;
        MPI_Reduce(ranks.rank ? bin : MPI_IN_PLACE, bin, STATISTIC_BINS, MPI_UNSIGNED, MPI_SUM, 0,
                   MPI_COMM_WORLD);
    }
    double seconds = ensemble->seconds;
    MPI_Reduce(&seconds, &ensemble->seconds, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
}

static int standard_error = -1; /* copy of the descriptor of standard error */
static bool has_begun;          /* from now on a failure concerns a single process */

/* Silences all processes but the first, whose report stands for all. */
static void silence_output(void) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    standard_error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
}

static int agree(int exit) {
    MPI_Allreduce(MPI_IN_PLACE, &exit, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (ranks.rank > 0) dup2(standard_error, STDERR_FILENO);
    has_begun = exit == CLI_DONE && ranks.size > 1;
    return exit;
}

/* mpirun ends all processes when one of them has died, so the handler reports the reason. */
static void report_termination(int number) {
    static const char message[] =
        "noether-mpi: another process of the ensemble has died, or mpirun was "
        "asked to stop; nothing was written\n";
    (void)number;
    if (parallel_writers_temporary) unlink(parallel_writers_temporary);
    if (ranks.rank == 0 && write(STDERR_FILENO, message, sizeof message - 1) < 0)
        _exit(CLI_NUMERICS);
    _exit(CLI_ENVIRONMENT);
}

/* Distributes the members of an ensemble over all processes. */
static void share_ensemble(void) {
    ranks.agree = agree;
    ranks.gather = gather;
    if (ranks.rank > 0) silence_output();
    if (ranks.size == 1) return;
    ranks.writers = writers_of(ranks.rank);
    signal(SIGTERM, report_termination);
}

/* A process that fails aborts all others, so that none waits for a message forever. */
int main(int argc, char **argv) {
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &(int){0});
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks.size);
    int exit = CLI_DONE;
    const bool is_ensemble = argc > 1 && strcmp(argv[1], "ensemble") == 0;
    if (is_ensemble || ranks.rank == 0) {
        if (is_ensemble)
            share_ensemble();
        else
            ranks = *cli_ranks; /* other subcommands run in the first process only */
        ranks.words = writers_of(ranks.rank)
                          ? "all processes write the HDF5 file of final states together"
                          : "the first process writes all files";
        cli_ranks = &ranks;
        exit = cli_main(argc, argv);
    }
    if (exit != CLI_DONE && has_begun) MPI_Abort(MPI_COMM_WORLD, exit);
    MPI_Finalize();
    return exit;
}
