/* Final states of the problems of the work-precision tables, from runs in quadruple precision:
 *     precision --model NAME > NAME.noe
 *     noether run NAME.noe --precision quad --method "gauss stages=12" --step H --until T --json
 * with H = 100, T = 200000 (planets) and H = 0.0125, T = 10 (pendulum). Twice the step size
 * gives the same digits. */
/* SPDX-License-Identifier: MIT */
#ifndef BENCH_REFERENCES_H
#define BENCH_REFERENCES_H

static const double references_planets[] = {
    1.2358425423546087905454, -0.489943821144274879483, -0.246105361814321269140,
    2.6110795701128091067716, -5.079525496788004134236, -2.244720677853063298489,
    -7.669136247391230446662, -4.052052245488021723582, -1.331115669711465934494,
    -5.824743949847704435792, 15.337173753572540364339, 6.7824634099176156453954,
    20.663980247515068324146, 20.582956042459829724461, 7.8947954147481864029664,
    36.566950698822469876030, -13.76768440125981489007, -15.04346922182328240952,
};

static const double references_pendulum[] = {0.8746788801221630704116, 0.5585034969344876386290};

#endif
