/* Reading of what several kinds of statements share, and of statements with a name. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_LANGUAGE_STATEMENT_SHARED_H
#define MODEL_LANGUAGE_STATEMENT_SHARED_H

#include "model/language/statement.h"

/* target = expr, target = expr */
void statement_parse_targets(struct parse *parse, struct tree_statement *statement);
/* expr */
void statement_parse_value(struct parse *parse, struct tree_statement *statement);
/* expr = expr, as two items; the statement's word is its whole text */
void statement_parse_equation(struct parse *parse, struct tree_statement *statement);
/* name : expr = expr [rising|falling] record expr, expr: the first item has the name, the second
 * the way or no name, the others what is recorded, with its text as a name */
void statement_parse_section(struct parse *parse, struct tree_statement *statement);
/* name : target = expr, target = expr; the statement's word is the name */
void statement_parse_noise(struct parse *parse, struct tree_statement *statement);

#endif
