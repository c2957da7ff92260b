/* Elaboration: turns syntax trees into shaped values, and statements into parts of a model
 * definition. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_LANGUAGE_ELABORATE_H
#define MODEL_LANGUAGE_ELABORATE_H

#include "model/definition.h"
#include "model/language/statement.h"
#include "model/language/symbol.h"
#include "model/language/value.h"
#include "noether_model.h"

/* A --set expression that replaces the file's value of a parameter. */
struct elaborate_set {
    const char *text;
    struct lex_token name;
    struct tree *value;
};

/* Index of a sum, bound while the body is elaborated. */
struct elaborate_index {
    const struct lex_token *name;
    int node;
    const struct elaborate_index *outer;
};

struct elaborate {
    struct definition *model;
    struct value_maker make;
    struct tree_pool keep; /* trees, names and their values */
    struct tree_pool pool; /* values of one statement */
    struct symbol_table names;
    const struct tree_statement *statements;
    const struct elaborate_index *index;
    /* Context of an expression that must be constant, for messages; NULL: it need not be. In such
     * an expression parameters are replaced by their values, and nothing else is allowed. */
    const char *number_for;
    int nsets;
    struct elaborate_set *set;
    const char *set_text; /* the --set text being read; NULL: the file */
    bool has_lagrangian;
    bool allows_multipliers; /* the expression may use multipliers */
    int *reaction;           /* n nodes of constraint forces; NULL: not computed yet */
    int charges;             /* index of the charges' coordinate of a circuit */
    const struct lex_token **q_from, **v_from; /* position of each stated start value, or NULL */
    real *scratch;                             /* values of nodes */
    int scratch_room;
    bool failed;
    struct noe_error *error;
};

/* Fails at a token. Always returns false. */
bool elaborate_fail(struct elaborate *e, const struct lex_token *token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Fails at (line, column) with the maker's message, or because memory ran out. Always returns
 * false. */
bool elaborate_fail_made(struct elaborate *e, int line, int column);
bool elaborate_fail_memory(struct elaborate *e);

/* Elaborates an expression. */
bool elaborate_value(struct elaborate *e, const struct tree *tree, struct value *value);
/* Elaborates an expression with every parameter replaced by its value. `number_for` names its use
 * in messages, as in "a step". */
bool elaborate_numbers(struct elaborate *e, const struct tree *tree, const char *number_for,
                       struct value *value);
/* Elaborates a constant scalar. */
bool elaborate_number(struct elaborate *e, const struct tree *tree, const char *number_for,
                      real *number);
/* Elaborates an integer of at least `min`. */
bool elaborate_integer(struct elaborate *e, const struct tree *tree, const char *number_for,
                       long min, long *number);
/* Value of a node that does not depend on time, configuration and velocity. */
bool elaborate_constant(struct elaborate *e, int node, real *number);
/* Elaborates a TREE_SUM. */
bool elaborate_sum(struct elaborate *e, const struct tree *tree, struct value *value);
/* Calls `body` for all values of the indices of the TREE_RANGEs that begin at `range`. */
bool elaborate_each(struct elaborate *e, const struct tree *range,
                    bool (*body)(struct elaborate *, void *), void *data);
/* True if the name is a quantity of the tangent map: lyapunov, megno. */
bool elaborate_is_tangent(const struct lex_token *name);
/* Fails, because such a name is used within an expression. */
bool elaborate_tangent_alone(struct elaborate *e, const struct lex_token *name);
/* If the observed expression is a quantity of the tangent map, sets `quantity` to it and `value` to
 * zeros. False on failure. */
bool elaborate_tangent(struct elaborate *e, const struct tree *tree,
                       struct definition_quantity *quantity, struct value *value);
/* Elaborates a call if it is a function of multipliers. *is_one tells whether it is. */
bool elaborate_multipliers(struct elaborate *e, const struct tree *tree, bool *is_one,
                           struct value *value);
/* Elaborates a call if it is a joint. *is_one tells whether it is. */
bool elaborate_joint(struct elaborate *e, const struct tree *tree, bool *is_one,
                     struct value *value);
/* Elaborates the children of `tree` into an array. NULL on failure. */
struct value *elaborate_children(struct elaborate *e, const struct tree *tree, int *count);
/* True if a value depends on multipliers. */
bool elaborate_uses_multipliers(struct elaborate *e, const struct value *value);
/* Copies `value` into memory that lasts as long as its name. */
bool elaborate_keep(struct elaborate *e, const struct value *value, struct value *kept);

/* The last --set expression of a parameter, or NULL. */
const struct elaborate_set *elaborate_find_set(const struct elaborate *e,
                                               const struct lex_token *name);
/* After all coordinates: finds the circuit's loops, declares its charges and defines its
 * branches. */
bool elaborate_circuit(struct elaborate *e);
/* After the Lagrangian: adds the energies and voltages of the branches' elements. */
bool elaborate_circuit_energy(struct elaborate *e);
/* Adds `node` to the force on direction i. */
bool elaborate_add_force(struct elaborate *e, int i, int node);
/* Declares a vector coordinate, and a name for component `index` (1-based) of the last
 * coordinate. */
bool elaborate_declare_vector(struct elaborate *e, const struct lex_token *name, int size);
bool elaborate_declare_part(struct elaborate *e, const struct lex_token *name, int index);

/* Declares a name, which must be new and not reserved. NULL on failure. */
struct symbol *elaborate_declare(struct elaborate *e, const struct lex_token *name);
/* Copy of a name, owned by the model. NULL, with a failure, if memory ran out. */
char *elaborate_copy(struct elaborate *e, const struct lex_token *name);
/* Reallocates a list for `more` elements. Its capacity is the next power of two of its count. */
void *elaborate_grow(void *list, int count, int more, size_t size);
/* Value of `name`. Fails if it is unknown. */
bool elaborate_name(struct elaborate *e, const struct lex_token *name, struct value *value);
/* The coordinate, or named velocity, that a target names. NULL on failure. */
const struct symbol *elaborate_coordinate(struct elaborate *e, const struct lex_token *name);
bool elaborate_is_reserved(const struct lex_token *name);
/* Fails with an explanation for an undefined name. */
bool elaborate_fail_unknown(struct elaborate *e, const struct lex_token *name, const char *what);

/* Resolved target such as y[2]': the components of a start value or force. */
struct elaborate_target {
    struct noe_array_layout place;
    bool is_velocity;
    const struct noe_coordinate *coordinate;
    int part;                 /* component of the coordinate that the name denotes; 0: all */
    char name[LEX_QUOTE_MAX]; /* for messages */
};
/* Index of component i of the target, in row-major order. */
static inline int elaborate_target_at(const struct elaborate_target *target, int i) {
    const struct noe_array_layout *place = &target->place;
    return place->first + i / place->cols * place->stride + i % place->cols;
}
/* Resolves the target of a start value, or of a force. */
bool elaborate_start_target(struct elaborate *e, const struct tree *tree,
                            struct elaborate_target *target);
bool elaborate_force_target(struct elaborate *e, const struct tree *tree,
                            struct elaborate_target *target);
/* Fails unless the item's value has the shape of its target. */
bool elaborate_target_check(struct elaborate *e, const struct tree_item *item,
                            const struct elaborate_target *target, const struct value *value);
/* Sets the default start values. */
bool elaborate_start_make(struct elaborate *e);
/* After all statements: fails if the start of a factor is not a point of its space. */
bool elaborate_start_check(struct elaborate *e);

/* Writes "name key=value ..." for a method statement. NULL on failure. The caller frees the
 * result. */
char *elaborate_method_text(struct elaborate *e, const struct tree_statement *statement);

/* Text of an equation on one line, without comments. NULL if memory ran out. The caller frees
 * it. */
char *elaborate_equation_text(const struct lex_token *equation);
/* After all constraints: assigns their rows in the system and allocates the multipliers. */
bool elaborate_constraints_end(struct elaborate *e);

/* Statements. */
bool elaborate_title(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_parameters(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_coordinates(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_rotation(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_pose(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_group(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_node(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_branch(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_mesh(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_let(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_lagrangian(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_force(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_noise(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_constraint(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_nonholonomic(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_start(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_observe(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_invariant(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_method(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_step(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_until(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_from(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_sample(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_stop(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_section(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_controls(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_minimize(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_final(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_periodic(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_bound(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_steps(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_free(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_guess(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_vary(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_random(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_members(struct elaborate *e, const struct tree_statement *statement);
bool elaborate_seed(struct elaborate *e, const struct tree_statement *statement);
/* True if the file states an objective without L and controls. The check fails if its other
 * statements do not suit that. */
bool elaborate_states_objective(const struct elaborate *e);
bool elaborate_objective_check(struct elaborate *e);
/* After all statements: checks that every control acts. */
bool elaborate_control_check(struct elaborate *e);

#endif
