/* Elaboration of circuit statements (node, branch, mesh): mesh charges, energies and voltages. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/language/elaborate.h"

static const char *const elements[] = {"inductance", "capacitance", "resistance", "source"};
enum { INDUCTANCE, CAPACITANCE, RESISTANCE, SOURCE, ELEMENTS };

/* --- Nodes and branches. */

static int find_word(const struct lex_token *word, int count, char *const *words) {
    for (int i = 0; i < count; i++)
        if (lex_is(word, words[i])) return i;
    return -1;
}

bool elaborate_node(struct elaborate *e, const struct tree_statement *statement) {
    struct circuit *circuit = &e->model->circuit;
    char shown[LEX_QUOTE_MAX];
    for (const struct tree_item *item = statement->item; item; item = item->next) {
        if (find_word(&item->name, circuit->nnodes, circuit->node) >= 0)
            return elaborate_fail(e, &item->name, "the node %s is declared twice",
                                  lex_show(&item->name, shown));
        if (!circuit_add_node(circuit, elaborate_copy(e, &item->name)))
            return elaborate_fail_memory(e);
    }
    return true;
}

static bool find_node(struct elaborate *e, const struct lex_token *name, int *node) {
    const struct circuit *circuit = &e->model->circuit;
    char shown[LEX_QUOTE_MAX];
    *node = find_word(name, circuit->nnodes, circuit->node);
    if (*node >= 0) return true;
    const char *nearest = lex_nearest(name, circuit->nnodes, (const char *const *)circuit->node);
    lex_show(name, shown);
    if (nearest)
        return elaborate_fail(e, name, "unknown node %s (did you mean '%s'?)", shown, nearest);
    return elaborate_fail(e, name, "unknown node %s: declare it with 'node'", shown);
}

/* First element of a branch, after its name and its two nodes. */
static const struct tree_item *first_element(const struct tree_statement *statement) {
    return statement->item->next->next->next;
}

static bool check_elements(struct elaborate *e, const struct tree_statement *statement) {
    char shown[LEX_QUOTE_MAX];
    bool has[ELEMENTS] = {false};
    const struct tree_item *item = first_element(statement);
    if (!item)
        return elaborate_fail(e, &statement->item->name,
                              "the branch %s has no element: state inductance, capacitance, "
                              "resistance or source",
                              lex_show(&statement->item->name, shown));
    for (; item; item = item->next) {
        const struct lex_token *word = &item->target->token;
        const int kind = find_word(word, ELEMENTS, (char *const *)elements);
        lex_show(word, shown);
        if (kind < 0)
            return elaborate_fail(e, word,
                                  "unknown element %s: a branch has inductance, capacitance, "
                                  "resistance and source",
                                  shown);
        if (has[kind]) return elaborate_fail(e, word, "the element %s is given twice", shown);
        has[kind] = true;
    }
    return true;
}

bool elaborate_branch(struct elaborate *e, const struct tree_statement *statement) {
    const struct tree_item *name = statement->item, *from = name->next, *to = from->next;
    struct symbol *symbol = elaborate_declare(e, &name->name);
    char shown[LEX_QUOTE_MAX];
    int ends[2];
    if (!symbol) return false;
    symbol->kind = SYMBOL_BRANCH;
    if (!find_node(e, &from->target->token, &ends[0]) ||
        !find_node(e, &to->target->token, &ends[1]))
        return false;
    if (ends[0] == ends[1])
        return elaborate_fail(e, &to->target->token,
                              "the branch %s begins and ends at the same node",
                              lex_show(&name->name, shown));
    if (!check_elements(e, statement)) return false;
    if (circuit_add_branch(&e->model->circuit, elaborate_copy(e, &name->name), ends[0], ends[1]))
        return true;
    return elaborate_fail_memory(e);
}

/* Meshes are read by elaborate_circuit, when all branches are known. */
bool elaborate_mesh(struct elaborate *e, const struct tree_statement *statement) {
    (void)e;
    (void)statement;
    return true;
}

/* Next statement of a kind after `at`, or the first one if `at` is NULL. NULL: none. */
static const struct tree_statement *
next_statement(const struct elaborate *e, const struct tree_statement *at,
               bool (*kind)(struct elaborate *, const struct tree_statement *)) {
    at = at ? at->next : e->statements;
    while (at && at->kind->elaborate != kind) at = at->next;
    return at;
}

/* --- Stated meshes. */

/* Reads q[3] or q3 as the index of a mesh (0-based). */
static bool read_mesh(struct elaborate *e, const struct tree *target, int *mesh) {
    const struct tree *base = target->kind == TREE_PART ? target->first : target;
    const struct tree *index = base->next;
    const int count = e->model->circuit.nmeshes;
    long number = 0;
    char digits[16] = "";
    const bool is_plain = target->kind == TREE_NAME && base->token.length > 1 &&
                          (size_t)base->token.length < sizeof digits && *base->token.start == 'q';
    if (is_plain) memcpy(digits, base->token.start + 1, (size_t)base->token.length - 1);
    if (is_plain && strspn(digits, "0123456789") == strlen(digits)) {
        number = strtol(digits, NULL, 10);
    } else if (target->kind == TREE_PART && lex_is(&base->token, "q") && index && !index->next &&
               !target->primes) {
        if (!elaborate_integer(e, index, "the number of a mesh", 1, &number)) return false;
    } else {
        return elaborate_fail(e, &base->token,
                              "the charges of meshes are called q[1], q[2], ...: write 'mesh q[1] "
                              "= ..'");
    }
    *mesh = (int)number - 1;
    if (number >= 1 && number <= count) return true;
    return elaborate_fail(e, &base->token, "there is no mesh %ld: this circuit has %d", number,
                          count);
}

/* Adds the branches of a signed sum to the loop of a mesh. */
static bool add_branches(struct elaborate *e, const struct tree *tree, int sign, int mesh) {
    struct circuit *circuit = &e->model->circuit;
    char shown[LEX_QUOTE_MAX];
    if (tree->kind == TREE_MINUS) return add_branches(e, tree->first, -sign, mesh);
    if (tree->kind == TREE_CHAIN) {
        for (const struct tree *term = tree->first; term; term = term->next) {
            if (term->op == '*' || term->op == '/')
                return elaborate_fail(e, &term->token, "a mesh is a sum of branches, with signs");
            if (!add_branches(e, term, term->op == '-' ? -sign : sign, mesh)) return false;
        }
        return true;
    }
    const int b =
        tree->kind == TREE_NAME ? find_word(&tree->token, circuit->nbranches, circuit->branch) : -1;
    if (b < 0 && tree->kind != TREE_NAME)
        return elaborate_fail(e, &tree->token, "a mesh is a sum of branches, with signs");
    lex_show(&tree->token, shown);
    if (b < 0) return elaborate_fail(e, &tree->token, "unknown branch %s", shown);
    int *along = &circuit->loop[b * circuit->nmeshes + mesh];
    if (*along)
        return elaborate_fail(e, &tree->token, "the branch %s is in this mesh twice", shown);
    *along = sign;
    return true;
}

static bool check_closed(struct elaborate *e, const struct lex_token *where, int mesh) {
    const struct circuit *circuit = &e->model->circuit;
    for (int i = 0; i < circuit->nnodes; i++)
        if (circuit_defect(circuit, i, mesh) != 0)
            return elaborate_fail(e, where,
                                  "this mesh is not a loop: it does not close at the node "
                                  "'%.40s'",
                                  circuit->node[i]);
    return true;
}

static bool read_meshes(struct elaborate *e, const struct tree_statement *statement,
                        const struct lex_token **stated) {
    for (const struct tree_item *item = statement->item; item; item = item->next) {
        int mesh;
        if (!read_mesh(e, item->target, &mesh)) return false;
        if (stated[mesh])
            return elaborate_fail(e, &item->target->token, "the mesh %d is given twice", mesh + 1);
        stated[mesh] = &item->target->token;
        if (!add_branches(e, item->value, 1, mesh) || !check_closed(e, &item->value->token, mesh))
            return false;
    }
    return true;
}

/* Replaces the fundamental loops by those stated in the file, which must be all or none. */
static bool take_stated_loops(struct elaborate *e) {
    struct circuit *circuit = &e->model->circuit;
    const struct tree_statement *first = next_statement(e, NULL, elaborate_mesh);
    if (!first) return true;
    const size_t nmeshes = (size_t)circuit->nmeshes;
    const struct lex_token **stated = tree_take(&e->keep, nmeshes * sizeof(void *));
    if (!stated) return elaborate_fail_memory(e);
    memset(circuit->loop, 0, (size_t)circuit->nbranches * nmeshes * sizeof *circuit->loop);
    for (const struct tree_statement *s = first; s; s = next_statement(e, s, elaborate_mesh))
        if (!read_meshes(e, s, stated)) return false;
    for (int k = 0; k < circuit->nmeshes; k++)
        if (!stated[k])
            return elaborate_fail(e, &first->keyword,
                                  "the mesh %d is missing: this circuit has %d, and all are stated "
                                  "or none",
                                  k + 1, circuit->nmeshes);
    const int dependent = circuit_dependent_loop(circuit);
    if (dependent == -1) return true;
    if (dependent == -2) return elaborate_fail_memory(e);
    return elaborate_fail(e, stated[dependent], "the mesh %d is a sum of the others",
                          dependent + 1);
}

/* `mesh q1 = ..` declares the name q1 for q[1]. */
static bool declare_names(struct elaborate *e) {
    for (const struct tree_statement *s = next_statement(e, NULL, elaborate_mesh); s;
         s = next_statement(e, s, elaborate_mesh))
        for (const struct tree_item *item = s->item; item; item = item->next) {
            int mesh;
            if (item->target->kind != TREE_NAME) continue;
            if (!read_mesh(e, item->target, &mesh)) return false;
            if (!elaborate_declare_part(e, &item->target->token, mesh + 1)) return false;
        }
    return true;
}

/* --- Circuit. */

/* Fails if branches that consist of a source alone close a loop. */
static bool check_sources(struct elaborate *e) {
    const struct circuit *circuit = &e->model->circuit;
    bool *is_ideal = tree_take(&e->pool, (size_t)circuit->nbranches * sizeof *is_ideal);
    if (!is_ideal) return elaborate_fail_memory(e);
    const struct tree_statement *s = NULL;
    for (int b = 0; b < circuit->nbranches; b++) {
        s = next_statement(e, s, elaborate_branch);
        const struct tree_item *item = first_element(s);
        is_ideal[b] = !item->next && lex_is(&item->target->token, elements[SOURCE]);
    }
    const int closing = circuit_closing(circuit, is_ideal);
    if (closing == -1) return true;
    if (closing == -2) return elaborate_fail_memory(e);
    s = NULL;
    for (int b = 0; b <= closing; b++) s = next_statement(e, s, elaborate_branch);
    return elaborate_fail(e, &s->item->name,
                          "a loop of ideal sources: '%.40s' closes it, and nothing limits its "
                          "current",
                          circuit->branch[closing]);
}

static bool check_connected(struct elaborate *e) {
    const struct circuit *circuit = &e->model->circuit;
    const int disconnected = circuit_disconnected_node(circuit);
    if (disconnected == -1) return true;
    if (disconnected == -2) return elaborate_fail_memory(e);
    for (const struct tree_statement *s = next_statement(e, NULL, elaborate_node); s;
         s = next_statement(e, s, elaborate_node))
        for (const struct tree_item *item = s->item; item; item = item->next)
            if (lex_is(&item->name, circuit->node[disconnected]))
                return elaborate_fail(e, &item->name,
                                      "the circuit is not connected: no branches lead from '%.40s' "
                                      "to '%.40s'",
                                      circuit->node[0], circuit->node[disconnected]);
    return true;
}

/* Charge or current of a branch: the signed sum over its meshes. */
static int sum_meshes(struct elaborate *e, int branch, enum graph_op leaf) {
    const struct circuit *circuit = &e->model->circuit;
    const struct noe_coordinate *charges = &e->model->coordinate[e->charges];
    const int first = leaf == GRAPH_POINT ? charges->point.first : charges->tangent.first;
    struct graph *graph = e->make.graph;
    int sum = graph_number(graph, 0);
    for (int k = 0; k < circuit->nmeshes; k++) {
        const int along = circuit->loop[branch * circuit->nmeshes + k];
        const int mesh = graph_leaf(graph, leaf, first + k);
        if (along) sum = along > 0 ? graph_add(graph, sum, mesh) : graph_sub(graph, sum, mesh);
    }
    return sum;
}

/* Defines the names of branches as charges, and with a prime as currents. */
static bool define_branches(struct elaborate *e) {
    const struct tree_statement *s = NULL;
    for (int b = 0; b < e->model->circuit.nbranches; b++) {
        s = next_statement(e, s, elaborate_branch);
        struct symbol *symbol = symbol_find(&e->names, &s->item->name);
        symbol->value = value_scalar(sum_meshes(e, b, GRAPH_POINT));
        symbol->companion = value_scalar(sum_meshes(e, b, GRAPH_VELOCITY));
    }
    return true;
}

bool elaborate_circuit(struct elaborate *e) {
    struct circuit *circuit = &e->model->circuit;
    const struct tree_statement *branch = next_statement(e, NULL, elaborate_branch);
    const struct tree_statement *mesh = next_statement(e, NULL, elaborate_mesh);
    const struct tree_statement *other = next_statement(e, NULL, elaborate_node);
    if (!other) other = mesh;
    if (!branch)
        return !other || elaborate_fail(e, &other->keyword, "a circuit without a 'branch'");
    if (!check_connected(e) || !check_sources(e)) return false;
    if (!circuit_find_loops(circuit)) return elaborate_fail_memory(e);
    if (circuit->nmeshes == 0)
        return elaborate_fail(e, &branch->keyword, "the circuit has no loop: no current can flow");
    const struct lex_token charges = {.kind = LEX_NAME,
                                      .start = "q",
                                      .length = 1,
                                      .line = branch->keyword.line,
                                      .column = branch->keyword.column};
    if (symbol_find(&e->names, &charges))
        return elaborate_fail(e, &charges,
                              "'q' is declared already: the charges of meshes are called q[1], "
                              "q[2], ...");
    e->charges = e->model->ncoordinates;
    return take_stated_loops(e) && elaborate_declare_vector(e, &charges, circuit->nmeshes) &&
           declare_names(e) && define_branches(e);
}

/* --- Energies and forces. */

/* Adds one element of branch b with the given charge u and current i: magnetic energy L i^2/2,
 * electric energy u^2/(2C), voltage R i against the current, or source voltage along it. */
static bool add_element(struct elaborate *e, const struct tree_item *item, int b, int charge,
                        int current) {
    struct graph *graph = e->make.graph;
    const struct lex_token *word = &item->target->token;
    const int kind = find_word(word, ELEMENTS, (char *const *)elements);
    char shape[VALUE_SHAPE_MAX];
    struct value value;
    if (!elaborate_value(e, item->value, &value)) return false;
    if (value.rank != 0)
        return elaborate_fail(e, &item->value->token, "%s is a scalar, found a %s", elements[kind],
                              value_shape(&value, shape));
    if (kind == CAPACITANCE && graph_is_number(graph, value.scalar, 0))
        return elaborate_fail(e, &item->value->token, "a capacitance of zero");
    const int half = graph_number(graph, (real)0.5);
    if (kind == INDUCTANCE) {
        const int energy = graph_mul(graph, value.scalar, graph_power(graph, current, 2));
        e->model->lagrangian =
            graph_add(graph, e->model->lagrangian, graph_mul(graph, half, energy));
    } else if (kind == CAPACITANCE) {
        const int energy = graph_div(graph, graph_power(graph, charge, 2), value.scalar);
        e->model->lagrangian =
            graph_sub(graph, e->model->lagrangian, graph_mul(graph, half, energy));
    } else {
        const int voltage = kind == SOURCE
                                ? value.scalar
                                : graph_neg(graph, graph_mul(graph, value.scalar, current));
        const struct circuit *circuit = &e->model->circuit;
        const int first = e->model->coordinate[e->charges].tangent.first;
        for (int k = 0; k < circuit->nmeshes; k++) {
            const int along = circuit->loop[b * circuit->nmeshes + k];
            const int share = along > 0 ? voltage : graph_neg(graph, voltage);
            if (along && !elaborate_add_force(e, first + k, share)) return false;
        }
    }
    return true;
}

bool elaborate_circuit_energy(struct elaborate *e) {
    const struct circuit *circuit = &e->model->circuit;
    const struct tree_statement *s = NULL;
    for (int b = 0; b < circuit->nbranches; b++) {
        s = next_statement(e, s, elaborate_branch);
        const struct symbol *symbol = symbol_find(&e->names, &s->item->name);
        for (const struct tree_item *item = first_element(s); item; item = item->next)
            if (!add_element(e, item, b, symbol->value.scalar, symbol->companion.scalar))
                return false;
    }
    if (circuit->nbranches == 0) return true;
    if (!(graph_depends(e->make.graph, e->model->lagrangian) & GRAPH_ON_VELOCITY))
        return elaborate_fail(e, &next_statement(e, NULL, elaborate_branch)->keyword,
                              "the circuit has no inductance: no current has a momentum");
    e->has_lagrangian = true;
    return e->make.graph->failed ? elaborate_fail_memory(e) : true;
}
