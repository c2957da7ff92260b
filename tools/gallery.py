#!/usr/bin/env python3
"""gallery.py NOETHER RESULTS: writes docs/gallery.md from the results of 'noether reproduce all -o RESULTS'.
It lists the verdicts and draws the first picture of each experiment into docs/pictures/gallery."""
# SPDX-License-Identifier: MIT
import json
import os
import shlex
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PICTURES = "docs/pictures/gallery"
WORDS = ("reproduced", "reproduced under a convention", "narrowed", "open", "refuted")


def results(folder):
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name, "result.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                yield json.load(file)


def draw(noether, folder, result):
    """The path of the first picture, or None."""
    if not result["pictures"]:
        return None
    picture = result["pictures"][0]
    target = os.path.join(ROOT, PICTURES, result["name"] + ".png")
    words = shlex.split(picture["command"])[1:] + shlex.split(picture["quick"] or "")
    subprocess.run([noether, *words, "-o", os.path.abspath(target)], check=True,
                   cwd=os.path.join(folder, result["name"]), stdout=subprocess.DEVNULL)
    return f"pictures/gallery/{result['name']}.png"


def claims(result):
    lines = ["| what was published | verdict | |", "|---|---|---|"]
    for claim in result["claims"]:
        cells = [f"{claim['keys']}: {claim['published']}", f"**{claim['verdict']}**",
                 claim["reason"]]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return lines


def page(noether, folder):
    found = list(results(folder))
    verdicts = [claim["verdict"] for result in found for claim in result["claims"]]
    counts = ", ".join(f"{verdicts.count(word)} {word}" for word in WORDS)
    lines = ["# Gallery: the published experiments", "",
             "Written by `tools/gallery.py` from the results of `noether reproduce all`, which makes a "
             "page with all comparisons and pictures. `noether reproduce NAME` repeats one; "
             "[experiments](../experiments/README.md) explains how they are stated. "
             "[published_results.md](published_results.md) discusses the results. Keys begin "
             "with author and year of the document: Bou-Rabee (2007), Ober-Blöbaum, Arnold, Flaßkamp "
             "and Kern (2016), Sato Martín de Almagro (2018), Sharma, Patil and Woolsey (2019), Sharma "
             "(2020).", "",
             f"{len(verdicts)} claims: {counts}."
             + (" The pictures are of shortened runs (`--quick`)." if found[0]["quick"] else "")]
    for result in found:
        lines += ["", f"## {result['title']}", "",
                  f"{result['source']}. `noether reproduce {result['name']}`", ""]
        picture = draw(noether, folder, result)
        if picture:
            lines += [f"![{result['pictures'][0]['title']}]({picture})", "",
                      f"*{result['pictures'][0]['title']}*", ""]
        lines += claims(result)
    return "\n".join(lines) + "\n"


def main():
    noether, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    os.makedirs(os.path.join(ROOT, PICTURES), exist_ok=True)
    with open(os.path.join(ROOT, "docs/gallery.md"), "w", encoding="utf-8") as file:
        file.write(page(noether, folder))


if __name__ == "__main__":
    main()
