#!/usr/bin/env python3
"""docs.py [--check] NOETHER: writes the tables of methods and options and the manual page from the
output of the command. With --check it only lists the files that are not current."""
# SPDX-License-Identifier: MIT
import json
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def ask(noether, *arguments):
    return subprocess.run([noether, *arguments], capture_output=True, text=True, check=True).stdout


def subcommands(noether):
    return re.findall(r"^  ([a-z]+) ", ask(noether, "--help"), re.MULTILINE)


def cell(text):
    return text.replace("|", "\\|")


def method_options(noether):
    """{method: text of its options}, from the text listing."""
    found, name = {}, None
    for line in ask(noether, "methods").splitlines():
        option = re.match(r"      (\w+) = (.*)", line)
        if option:
            found.setdefault(name, []).append(f"`{option[1]}` = {option[2]}")
        elif line[:1].strip():
            name = line.split()[0]
    return found


def method_row(method, options):
    served = ", ".join(method["spaces"] + method["constraints"])
    cells = [f"`{method['name']}`", str(method["order"]), ", ".join(method["traits"]),
             "; ".join(options.get(method["name"], [])), served, method["summary"],
             method["reference"]]
    return "| " + " | ".join(cell(text) for text in cells) + " |"


def methods_page(noether):
    methods = json.loads(ask(noether, "methods", "--json"))
    options = method_options(noether)
    lines = ["# Methods", "", "Written by `make docs` from `noether methods`. In a model file:"
             " `method NAME key = value ...`; on the command line: `--method \"NAME key=value ...\"`."
             " Order and traits are claims that the tests measure.", "",
             "| name | order | traits | options | serves | what it is | reference |",
             "|---|---|---|---|---|---|---|"]
    return "\n".join(lines + [method_row(method, options) for method in methods]) + "\n"


def options_page(noether):
    lines = ["# Subcommands and options", "", "Written by `make docs` from the command's help.", "",
             "```", ask(noether, "--help").rstrip(), "```"]
    for name in subcommands(noether):
        lines += ["", f"## {name}", "", "```", ask(noether, name, "--help").rstrip(), "```"]
    return "\n".join(lines) + "\n"


def option_rows(help_text):
    """(letter, name, value, text) of every option line of a help text."""
    pattern = r"^  (?:-(\w)(?:, )?|    )(?:--([a-z-]+))? ?(\S.*?)?  +(\S.*)$"
    return re.findall(pattern, help_text.split("\noptions\n", 1)[1], re.MULTILINE)


def manual_options(noether):
    lines = []
    for name in subcommands(noether):
        lines += [f".Ss Options of {name}", ".Bl -tag -width Ds"]
        for letter, option, value, text in option_rows(ask(noether, name, "--help")):
            flags = [f"Fl {letter}"] * bool(letter) + [f"Fl -{option}"] * bool(option)
            argument = " Ar " + value.replace('"', "\\(dq") if value else ""
            lines += [".It " + " , ".join(flags) + argument, text]
        lines.append(".El")
    return "\n".join(lines)


def manual_page(noether):
    with open(os.path.join(ROOT, "packaging/noether.1.in"), encoding="utf-8") as file:
        return file.read().replace("@OPTIONS@", manual_options(noether))


PAGES = {"docs/methods.md": methods_page, "docs/options.md": options_page,
         "packaging/noether.1": manual_page}


def main():
    arguments = sys.argv[1:]
    check = arguments[0] == "--check"
    noether = os.path.abspath(arguments[-1])
    stale = []
    for path, page in PAGES.items():
        text = page(noether)
        full = os.path.join(ROOT, path)
        current = open(full, encoding="utf-8").read() if os.path.exists(full) else None
        if text == current:
            continue
        stale.append(path)
        if not check:
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
    for path in stale:
        print(f"docs: {path} " + ("is not current: run 'make docs'" if check else "written"))
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
