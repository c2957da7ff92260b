"""Models, commands and links of the documents: models run, commands work as printed, links lead somewhere."""
# SPDX-License-Identifier: MIT
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

NOETHER = os.environ["NOETHER"]
SOURCE = os.path.abspath(os.environ.get("NOETHER_SOURCE", os.path.join(os.path.dirname(__file__), "..")))

# Commands that take long; others with capital words are templates. Neither is run.
LONG = ("noether reproduce all", "--steps 1000000000", "kirchhoff_orbits", "henon_heiles_chaos")


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def pages():
    folders = ["", "docs", "experiments"]
    return [os.path.join(folder, name) for folder in folders
            for name in sorted(os.listdir(os.path.join(SOURCE, folder))) if name.endswith(".md")]


def blocks(path, language):
    return re.findall(rf"^```{language}\n(.*?)^```", read(path), re.MULTILINE | re.DOTALL)


def anchor(heading):
    """The fragment by which a page refers to a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().lower().replace("`", ""))
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(path):
    text = re.sub(r"^```.*?^```", "", read(path), flags=re.MULTILINE | re.DOTALL)
    return {anchor(heading) for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


def shown_commands(page):
    """Every line of a code block, and every indented line, that begins with the command."""
    text = re.sub(r"\\\n\s*", "", read(page))
    return [line.strip() for line in re.findall(r"^ {0,4}noether .*$", text, re.MULTILINE)]


class DocumentTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_line(self, line, status=0):
        words = shlex.split(line, comments=True)
        done = subprocess.run([NOETHER, *words[1:]], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, f"{line}\n{done.stderr}")
        return done


class Tutorial(DocumentTest):
    def setUp(self):
        super().setUp()
        for name, text in zip(["bead.noe", "motor.noe", "bodies.noe", "handle.noe"],
                              blocks("docs/tutorial.md", "noe")):
            self.write(name, text)

    def test_every_command_works(self):
        lines = [line for block in blocks("docs/tutorial.md", "sh") for line in block.splitlines()
                 if line.startswith("noether ")]
        self.assertGreater(len(lines), 8)
        for line in lines + ["noether run bodies.noe"]:
            with self.subTest(line=line):
                self.run_line(line)
        for name in ["bead.png", "motor.csv", "height.png", "handle.png", "bead.c"]:
            self.assertGreater(os.path.getsize(os.path.join(self.folder, name)), 0)

    def test_error_is_the_one_shown(self):
        self.write("bead.noe", blocks("docs/tutorial.md", "noe")[0].replace("omega^2", "omga^2", 1))
        done = self.run_line("noether run bead.noe", status=2)
        shown = blocks("docs/tutorial.md", "text")[0].strip()
        self.assertEqual(done.stderr.splitlines()[0], shown)


class Models(DocumentTest):
    """The models of all other pages, each with the subcommand that its statements call for."""

    def subcommand(self, text):
        if re.search(r"^control ", text, re.MULTILINE):
            return "control"
        if re.search(r"^minimize ", text, re.MULTILINE):
            return "optimise"
        return "ensemble" if re.search(r"^members ", text, re.MULTILINE) else "run"

    def test_models_run(self):
        count = 0
        for page in pages():
            if page == "docs/tutorial.md":
                continue
            for text in blocks(page, "noe"):
                count += 1
                self.write("model.noe", text)
                with self.subTest(page=page, model=text.splitlines()[0]):
                    done = self.run_line(f"noether {self.subcommand(text)} model.noe")
                    self.assertEqual(done.stderr, "")
        self.assertGreater(count, 8)


class Commands(DocumentTest):
    """Commands of the pages on files of examples/; the tutorial's own are tested above."""

    def setUp(self):
        super().setUp()
        os.symlink(os.path.join(SOURCE, "examples"), os.path.join(self.folder, "examples"))
        for name in os.listdir(os.path.join(SOURCE, "examples/optimise")):
            os.symlink(os.path.join(SOURCE, "examples/optimise", name), os.path.join(self.folder, name))

    def test_commands_work(self):
        count = 0
        for page in pages():
            if page in ("docs/tutorial.md", "docs/options.md", "docs/gallery.md"):
                continue
            for line in shown_commands(page):
                if any(part in line for part in LONG) or re.search(r"\b[A-Z]{4,}\b", line):
                    continue
                line += " -o picture.png" if line.startswith("noether plot") and " -o " not in line else ""
                count += 1
                with self.subTest(page=page, line=line):
                    self.run_line(line)
        self.assertGreater(count, 6)

    def test_scripts_exist(self):
        for page in pages():
            for script in re.findall(r"^(?:NOETHER=\S+ )?((?:examples|tools)/\S+)", read(page), re.MULTILINE):
                self.assertTrue(os.access(os.path.join(SOURCE, script), os.X_OK), f"{page}: {script}")


class Links(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for page in pages():
            text = re.sub(r"^```.*?^```", "", read(page), flags=re.MULTILINE | re.DOTALL)
            for link in re.findall(r"\]\(([^)\s:]+)\)", text):
                name, _, fragment = link.partition("#")
                path = os.path.normpath(os.path.join(os.path.dirname(page), name)) if name else page
                with self.subTest(page=page, link=link):
                    self.assertTrue(os.path.exists(os.path.join(SOURCE, path)))
                    if fragment:
                        self.assertIn(fragment, anchors(path))

    def test_named_files_exist(self):
        """Paths of the tree in backquotes, except patterns, templates and the worked examples' targets."""
        examples = os.listdir(os.path.join(SOURCE, "tests/contributing"))
        for page in pages():
            for path in re.findall(r"`((?:src|docs|tests|tools|examples|bench|include)/[a-z0-9_/]+\.\w+)`",
                                   read(page)):
                with self.subTest(page=page, path=path):
                    self.assertTrue(os.path.exists(os.path.join(SOURCE, path))
                                    or os.path.basename(path) in examples)

    def test_terms_lead_to_files(self):
        done = subprocess.run([os.path.join(SOURCE, "tools/check_terms.sh")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


class Readme(unittest.TestCase):
    def test_example_is_the_file_it_names(self):
        shown = re.search(r"`(examples/\S+\.noe)`:\n\n```\n(.*?)^```", read("README.md"),
                          re.MULTILINE | re.DOTALL)
        file = "".join(line for line in read(shown[1]).splitlines(True) if not line.startswith("#"))
        self.assertEqual(shown[2], file)


if __name__ == "__main__":
    unittest.main()
