/* Parsers shared by several kinds of statements, and those of labelled statements. */
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
/* name : expr = expr [rising|falling] record expr, expr; the first item has the name, the second
 * the direction or no name, and the others the recorded expressions with their texts as names */
void statement_parse_section(struct parse *parse, struct tree_statement *statement);
/* name : target = expr, target = expr; the statement's word is the name */
void statement_parse_noise(struct parse *parse, struct tree_statement *statement);

#endif
