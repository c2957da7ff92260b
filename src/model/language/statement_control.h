/* Parsers of the statements of optimal control problems and of ensembles. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_LANGUAGE_STATEMENT_CONTROL_H
#define MODEL_LANGUAGE_STATEMENT_CONTROL_H

#include "model/language/statement.h"

/* name in [expr, expr], name[size] in [expr, expr] */
void statement_parse_controls(struct parse *parse, struct tree_statement *statement);
/* expr in [expr, expr], expr in [expr, expr] */
void statement_parse_bounds(struct parse *parse, struct tree_statement *statement);
/* expr [terminal expr] */
void statement_parse_minimize(struct parse *parse, struct tree_statement *statement);
/* until in [expr, expr] */
void statement_parse_free(struct parse *parse, struct tree_statement *statement);
/* target, target */
void statement_parse_periodic(struct parse *parse, struct tree_statement *statement);

/* target = expr .. expr, expr; three items each: target and first, last, number of values */
void statement_parse_vary(struct parse *parse, struct tree_statement *statement);

#endif
