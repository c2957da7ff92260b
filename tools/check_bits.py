#!/usr/bin/env python3
"""check_bits.py COMMAND [OTHER]: every example takes 50 steps, and all ways to take them give the same bits.

The ways are: models compiled by gcc and by clang, and the same with OTHER, a command that another compiler
built. Every eighth example also takes its steps with specialised steppers, which tests/cli_steppers.py
compares for gcc.
"""
# SPDX-License-Identifier: MIT
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STEPS = "50"
KEYS = ("status", "steps", "time", "start", "final", "energy", "invariants")


def ways(commands, options):
    """Names of the ways, with the command, its options and the compiler of models."""
    for command in commands:
        for compiler in filter(shutil.which, ("gcc", "clang")):
            for option in options:
                yield f"{os.path.relpath(command, SOURCE)} {option} {compiler}", command, option, compiler


def result(command, option, compiler, model, cache):
    environment = dict(os.environ, NOETHER_CC=compiler, NOETHER_CACHE=os.path.join(cache, compiler))
    done = subprocess.run([command, "run", model, "--steps", STEPS, "--json", "--quiet", option], timeout=300,
                          capture_output=True, text=True, env=environment, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(f"bits: {model} {option}: exit status {done.returncode}\n{done.stderr}")
    report = json.loads(done.stdout)
    return {key: report.get(key) for key in KEYS}


def compare(model, commands, options, cache):
    """The ways whose result differs from the first one."""
    found = {name: result(command, option, compiler, model, cache)
             for name, command, option, compiler in ways(commands, options)}
    first = next(iter(found.values()))
    return [name for name, value in found.items() if value != first]


def main():
    commands = [os.path.abspath(path) for path in sys.argv[1:3]]
    models = sorted(glob.glob(os.path.join(SOURCE, "examples", "*.noe")))
    differ = 0
    with tempfile.TemporaryDirectory() as cache:
        for i, model in enumerate(models):
            names = compare(model, commands, ["--generic", "--specialised"][:1 + (i % 8 == 0)], cache)
            if names:
                differ += 1
                print(f"{os.path.basename(model)}: other bits with", "; ".join(names))
    print(f"bits: {len(models) - differ} of {len(models)} examples have the same bits in all ways")
    sys.exit(differ > 0)


if __name__ == "__main__":
    main()
