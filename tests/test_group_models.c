/* Models on rotations and poses: derivatives along g exp(e s), traits, starts, notices. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model_text.h"
#include "noether_ensemble.h"
#include "study/trajectory_columns.h"
#include "study/verify/derivative_check.h"

#define HEAVY_TOP                                                                                  \
    "param J = diag(15.234375, 0.46875, 15.234375), m = 15, X = [0, 1, 0], g = 9.81\n"             \
    "rotation R, W\n"                                                                              \
    "L = dot(W, J*W)/2 - m*g*dot(e3, R*X)\n"                                                       \
    "start R = expm([0.3, -0.5, 0.8]), W = [0.4, 1.5, -0.7]\n"                                     \
    "invariant vertical = dot(e3, R*J*W)\n"

/* A body whose potential couples rotation and position, with a force in the body frame. */
#define BODY                                                                                       \
    "param J = [[2, 0.1, 0.2], [0.1, 3, -0.3], [0.2, -0.3, 4]], M = diag(5, 6, 7), "               \
    "D = [[0.1, 0.4, 0], [0, 0.2, 0.3], [-0.2, 0, 0.5]], a = [0.3, -0.2, 0.5]\n"                   \
    "pose R, x, W, V\n"                                                                            \
    "let s = x + R*a\n"                                                                            \
    "L = dot(W, J*W)/2 + dot(V, M*V)/2 + dot(W, D*V) - 3/norm(s - [2, 1, 4])\n"                    \
    "  - dot(x, x)*R[1][2]/2 + sin(x[2])*dot(R*W, e1)\n"                                           \
    "force R = -0.1*W + cross(a, transpose(R)*x), x = -0.2*norm(V)*V + R[3]*t\n"                   \
    "start R = expm([-0.4, 0.9, 0.2]), x = [0.5, -0.3, 0.2], W = [1, -0.5, 0.3], V = [0.2, 1, "    \
    "-1]\n"

/* SO(3) x R^2: the mass matrix depends on both. */
#define CARRIER                                                                                    \
    "param J = diag(2, 3, 4)\n"                                                                    \
    "coord a\nrotation R, W\ncoord b\n"                                                            \
    "L = dot(W, J*W)/2*(1 + sin(a)^2/4) + (2 + R[1][1]*cos(b))/2*(a'^2 + b'^2)\n"                  \
    "  + a'*dot(W, [R[3][1], cos(b), 0.5])/3 + b'*W[2]*sin(a) - R[2][3]*cos(a - b)\n"              \
    "force a = -0.1*a'*W[1], R = [0, b, a']\n"                                                     \
    "start R = expm([1, 0.2, -0.3]), W = [0.3, -0.8, 0.5], a = 0.7, a' = 0.4, b = -1.1, b' = "     \
    "0.6\n"

/* Two bodies of two mass points each, attracting one another. */
#define TWO_BODIES                                                                                 \
    "param n = 2, m = [1.5, 2.5], J = [diag(0.2, 0.3, 0.4), diag(0.5, 0.6, 0.7)], "                \
    "arm = [[0.2, 0, 0.1], [0, 0.3, -0.1]]\n"                                                      \
    "pose R[n], x[n], W[n], V[n]\n"                                                                \
    "L = sum(i = 1..n, dot(W[i], J[i]*W[i])/2 + m[i]/2*dot(V[i], V[i]))\n"                         \
    "  + sum(i = 1..2, j = 1..2, 1/norm(x[1] + (2*i - 3)*R[1]*arm[1]\n"                            \
    "    - x[2] - (2*j - 3)*R[2]*arm[2]))\n"                                                       \
    "start R[2] = expm([0.3, 0.4, -0.6]), x = [[0, 0, 0], [1, 0.5, -0.4]],\n"                      \
    "  W[1] = [0.1, 0.2, 0.3], W[2] = [-0.4, 0, 0.5], V[2] = [0, 0.7, 0.2]\n"                      \
    "invariant P = sum(i = 1..n, m[i]*(R[i]*V[i]))\n"

/* SE(2) x R: a cart that swings, with a force in its own frame. */
#define SLEDGE                                                                                     \
    "param m = 2, J = 1.3\n"                                                                       \
    "group g, xi : se( 2 )\ncoord a\n"                                                             \
    "let r = g*[0.3, -0.2, 1]\n"                                                                   \
    "L = J*xi[1]^2/2*(1 + sin(a)^2/4) + m*(xi[2]^2 + xi[3]^2)/2 + a'^2/2 + a'*xi[1]*g[1][2]/3\n"   \
    "  - (r[1]^2 + r[2]^2)^2/2 - g[2][3]*cos(a) + 0.2*xi[2]*xi[3]*g[1][3]\n"                       \
    "force g = [0.1*a, -0.2*xi[2], t*g[1][1]], a = -0.1*a'\n"                                      \
    "start g = [[cos(0.3), -sin(0.3), 0.5], [sin(0.3), cos(0.3), -0.2], [0, 0, 1]],\n"             \
    "  xi = [1, 0.3, -0.5], a = 0.7\n"

static const char *const models[] = {HEAVY_TOP, BODY, CARRIER, TWO_BODIES, SLEDGE};
enum { MODELS = sizeof models / sizeof *models };

/* Measured: 2.3e-12 and 5.9e-11. */
static void derivatives_along_the_group_match_differences(void **state) {
    (void)state;
    for (int i = 0; i < 2 * MODELS; i++) {
        struct noe_model *model = model_text_open(models[i / 2], i % 2);
        struct derivative_check differences = {0};
        assert_int_equal(
            derivative_check(&differences, model->system, 0.3, model->q, model->v, NULL), NOE_OK);
        assert_true(differences.gradient_error < 5e-12);
        assert_true(differences.hessian_error < 1.2e-10);
        noe_model_free(model);
    }
}

/* w of the top is m g (R^T e3) cross X. Its derivative along the group is not symmetric. */
static void the_heavy_top_has_the_textbook_equations(void **state) {
    (void)state;
    struct noe_model *model = model_text_open(HEAVY_TOP, false);
    const struct noe_system *system = model->system;
    const real *R = model->q, weight = 15 * (real)9.81;
    real p[3], w[3], d[36] = {0};
    assert_int_equal(system->n, 3);
    assert_int_equal(system->nz, 9);
    assert_int_equal(system->nfactors, 1);
    assert_string_equal(system->factors[0].space->name, "so3");
    system->second(system, 0, model->q, model->v, p, w, d);
    const real torque[] = {-weight * R[8], 0, weight * R[6]};
    const real w_q[] = {weight * R[7],  -weight * R[6], 0, 0, 0, 0, 0,
                        -weight * R[8], weight * R[7]};
    for (int i = 0; i < 3; i++) assert_true(noe_abs(w[i] - torque[i]) < 1e-13);
    for (int i = 0; i < 9; i++) assert_true(noe_abs(d[27 + i] - w_q[i]) < 1e-13);
    noe_model_free(model);
}

/* A rotation about a coordinate axis is smooth at the angle zero. */
static void rotations_are_smooth_at_angle_zero(void **state) {
    (void)state;
    struct noe_model *model =
        model_text_open("rotation R, W\ncoord a\nlet S = R*expm(a*e2), U = transpose(expm(a*e2))*W "
                        "+ a'*e2\nL = dot(W, W)/2 + dot(U, diag(1, 2, 2.5)*U)/2 - dot(e3, S*e1)\n"
                        "start W = [1, 2, 3], a' = 1\n",
                        false);
    struct derivative_check differences = {0};
    derivative_check(&differences, model->system, 0, model->q, model->v, NULL);
    assert_true(differences.gradient_error < 2.5e-12); /* measured: 1.2e-12 */
    assert_true(differences.hessian_error < 2e-13);    /* measured: 8.5e-14 */
    noe_model_free(model);
}

static void traits_mean_the_same_on_groups(void **state) {
    (void)state;
    static const struct {
        const char *text;
        unsigned traits;
    } rows[] = {
        {HEAVY_TOP, NOE_QUADRATIC | NOE_CONSTANT_MASS | NOE_SEPARABLE | NOE_AUTONOMOUS |
                        NOE_UNFORCED | NOE_DIAGONAL_MASS | NOE_BLOCK_MASS},
        {BODY, NOE_QUADRATIC | NOE_CONSTANT_MASS | NOE_BLOCK_MASS},
        {CARRIER, NOE_QUADRATIC | NOE_AUTONOMOUS},
        {TWO_BODIES, NOE_QUADRATIC | NOE_CONSTANT_MASS | NOE_SEPARABLE | NOE_AUTONOMOUS |
                         NOE_UNFORCED | NOE_DIAGONAL_MASS | NOE_BLOCK_MASS},
        {"param j = [2, 3, 4]\nlet J = diag(j)\nrotation R, W\nL = dot(W, J*W)/2 + R[1][1]\n",
         NOE_QUADRATIC | NOE_CONSTANT_MASS | NOE_SEPARABLE | NOE_AUTONOMOUS | NOE_UNFORCED |
             NOE_DIAGONAL_MASS | NOE_BLOCK_MASS},
        {"rotation R, W\nL = dot(W, W)^2\nforce R = -W*t\n", NOE_LEFT_INVARIANT},
        {"coord q\npose R, x, W, V\nL = dot(W, V)*q + dot(V, V) + q'^2\nobserve z = x[3]\n",
         NOE_QUADRATIC | NOE_AUTONOMOUS | NOE_UNFORCED | NOE_LEFT_INVARIANT},
        {"coord q\nL = q'^2/2\n", NOE_QUADRATIC | NOE_CONSTANT_MASS | NOE_SEPARABLE |
                                      NOE_AUTONOMOUS | NOE_UNFORCED | NOE_DIAGONAL_MASS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct noe_model *model = model_text_open(rows[i].text, true);
        assert_int_equal(model->system->traits, rows[i].traits);
        noe_model_free(model);
    }
}

/* Two uncoupled bodies and a coordinate coupled with one of them: the blocks of the pattern are
 * full. */
static void patterns_have_full_blocks(void **state) {
    (void)state;
    struct noe_model *model =
        model_text_open("rotation R[2], W[2]\ncoord a, b\n"
                        "L = dot(W[1], W[1]) + dot(W[2], W[2]) + a'^2 + b'^2 + a*R[2][1][2]\n",
                        true);
    const struct noe_system *system = model->system;
    bool is_there[8][8] = {{false}};
    assert_int_equal(system->nfactors, 3);
    assert_int_equal(system->factors[2].size, 2);
    assert_int_equal(system->nz, 9 + 9 + 2 + 6);
    for (int k = 0; k < system->nz; k++) is_there[system->row[k]][system->col[k]] = true;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            const bool same = i / 3 == j / 3 && (i < 6 || i == j);
            const bool meets = (i / 3 == 1 && j == 6) || (i == 6 && j / 3 == 1);
            assert_int_equal(is_there[i][j], same || meets);
        }
    noe_model_free(model);
}

/* Without a statement the start is the identity. Stated starts come in the order of the factors,
 * poses one after the other. */
static void starts_follow_the_order_of_the_factors(void **state) {
    (void)state;
    struct noe_model *model =
        model_text_open("coord q\npose R[2], x[2], W[2], V[2]\n"
                        "L = dot(W[1], W[1]) + dot(W[2], W[2]) + dot(V[1], V[1]) + q'^2\n"
                        "start q = 7, x[2] = [1, 2, 3], V = [[4, 5, 6], [7, 8, 9]], W[2][3] = 1,\n"
                        "  R[1] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]\n",
                        true);
    const real q[] = {7, 0, -1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 3};
    const real v[] = {0, 0, 0, 0, 4, 5, 6, 0, 0, 1, 7, 8, 9};
    for (size_t i = 0; i < sizeof q / sizeof *q; i++) assert_true(model->q[i] == q[i]);
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) assert_true(model->v[i] == v[i]);
    noe_model_free(model);
}

static void columns_have_the_names_of_the_model(void **state) {
    (void)state;
    static const char *const pose[] = {
        "t",       "q",       "R[1][1]", "R[1][2]", "R[1][3]", "R[2][1]", "R[2][2]", "R[2][3]",
        "R[3][1]", "R[3][2]", "R[3][3]", "x[1]",    "x[2]",    "x[3]",    "q'",      "W[1]",
        "W[2]",    "W[3]",    "V[1]",    "V[2]",    "V[3]",    "p.q",     "p.R[1]",  "p.R[2]",
        "p.R[3]",  "p.x[1]",  "p.x[2]",  "p.x[3]",  "energy"};
    int count;
    struct noe_model *model =
        model_text_open("coord q\npose R, x, W, V\nL = dot(W, W) + dot(V, V) + q'^2\n", true);
    char **name = columns_create(model, noe_method_find("midpoint"), false, &count);
    assert_int_equal(count, sizeof pose / sizeof *pose);
    for (int i = 0; i < count; i++) assert_string_equal(name[i], pose[i]);
    columns_free(name, count);
    noe_model_free(model);
    model = model_text_open("rotation R[2], W[2]\nL = dot(W[1], W[1]) + dot(W[2], W[2])\n", true);
    name = columns_create(model, noe_method_find("midpoint"), false, &count);
    assert_string_equal(name[1 + 9 + 5], "R[2][2][3]");
    assert_string_equal(name[1 + 18 + 4], "W[2][2]");
    assert_string_equal(name[1 + 18 + 6 + 4], "p.R[2][2]");
    columns_free(name, count);
    noe_model_free(model);
}

static void expect_notice(const char *text, int line, int column, const char *words) {
    struct noe_model *model = model_text_open(text, true);
    assert_int_equal(model->nnotes, words ? 1 : 0);
    if (words) {
        assert_int_equal(model->note->line, line);
        assert_int_equal(model->note->column, column);
        assert_string_equal(model->note->text, words);
    }
    noe_model_free(model);
}

static void an_impossible_inertia_gives_a_notice(void **state) {
    (void)state;
#define SPINS "rotation R, W\nL = dot(W, diag(a, b, c)*W)/2\n"
    expect_notice("param a = 1, b = 2, c = 2.9\n" SPINS, 0, 0, NULL);
    expect_notice("param a = 0.1, b = 0.2, c = 0.3\n" SPINS, 0, 0,
                  NULL); /* constant to round-off */
    expect_notice(
        "param a = 1, b = 4, c = 2\n" SPINS, 2, 10,
        "not a rigid body: the inertia of 'R' breaks the triangle inequality, the largest "
        "principal moment exceeds the sum of the others (4, 2, 1)");
    expect_notice("param a = 3, b = -2, c = 2\n" SPINS, 2, 10,
                  "not a rigid body: the inertia of 'R' at the start is not positive definite "
                  "(principal moments 3, 2, -2)");
    expect_notice("param a = 3, b = 0, c = 2\n" SPINS, 2, 10,
                  "not a rigid body: the inertia of 'R' at the start is not positive definite "
                  "(principal moments 3, 2, 0)");
    expect_notice("rotation R, W\nL = dot(W, W)^2\nstart W = [1, 2, 3]\n", 0, 0, NULL);
    expect_notice("pose R, x, W, V\nL = dot(W, diag(1, 4, 2)*W) + dot(V, V)\n", 0, 0, NULL);
    expect_notice("pose R[2], x[2], W[2], V[2]\n"
                  "L = sum(i = 1..2, dot(W[i], W[i]) + (3 - 2*i)*dot(V[i], V[i]))/2\n",
                  1, 6,
                  "not a rigid body: the inertia of 'R[2]' at the start is not positive definite "
                  "(principal moments 1, 1, 1)");
}

/* A start that is a rotation to within 1e-8 is projected to the nearest rotation, with a notice. */
static void a_corrected_start_gives_a_notice(void **state) {
    (void)state;
    struct noe_model *model =
        model_text_open("rotation R, W\nL = dot(W, W)\n"
                        "start R = expm([1, -2, 0.5])*(I + diag(1e-9, 2e-9, -3e-9))\n",
                        true);
    real defect = model->system->factors[0].space->maps.defect(model->q);
    assert_int_equal(model->nnotes, 1);
    assert_int_equal(model->note->line, 3);
    assert_int_equal(model->note->column, 11);
    assert_non_null(strstr(model->note->text, "its defect of 6e-09 is repaired"));
    assert_true(defect < 1e-15);
    noe_model_free(model);
    model = model_text_open("rotation R, W\nL = dot(W, W)\nstart R = expm([1, -2, 0.5])\n", true);
    assert_int_equal(model->nnotes, 0);
    noe_model_free(model);
}

enum { STEPS = 50 };

static struct noe_work *take_steps(const struct noe_problem *problem,
                                   const struct noe_model *model) {
    struct noe_work *work;
    assert_int_equal(noe_work_create(&work, problem, NULL), NOE_OK);
    assert_int_equal(noe_work_start(work, 0, model->q, model->v, NULL), NOE_OK);
    assert_int_equal(noe_work_steps(work, STEPS, NULL), NOE_OK);
    return work;
}

/* Distance from q of the end of a run in a batch. */
static real batch_distance(const struct noe_problem *problem, const struct noe_model *model,
                           const real *q) {
    const struct noe_member member = {.q = model->q, .v = model->v};
    const struct noe_member members[] = {member, member, member};
    struct noe_batch *batch;
    struct noe_lane lane;
    assert_int_equal(noe_batch_create(&batch, problem, model, NULL, NULL), NOE_OK);
    assert_true(noe_batch_lanes(batch) > 1);
    assert_int_equal(noe_batch_start(batch, 3, members, NULL), NOE_OK);
    noe_batch_steps(batch, STEPS);
    noe_batch_observe(batch);
    noe_batch_lane(batch, 1, &lane);
    assert_int_equal(lane.status, NOE_OK);
    real apart = 0;
    for (int k = 0; k < problem->np; k++)
        apart = noe_max(apart, noe_abs(lane.q[k * lane.stride] - q[k]));
    noe_batch_free(batch);
    return apart;
}

/* Generic and specialised runs have equal bits; a batch differs by SLEEF's last bits (measured:
 * 5.3e-15). */
static void all_steppers_agree(void **state) {
    (void)state;
    static const struct {
        const char *text, *method;
    } rows[] = {{BODY, "gauss stages=1"}, {CARRIER, "gauss stages=2"}, {SLEDGE, "midpoint"}};
    for (int i = 0; i < 3; i++) {
        struct noe_model *model = model_text_open(rows[i].text, false);
        const struct noe_system *system = model->system;
        struct noe_problem problem, special;
        const char *method = rows[i].method;
        assert_int_equal(noe_problem_init(&problem, system, method, 0.02, NULL), NOE_OK);
        assert_int_equal(noe_problem_init(&special, system, method, 0.02, NULL), NOE_OK);
        assert_int_equal(noe_problem_specialise(&special, model, NULL, NULL), NOE_OK);
        struct noe_work *work = take_steps(&problem, model), *other = take_steps(&special, model);
        const struct noe_state *now = noe_work_state(work);
        assert_memory_equal(now->q, noe_work_state(other)->q, (size_t)problem.np * sizeof *now->q);
        assert_memory_equal(now->p, noe_work_state(other)->p, (size_t)system->n * sizeof *now->p);
        assert_true(batch_distance(&problem, model, now->q) < 1.1e-14);
        noe_work_free(work);
        noe_work_free(other);
        noe_problem_clear(&problem);
        noe_problem_clear(&special);
        noe_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_along_the_group_match_differences),
        cmocka_unit_test(the_heavy_top_has_the_textbook_equations),
        cmocka_unit_test(rotations_are_smooth_at_angle_zero),
        cmocka_unit_test(traits_mean_the_same_on_groups),
        cmocka_unit_test(patterns_have_full_blocks),
        cmocka_unit_test(starts_follow_the_order_of_the_factors),
        cmocka_unit_test(columns_have_the_names_of_the_model),
        cmocka_unit_test(an_impossible_inertia_gives_a_notice),
        cmocka_unit_test(a_corrected_start_gives_a_notice),
        cmocka_unit_test(all_steppers_agree),
    };
    return cmocka_run_group_tests(tests, model_text_begin, model_text_end);
}
