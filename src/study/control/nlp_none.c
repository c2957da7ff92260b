/* Replaces nlp.c in builds without Ipopt. */
/* SPDX-License-Identifier: MIT */
#include "base/status.h"
#include "study/control/nlp.h"

enum noe_status nlp_solve(const struct nlp *nlp, const struct nlp_settings *settings,
                          struct nlp_result *result, struct noe_error *error) {
    (void)nlp, (void)settings, (void)result;
    return status_set(error, NOE_NO_LIBRARY,
                      "optimal control needs Ipopt, in double precision, which this build lacks: "
                      "install coinor-libipopt-dev and build again");
}
