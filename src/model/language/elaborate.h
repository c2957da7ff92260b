/* From the syntax tree to shaped values, and from statements to the parts of a source model. */
/* SPDX-License-Identifier: MIT */
#ifndef MODEL_LANGUAGE_ELABORATE_H
#define MODEL_LANGUAGE_ELABORATE_H

#include "model/definition.h"
#include "model/language/statement.h"
#include "model/language/symbol.h"
#include "model/language/value.h"

/* A parameter's expression given from outside, in place of the file's. */
struct elaborate_set {
    const char *text;
    struct lex_token name;
    struct tree *value;
};

/* An index of a sum, bound while its body is elaborated. */
struct elaborate_index {
    const struct lex_token *name;
    int node;
    const struct elaborate_index *outer;
};

struct elaborate {
    struct definition *model;
    struct value_maker make;
    struct tree_pool keep; /* trees, names and what they stand for */
    struct tree_pool pool; /* values of one statement */
    struct symbol_table names;
    const struct tree_statement *statements;
    const struct elaborate_index *index;
    /* Not NULL: the expression is to be a number, and this says where it stands. Parameters are
     * then taken by value, and nothing else has one. */
    const char *number_for;
    int nsets;
    struct elaborate_set *set;
    const char *set_text; /* the one being read; NULL: the file is */
    bool has_lagrangian;
    bool knows_multipliers;                    /* the expression may use them */
    int *reaction;                             /* n nodes; NULL: not needed so far */
    int charges;                               /* number of the coordinate of a circuit */
    const struct lex_token **q_from, **v_from; /* where each start value is stated, or NULL */
    real *scratch;                             /* values of nodes */
    int scratch_room;
    bool failed;
    struct noe_error *error;
};

/* Fails at a token; always false. */
bool elaborate_fail(struct elaborate *e, const struct lex_token *token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Fails at (line, column) with the maker's message, or for want of memory; always false. */
bool elaborate_fail_made(struct elaborate *e, int line, int column);
bool elaborate_fail_memory(struct elaborate *e);

/* The value of an expression. */
bool elaborate_value(struct elaborate *e, const struct tree *tree, struct value *value);
/* The same with every parameter taken by value; `number_for` says what it is for: "a step". */
bool elaborate_numbers(struct elaborate *e, const struct tree *tree, const char *number_for,
                       struct value *value);
/* A single number. */
bool elaborate_number(struct elaborate *e, const struct tree *tree, const char *number_for,
                      real *number);
/* A whole number of at least `least`. */
bool elaborate_integer(struct elaborate *e, const struct tree *tree, const char *number_for,
                       long min, long *number);
/* The number that a node without time, configuration and velocity has. */
bool elaborate_constant(struct elaborate *e, int node, real *number);
/* The value of a TREE_SUM. */
bool elaborate_sum(struct elaborate *e, const struct tree *tree, struct value *value);
/* Calls `body` for every value of the indices of the TREE_RANGEs from `range` on. */
bool elaborate_each(struct elaborate *e, const struct tree *range,
                    bool (*body)(struct elaborate *, void *), void *data);
/* Is it a word for what follows from the derivatives of the steps: lyapunov, megno? */
bool elaborate_is_tangent(const struct lex_token *name);
/* Fails: such a word stands in an expression. */
bool elaborate_tangent_alone(struct elaborate *e, const struct lex_token *name);
/* Is the whole of an observed expression such a word? Then `quantity` says which, and `value` holds
 * zeros in its place. False: words were said. */
bool elaborate_tangent(struct elaborate *e, const struct tree *tree,
                       struct definition_quantity *quantity, struct value *value);
/* The value of a call of one of the functions of multipliers; *is_one says whether it is one. */
bool elaborate_multipliers(struct elaborate *e, const struct tree *tree, bool *is_one,
                           struct value *value);
/* The same of a joint. */
bool elaborate_joint(struct elaborate *e, const struct tree *tree, bool *is_one,
                     struct value *value);
/* The children of `tree` in an array; NULL on failure. */
struct value *elaborate_children(struct elaborate *e, const struct tree *tree, int *count);
/* Does a value use multipliers? */
bool elaborate_uses_multipliers(struct elaborate *e, const struct value *value);
/* A copy of `value` that lasts as long as its name. */
bool elaborate_keep(struct elaborate *e, const struct value *value, struct value *kept);

/* The expression from outside for a parameter, or NULL; the last one counts. */
const struct elaborate_set *elaborate_find_set(const struct elaborate *e,
                                               const struct lex_token *name);
/* After all coordinates: the circuit's loops, its charges, what its branches stand for. */
bool elaborate_circuit(struct elaborate *e);
/* After the Lagrangian: what the elements of branches add to it and to forces. */
bool elaborate_circuit_energy(struct elaborate *e);
/* Adds `node` to the force on direction i. */
bool elaborate_add_force(struct elaborate *e, int i, int node);
/* Declares a coordinate that is a vector; and part `index`, from 1 on, of the last coordinate. */
bool elaborate_declare_vector(struct elaborate *e, const struct lex_token *name, int size);
bool elaborate_declare_part(struct elaborate *e, const struct lex_token *name, int index);

/* Adds a name that must be new and allowed. NULL on failure. */
struct symbol *elaborate_declare(struct elaborate *e, const struct lex_token *name);
/* A copy of a name that the model owns; NULL, a failure, for want of memory. */
char *elaborate_copy(struct elaborate *e, const struct lex_token *name);
/* Room for `more` more elements in a list whose room is the next power of two of its count. */
void *elaborate_grow(void *list, int count, int more, size_t size);
/* What `name` stands for; a failure if it is unknown. */
bool elaborate_name(struct elaborate *e, const struct lex_token *name, struct value *value);
/* The coordinate of a target, or the velocity with a name of its own, or a failure. */
const struct symbol *elaborate_coordinate(struct elaborate *e, const struct lex_token *name);
bool elaborate_is_reserved(const struct lex_token *name);
/* Fails with what is wrong with a name that stands for nothing. */
bool elaborate_fail_unknown(struct elaborate *e, const struct lex_token *name, const char *what);

/* A target such as y[2]' as numbers of a start or of a force. */
struct elaborate_target {
    struct noe_array_layout place;
    bool is_velocity;
    const struct noe_coordinate *coordinate;
    int part;                 /* of the coordinate, that the name stands for; 0: all of it */
    char name[LEX_QUOTE_MAX]; /* for messages */
};
/* Number i of the target, counted row by row, stands there. */
static inline int elaborate_target_at(const struct elaborate_target *target, int i) {
    const struct noe_array_layout *place = &target->place;
    return place->first + i / place->cols * place->stride + i % place->cols;
}
/* Reads the target of a start value, or of a force. */
bool elaborate_start_target(struct elaborate *e, const struct tree *tree,
                            struct elaborate_target *target);
bool elaborate_force_target(struct elaborate *e, const struct tree *tree,
                            struct elaborate_target *target);
/* Fails unless the item's value fits its target. */
bool elaborate_target_check(struct elaborate *e, const struct tree_item *item,
                            const struct elaborate_target *target, const struct value *value);
/* Makes the start values that hold where nothing is stated. */
bool elaborate_start_make(struct elaborate *e);
/* After all statements: fails if the start of a factor is not a point of its space. */
bool elaborate_start_check(struct elaborate *e);

/* Writes "name key=value ..." for a method statement; NULL on failure. free() the result. */
char *elaborate_method_text(struct elaborate *e, const struct tree_statement *statement);

/* The text of an equation on one line, without comments; free() it. NULL for want of memory. */
char *elaborate_equation_text(const struct lex_token *equation);
/* After all constraints: their rows in the system, and room for the multipliers. */
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
/* Is something to be minimised without L and controls, and is the rest of the file fit for that? */
bool elaborate_states_objective(const struct elaborate *e);
bool elaborate_objective_check(struct elaborate *e);
/* After all statements: every control must act. */
bool elaborate_horizon_check(struct elaborate *e);

#endif
