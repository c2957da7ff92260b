/* Many runs in SIMD lanes: the spread of a double pendulum's tip from starts that are close. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <noether_ensemble.h>
#include <stdio.h>

enum { MEMBERS = 64, LANES_MAX = 64 };

static const char text[] = "param g = 9.81\n"
                           "coord a, b\n"
                           "L = a'^2 + b'^2/2 + a'*b'*cos(a - b) + g*(2*cos(a) + cos(b))\n"
                           "start a = 2, b = 2.5\n"
                           "observe tip = [sin(a) + sin(b), -cos(a) - cos(b)]\n";

static int failed(const struct noe_error *error) {
    fprintf(stderr, "%s\n", error->text);
    return 1;
}

/* Starts `count` members, beginning with member `first`, a microradian apart. */
static enum noe_status start(struct noe_batch *batch, const struct noe_model *model, int first,
                             int count, struct noe_error *error) {
    double q[LANES_MAX][2];
    struct noe_member members[LANES_MAX];
    for (int i = 0; i < count; i++) {
        q[i][0] = model->q[0] + 1e-6 * (first + i);
        q[i][1] = model->q[1];
        members[i] = (struct noe_member){.q = q[i], .v = model->v};
    }
    return noe_batch_start(batch, count, members, error);
}

int main(void) {
    struct noe_error error;
    struct noe_model *model = NULL;
    struct noe_problem problem;
    struct noe_batch *batch = NULL;
    if (noe_model_open_text(&model, "pendulum", text, NULL, &error) != NOE_OK ||
        noe_problem_init(&problem, model->system, "midpoint", 0.005, &error) != NOE_OK ||
        noe_batch_create(&batch, &problem, model, NULL, &error) != NOE_OK)
        return failed(&error);
    const int lanes = noe_batch_lanes(batch) < LANES_MAX ? noe_batch_lanes(batch) : LANES_MAX;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int first = 0; first < MEMBERS; first += lanes) {
        const int count = first + lanes < MEMBERS ? lanes : MEMBERS - first;
        if (start(batch, model, first, count, &error) != NOE_OK) return failed(&error);
        noe_batch_steps(batch, 2000);
        noe_batch_observe(batch);
        for (int lane = 0; lane < count; lane++) {
            struct noe_lane now;
            noe_batch_lane(batch, lane, &now);
            if (now.status != NOE_OK) continue;
            low = fmin(low, now.values[0]);
            high = fmax(high, now.values[0]);
        }
    }
    printf("%s\nafter 10 s the tips of %d pendulums lie between x = %.4f and x = %.4f\n",
           noe_batch_text(batch), MEMBERS, low, high);
    noe_batch_free(batch);
    noe_problem_clear(&problem);
    noe_model_free(model);
    return 0;
}
