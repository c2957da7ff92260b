"""The models and commands in README.md and in the tutorial run as they are printed."""
# SPDX-License-Identifier: MIT
import os
import re
import shutil
import subprocess
import tempfile
import unittest

NOETHER = os.environ["NOETHER"]
SOURCE = os.environ.get("NOETHER_SOURCE", os.path.join(os.path.dirname(__file__), ".."))


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def blocks(path, language):
    return re.findall(rf"^```{language}\n(.*?)^```", read(path), re.MULTILINE | re.DOTALL)


class Tutorial(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        for name, text in zip(["bead.noe", "motor.noe", "bodies.noe", "handle.noe"], blocks("docs/tutorial.md", "noe")):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(text)

    def run_line(self, line):
        words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', line)]
        done = subprocess.run([NOETHER, *words[1:]], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr}")

    def test_every_command_works(self):
        lines = [line for block in blocks("docs/tutorial.md", "sh") for line in block.splitlines()
                 if line.startswith("noether ")]
        self.assertGreater(len(lines), 8)
        for line in lines + ["noether run bodies.noe"]:
            with self.subTest(line=line):
                self.run_line(line)
        for name in ["bead.png", "motor.csv", "height.png", "handle.png", "bead.c"]:
            self.assertGreater(os.path.getsize(os.path.join(self.folder, name)), 0)

    def test_error_is_what_the_tutorial_shows(self):
        path = os.path.join(self.folder, "bead.noe")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("omega^2", "omga^2", 1))
        done = subprocess.run([NOETHER, "run", "bead.noe"], cwd=self.folder, capture_output=True, text=True)
        shown = blocks("docs/tutorial.md", "text")[0].strip()
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.splitlines()[0], shown)


class Language(unittest.TestCase):
    def test_examples_run(self):
        examples = blocks("docs/language.md", "noe")
        self.assertEqual(len(examples), 4)
        for example in examples:
            with tempfile.TemporaryDirectory() as folder, self.subTest(example=example):
                path = os.path.join(folder, "example.noe")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(example)
                done = subprocess.run([NOETHER, "run", path], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr, "")


class Readme(unittest.TestCase):
    def test_example_is_the_file_it_names(self):
        shown = re.search(r"`(examples/\S+\.noe)`:\n\n```\n(.*?)^```", read("README.md"),
                          re.MULTILINE | re.DOTALL)
        file = "".join(line for line in read(shown[1]).splitlines(True) if not line.startswith("#"))
        self.assertEqual(shown[2], file)

    def test_links_lead_somewhere(self):
        for page in ["README.md", "CONTRIBUTING.md", "docs/tutorial.md", "docs/language.md",
                     "docs/architecture.md", "docs/gallery.md", "docs/what_the_papers_say.md",
                     "experiments/README.md"]:
            for link in re.findall(r"\]\(([^)#:]+)\)", read(page)):
                path = os.path.join(SOURCE, os.path.dirname(page), link)
                self.assertTrue(os.path.exists(path), f"{page}: {link}")


if __name__ == "__main__":
    unittest.main()
