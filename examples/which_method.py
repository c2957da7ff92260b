#!/usr/bin/env python3
"""which_method.py [--into PAGE]: measures conservation and cost of classes of methods.

Prints the tables of docs/choosing_a_method.md, or puts them into that page between its markers. NOETHER
names the command where it is not in the path. Takes some minutes; times depend on the machine,
everything else does not.
"""
# SPDX-License-Identifier: MIT
import json
import math
import os
import subprocess
import sys

NOETHER = os.environ.get("NOETHER", "noether")
EXAMPLES = os.path.dirname(os.path.abspath(__file__))

FIXED = ["verlet", "midpoint", "splitting order=4", "splitting order=8", "gauss stages=2",
         "gauss stages=4", "hermite-variational n=3", "hermite-galerkin n=2", "hermite-galerkin n=3"]
ENERGY = ["discrete-gradient kind=gonzalez", "discrete-gradient kind=equivariant",
          "discrete-gradient kind=avf", "energy-momentum"]
ADAPTIVE = ["energy-midpoint guard=anchored", "energy-gauss stages=2 guard=anchored"]
PLAIN = ["rk4", "dopri5"]
ON_GROUPS = ["lgvi", "verlet", "midpoint", "gauss stages=2", "gauss stages=4", "energy-midpoint",
             "energy-gauss stages=2 guard=anchored", "rk4", "dopri5"]
DRIVEN = [m for m in FIXED if not m.startswith("splitting")] + ENERGY[:3] + ADAPTIVE + PLAIN

# Title, model, time, longest step, methods.
PROBLEMS = [
    ("Particle in a hat, t = 20", "hat", 20, 0.4, FIXED + ENERGY + ADAPTIVE + PLAIN),
    ("Double pendulum, t = 2", "double_pendulum", 2, 0.05,
     [m for m in FIXED if not m.startswith("splitting")] + ENERGY[:3] + ADAPTIVE + PLAIN),
    ("Wing section in the wind, t = 1", "aeroelastic_section", 1, 0.02, DRIVEN),
    ("Pendulum in space, t = 5", "pendulum_3d", 5, 0.1, ON_GROUPS),
]
HALVINGS = 10
WANTED = [1e-3, 1e-6, 1e-9]


def noether(command, name, *options):
    path = os.path.join(EXAMPLES, name + ".noe")
    done = subprocess.run([NOETHER, command, path, "--json", *options], capture_output=True,
                          text=True, check=False)
    return json.loads(done.stdout)


def short(number):
    return f"{number:.1e}".replace("e-0", "e-").replace("e+0", "e") if number else "0"


def cost(rows, wanted):
    """Microseconds and evaluations for an error, between the two steps around it."""
    rows = sorted(rows, key=lambda row: -row["error"])
    for coarse, fine in zip(rows, rows[1:]):
        if coarse["error"] >= wanted >= fine["error"] > 0:
            part = math.log(wanted / coarse["error"]) / math.log(fine["error"] / coarse["error"])
            return [coarse[key] * (fine[key] / coarse[key])**part
                    for key in ("seconds", "evaluations")]
    return None


def cost_cell(rows, wanted):
    found = cost(rows, wanted)
    if found:
        return f"{found[0] * 1e6:.3g} ({found[1]:.2g})".replace("e+0", "e")
    return "less" if rows and rows[0]["error"] < wanted else "-"


def cost_table(title, name, time, longest, methods):
    steps = ",".join(f"{longest / 2**k:.10g}" for k in range(HALVINGS))
    answer = noether("compare", name, "--until", str(time), "--steps", steps, "--methods",
                     ", ".join(methods), "--specialised")
    yield f"**{title}**: microseconds (evaluations of the model) to an error of"
    yield ""
    yield "| method | " + " | ".join(f"{wanted:.0e}".replace("e-0", "e-") for wanted in WANTED) + " |"
    yield "|---|" + "---|" * len(WANTED)
    for method in methods:
        rows = [row for row in answer["rows"] if row["method"] == method]
        cells = [cost_cell(rows, wanted) for wanted in WANTED]
        yield f"| `{method}` | " + " | ".join(cells) + " |"
    yield ""


def kept_table():
    yield "| method | energy, t = 1000 | t = 10 000 | turning | discrete energy |"
    yield "|---|---|---|---|---|"
    for method in FIXED + ENERGY + ADAPTIVE + PLAIN:
        runs = [noether("run", "hat", "--method", method, "--until", str(until), "--step", "0.1",
                        "--sample", "1000000") for until in (1000, 10000)]
        if runs[1]["status"] != "ok":
            yield f"| `{method}` | {runs[1]['status']} | | | |"
            continue
        discrete = runs[1].get("discrete_energy", {}).get("max_error")
        cells = [short(run["energy"]["max_error"]) for run in runs]
        cells.append(short(runs[1]["invariants"]["turning"]["max_error"]))
        cells.append("" if discrete is None else short(discrete))
        yield f"| `{method}` | " + " | ".join(cells) + " |"
    yield ""


def tables():
    yield "### What is kept"
    yield ""
    yield ("Largest deviations on the particle in a hat with h = 0.1 (`dopri5` chooses its steps); "
           "energy -0.0675, turning 0.235.")
    yield ""
    yield from kept_table()
    yield "### What it costs"
    yield ""
    for problem in PROBLEMS:
        yield from cost_table(*problem)


def main():
    text = "\n".join(tables())
    if len(sys.argv) < 3:
        print(text)
        return
    begin, end = "<!-- measured: begin -->\n", "<!-- measured: end -->"
    with open(sys.argv[2], encoding="utf-8") as file:
        page = file.read()
    head, rest = page.split(begin)
    tail = rest.split(end)[1]
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(head + begin + text + "\n" + end + tail)


if __name__ == "__main__":
    main()
