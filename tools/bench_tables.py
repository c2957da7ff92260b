#!/usr/bin/env python3
"""bench_tables.py BUILD: writes the tables of the last `make bench` in BUILD into the section
"A run" of docs/benchmarks.md."""
# SPDX-License-Identifier: MIT
import csv
import os
import re
import sys

DOCUMENT = "docs/benchmarks.md"
RACES = ["oscillators", "planets", "pendulum", "bodies"]
PEERS = {"sundials": "SUNDIALS", "gsl": "GSL", "odeint": "odeint", "petsc": "PETSc"}
FOLDER = os.path.join(sys.argv[1] if len(sys.argv) > 1 else "build", "bench")


def rows(name):
    with open(os.path.join(FOLDER, name + ".csv"), encoding="utf-8") as file:
        return [row for row in csv.reader(file) if row]


def table(head, body):
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *body]) + "\n"


def groups(name):
    """The races of a program: lists of rows. The first row of each is the loop by hand."""
    found, keys = [], rows(name)[0]
    for row in rows(name):
        if len(row) != len(keys) or row[0] == keys[0]:
            continue
        entry = dict(zip(keys, row))
        if entry["solver"] == "by hand" and entry["method"] != "leapfrog":
            found.append([])
        found[-1].append(entry)
    return found


def what(entry):
    return [entry["problem"], f"{entry['method']}, h = {entry['step']}"]


def steps():
    body = []
    for name in RACES:
        for group in groups(name):
            ours = {row["solver"]: row["ratio to first"] for row in group if row["solver"].startswith("noether")}
            back = "noether falls back"
            special = ours[back] + " (falls back)" if back in ours else ours.get("noether", "-")
            body.append([*what(group[0]), group[0]["ns a step"] + " ns", special, ours.get("noether generic", "-")])
    return table(["problem", "method", "by hand", "noether / by hand", "generic / by hand"], body)


def evaluations():
    body = []
    for name in [*RACES, "chain"]:
        for group in groups(name):
            cells = [", ".join(f"{row['times noether' + chr(39) + 's']} ({row['method']})" for row in group
                               if row["solver"] == peer) or "-" for peer in PEERS]
            if any(cell != "-" for cell in cells):
                body.append([*what(group[0]), *cells])
    return table(["problem", "method of noether", *PEERS.values()], body)


def growth():
    def cell(time, ratio):
        return "-" if time == "-" else f"{time} ({ratio})"

    body = [[row[0], row[1], *(cell(row[i], row[i + 3]) for i in (2, 3, 4))]
            for row in rows("chain") if re.match(r"(verlet|midpoint) \d", row[0])]
    return table(["chain", "by hand", "noether", "generic", "callbacks"], body)


def precision():
    found = rows("precision")
    starts = [i for i, row in enumerate(found) if row[0] == "error"]
    names = ["planets, t = 200000 days", "double pendulum, t = 10"]
    return "\n".join(table([name, *found[i][1:]], found[i + 1:i + 11]) for name, i in zip(names, starts))


def lanes():
    """SIMD lanes: the number of runs that one core steps in the time of one by hand, and the gain of two cores."""
    races = {}
    for row in rows("lanes")[1:]:
        if len(row) == 7 and row[0] != "problem":
            entry = races.setdefault(tuple(row[:3]), {"runs": "1"})
            width = re.match(r"lanes (\d+)", row[3])
            if not width:
                entry["hand"] = row[4] + " ns"
            elif width[1] != "1":
                entry["plain" if row[3].endswith("plain") else "lanes"] = row[5]
                entry["runs"] = width[1]
    body = [[problem, f"{method}, h = {step}", entry["hand"], entry["runs"], entry.get("lanes", "-"),
             entry.get("plain", "-")] for (problem, method, step), entry in races.items()]
    with open(os.path.join(FOLDER, "lanes.txt"), encoding="utf-8") as file:
        threads = [f"- {line.strip()}" for line in file if "two threads" in line]
    head = ["problem", "method", "by hand", "runs", "times by hand", "with plain sums"]
    return "\n".join([table(head, body), *threads])


def whole(name):
    found = rows(name)
    return table(found[0], found[1:])


def callbacks():
    return table(["problem", "method", "by hand", "callbacks / by hand"],
                 [[*what(group[0]), group[0]["ns a step"] + " ns", group[1]["ratio to first"]]
                  for group in groups("generic")])


def machine():
    with open(os.path.join(FOLDER, "planets.txt"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    return f"{lines[1].split(':', 1)[1].strip()}; {lines[2].split(':', 1)[1].strip()}."


SECTIONS = [
    ("Steps", steps),
    ("Lanes: runs that one core steps in the time of one by hand", lanes),
    ("One force evaluation: time as a multiple of noether's", evaluations),
    ("Chains: nanoseconds of a step and degree of freedom, and the ratio to by hand", growth),
    ("Derivatives", lambda: whole("derivatives")),
    ("Callbacks in C", callbacks),
    ("Work and precision: time to a relative error of the configuration", precision),
    ("Output", lambda: whole("output")),
]


def main():
    try:
        parts = ["## A run", machine() + "\nThe machine was shared with other work: read ratios, "
                 "not times. Bodies: a pendulum in space (J = diag(1, 2.8, 2)) and a\nbody without forces "
                 "(J = diag(2, 3, 4)), with its attitude; the loops by hand neither compensate round-off "
                 "nor repair R."]
        for title, make in SECTIONS:
            parts += ["### " + title, make()]
    except FileNotFoundError as missing:
        sys.exit(f"bench_tables: {missing.filename} is missing; 'make bench' writes it")
    with open(DOCUMENT, encoding="utf-8") as file:
        kept = file.read().split("## A run")[0]
    with open(DOCUMENT, "w", encoding="utf-8") as file:
        file.write(kept + "\n\n".join(part.rstrip("\n") for part in parts) + "\n")


main()
