/* Methods on groups: states of the discrete methods, computed independently to 34 digits and
 * more, and conservation in long runs. */
/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "methods.h"
#include "spaces/product.h"

/* A start on a group: the rotation with rotation vector `rotation`, and body velocities v. */
struct start {
    const struct noe_system *system;
    double rotation[3], v[FREEDOMS_MAX];
};

static const struct start heavy = {&heavy_top, {0.3, -0.2, 0.5}, {1, -0.5, 2}};
static const struct start hanging = {&rotation_pendulum, {0}, {0.5, -0.5, 0.4}};
static const struct start standing = {
    &rotation_pendulum, {0, 3.14159265358979323846, 0}, {0.5, -0.5, 0.4}};
static const struct start freely = {&rigid_body, {0}, {1, 0.5, -0.8}};

/* Kirchhoff's vehicle with p = 5.2 (cos, sin, 0), Pi = (s sin, -s cos, c) and energy 4, where cos
 * and sin are those of 0.6 and s = 0.9. */
static struct start swimming = {&kirchhoff_vehicle, {0}, {0}};

static int start_swimming(void **state) {
    const double I[3] = {1.09, 2.16, 2.68}, M[3] = {3.72, 7.42, 4.29}, s = 0.9, phi = 0.6;
    const double P[3] = {s * sin(phi), -s * cos(phi), 0},
                 p[3] = {5.2 * cos(phi), 5.2 * sin(phi), 0};
    double rest = 8;
    (void)state;
    for (int i = 0; i < 3; i++) rest -= P[i] * P[i] / I[i] + p[i] * p[i] / M[i];
    for (int i = 0; i < 3; i++) {
        swimming.v[i] = i < 2 ? P[i] / I[i] : sqrt(rest / I[2]);
        swimming.v[3 + i] = p[i] / M[i];
    }
    return 0;
}

struct value {
    const struct start *start;
    const char *method;
    double h;
    long steps;
    double p[3];
};

static const struct value values[] = {
    {&heavy, "gauss stages=1", 0.1, 10, {1.141726589654778, 1.774539627247508, 4.739873321939881}},
    {&heavy, "gauss stages=2", 0.1, 10, {1.132695248978593, 1.811119970825320, 4.725401984172000}},
    {&heavy,
     "lobatto stages=3",
     0.1,
     10,
     {1.132677693782592, 1.811212043165916, 4.725365864753752}},
    {&heavy,
     "gauss stages=2 retraction=exp",
     0.1,
     10,
     {1.132706482454164, 1.811084563670315, 4.725416320740053}},
    {&hanging, "lgvi", 0.01, 1000, {0.36608630163659035, -1.3810990874100566, 0.88534049198499048}},
    {&hanging,
     "verlet retraction=new",
     0.01,
     1000,
     {0.36608630163659035, -1.3810990874100566, 0.88534049198499048}},
    {&standing,
     "lgvi",
     0.01,
     300,
     {-0.58135250199255697, -1.4352611641310552, 0.87013216324092665}},
    {&freely,
     "euler-a retraction=exp",
     0.1,
     100,
     {-2.178807188715515, -0.1002474909672602, -3.425310157483022}},
    {&freely, "euler-a", 0.1, 100, {-2.175452791445256, -0.2387444058430395, -3.420585660507817}},
    {&freely,
     "euler-b retraction=new",
     0.1,
     100,
     {-2.179384794110344, -0.02908191193577585, -3.426286059510906}},
    {&freely, "lgvi", 0.1, 100, {-2.179384794110344, -0.02908191193577585, -3.426286059510906}},
    {&freely,
     "verlet retraction=skew",
     0.1,
     100,
     {-2.176220019189124, 0.1927094604328439, -3.423000071858043}},
    {&freely,
     "euler-a convention=thesis",
     0.1,
     100,
     {-2.174078729256913, -0.25357340606108, -3.420214984969106}},
    {&freely,
     "euler-b convention=thesis",
     0.1,
     100,
     {-2.174078729256913, -0.25357340606108, -3.420214984969106}},
    {&freely, "tln", 0.1, 100, {-2.17839773091191, -0.1124468971832633, -3.425005011887404}},
    {&freely, "mln", 0.1, 100, {-2.178450268513041, -0.1142947192409954, -3.425097246030991}},
    {&freely, "flv", 0.1, 100, {-2.179634612712614, -0.05323923426882131, -3.425992387803212}},
    {&freely, "lv", 0.1, 100, {-2.174097903383487, -0.2572248480863309, -3.42028903988776}},
    {&freely, "sw", 0.1, 100, {-2.180932308028601, -0.03989378332464249, -3.425192367422462}},
    {&freely, "swp", 0.1, 100, {-2.179048928484742, -0.07236920483527925, -3.425858792399507}},
    {&freely, "kr", 0.1, 100, {-2.178321574340167, -0.1214304586688641, -3.424933541321882}},
    {&swimming, "rk4", 0.05, 200, {0.1433840180413176, -1.304346039719699, 2.803082465652806}},
    {&swimming, "tln", 0.05, 200, {0.1422490710707649, -1.302688805795359, 2.801993263926848}},
    {&swimming, "mln", 0.05, 200, {0.141234593723651, -1.30443698584638, 2.80124285908924}},
    {&swimming,
     "euler-a convention=thesis",
     0.05,
     200,
     {0.1421952968946773, -1.29475436471588, 2.807918910941436}},
    {&swimming, "euler-a", 0.05, 200, {0.1007823647199965, -1.304851994455049, 2.789827103462715}},
    {&swimming, "flv", 0.05, 200, {0.1372289330986228, -1.316675926666438, 2.793083785453672}},
    {&swimming, "lv", 0.05, 200, {0.1442696190908907, -1.299013781346934, 2.80477642069494}},
    {&swimming, "sw", 0.05, 200, {0.1462944881978745, -1.31574834910904, 2.799447058777918}},
    {&freely,
     "gauss stages=2",
     0.1,
     20,
     {1.860629517019575, -1.965750123494967, -3.027190818626243}},
    {&freely, "rkmk", 0.1, 20, {1.860631842340864, -1.965741761193888, -3.027194819559124}},
    {&freely,
     "lobatto stages=3 retraction=exp",
     0.1,
     20,
     {1.860630630815306, -1.965746910365499, -3.027192220533796}},
};

static void start_run(struct run *run, const struct start *start, const char *method, double h) {
    const struct noe_space *so3 = noe_space_find("so3");
    struct test_case test = {.system = start->system};
    real rotation[3];
    product_identity(start->system, test.q);
    for (int i = 0; i < 3; i++) rotation[i] = start->rotation[i];
    so3->retract(1, 1, test.q, test.q, rotation);
    for (int i = 0; i < start->system->n; i++) test.v[i] = start->v[i];
    run_start(run, &test, method, h);
}

static void test_values(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const struct value *row = &values[i];
        struct run run;
        struct noe_error error;
        double worst = 0, size = 0;
        start_run(&run, row->start, row->method, row->h);
        if (noe_work_steps(run.work, row->steps, &error) != NOE_OK) fail_msg("%s", error.text);
        const struct noe_state *now = noe_work_state(run.work);
        for (int k = 0; k < 3; k++) {
            worst = fmax(worst, fabs((double)now->p[k] - row->p[k]));
            size = fmax(size, fabs(row->p[k]));
        }
        if (!(worst <= 2e-13 * size))
            fail_msg("%s on %s: momentum (%.16g, %.16g, %.16g) is off by %.2e", row->method,
                     row->start->system->name, (double)now->p[0], (double)now->p[1],
                     (double)now->p[2], worst);
        run_end(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
    };
    return cmocka_run_group_tests(tests, start_swimming, NULL);
}
