"""noether reproduce: list, verdicts, report, stored results and rejections, and the inventory of
published results against the experiments."""
# SPDX-License-Identifier: MIT
import html.parser
import json
import os
import shutil
import subprocess
import unittest

import browser
from command import CommandTest

EXPERIMENTS = os.path.join(os.environ["NOETHER_SOURCE"], "experiments")

OSCILLATOR = """model "Oscillator"
coord q
L = (q'^2 - q^2)/2
start q = 1
section cut : q = 0 record q', t
method midpoint
step 0.1
until 10
"""
EXPERIMENT = """title  An oscillator
source Nobody (1900), Table 1
about  It swings.
chosen q(0) = 1 : it had to be something
# a comment
run fixed : noether run model.noe -o fixed.csv
    | quick --until 5
run fine : noether run model.noe --step 0.05
run cuts : noether section model.noe
run orders : noether converge model.noe --steps 0.2,0.1,0.05
run bad : noether run model.noe --step -1
    | exits 2
let error = abs(fixed.final.q.q - cos(10))
let error_fine = abs(fine.final.q.q - cos(10))
claim x/one : q(10) is about -0.84
compare q(10) : fixed.final.q.q = -0.84 within 0.02
    | quick skip
compare its error : error < 0.01
    | published none
    | under   the midpoint rule
    | quick   < 2
compare order, from two runs : log(error/error_fine)/log(2) = 2 within 10%
    | quick skip
compare order, from rows : slope{log(orders.rows[*].error) against log(orders.rows[*].h)} = 2
    within 0.1
compare the last row : orders.rows[-1].h = 0.05 within 1e-12
compare energy, from the file : largest{abs(energy_error) in fixed.csv for t in 0 .. 4} < 1e-12
compare time between crossings
    : (cuts.sections.cut.t[-1] - cuts.sections.cut.t[1])/(count{cuts.sections.cut.t[*]} - 1)
    in 3.13 .. 3.15
compare the method : fixed.method is midpoint
verdict reproduced : As it should be.
picture The motion : noether plot fixed.csv -y q
"""


class Page(html.parser.HTMLParser):
    """The pictures and the rows of a report."""

    def __init__(self, text):
        super().__init__()
        self.images, self.ids, self.links = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "img":
            self.images.append(attributes)
        if "id" in attributes:
            self.ids.add(attributes["id"])
        for name in ("href", "src"):
            if name in attributes:
                self.links.append(attributes[name])


class Experiments(CommandTest):
    """A test with its own directory of experiments."""

    def setUp(self):
        super().setUp()
        self.own = {"NOETHER_EXPERIMENTS": "experiments"}
        self.add("swing", EXPERIMENT)

    def add(self, name, text, model=OSCILLATOR):
        os.makedirs(self.path(f"experiments/{name}"), exist_ok=True)
        self.write(text, f"experiments/{name}/experiment")
        self.write(model, f"experiments/{name}/model.noe")

    def reproduce(self, *arguments, **options):
        return self.noether("reproduce", *arguments,
                            environment=dict(self.own, **options.pop("environment", {})), **options)

    def result(self, *arguments, exit_status=0):
        done = self.reproduce(*arguments, "--json")
        self.assertEqual(done.returncode, exit_status, done.stderr + done.stdout)
        return json.loads(done.stdout)

    def report(self, directory="reproduced"):
        with open(self.path(f"{directory}/report.html"), encoding="utf-8") as file:
            return file.read()


class Folders(Experiments):
    def test_an_experiment_stays_in_its_folder(self):
        outside = self.path("outside.csv")
        for words in (f"-o {outside}", f"-o{outside}", f"--output={outside}", "-o ../../outside.csv",
                      "-o './../../outside.csv'", "--checkpoint=a/../../../outside.csv",
                      f'--output "{outside}"', "-o .."):
            for text in (EXPERIMENT.replace("-o fixed.csv", words),
                         EXPERIMENT.replace("| quick --until 5", "| quick " + words),
                         EXPERIMENT.replace("plot fixed.csv", "plot fixed.csv " + words)):
                self.add("swing", text)
                done = self.reproduce("swing", "--quick")
                self.assert_rejected(done, "experiment:", "leads out of the folder")
        self.assertNotIn("outside.csv", self.files())

    def test_a_title_cannot_control_the_terminal(self):
        self.add("swing", EXPERIMENT.replace("An oscillator", "An \x1b[31moscillator\x07"))
        for arguments in (("--list",), ("swing", "--quick")):
            done = self.reproduce(*arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("An ?[31moscillator?", done.stdout)
            self.assertNotIn("\x1b", done.stdout + done.stderr)


class Reruns(Experiments):
    def test_a_failure_is_carried_out_again(self):
        self.reproduce("swing", "--quick")
        result = self.path("reproduced/swing/result.json")
        with open(result, encoding="utf-8") as file:
            text = file.read()
        self.write(text.replace('"verdict": "reproduced"', '"verdict": "FAILED"'), "reproduced/swing/result.json")
        done = self.reproduce("swing", "--quick")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("FAILED", done.stdout)
        before = os.stat(result).st_mtime_ns
        self.reproduce("swing", "--quick")
        self.assertEqual(os.stat(result).st_mtime_ns, before)


class Verdicts(Experiments):
    def test_all_holds(self):
        said = self.result("swing")
        self.assertEqual(said["verdicts"]["reproduced"], 1)
        experiment = said["experiments"][0]
        comparisons = experiment["claims"][0]["comparisons"]
        self.assertTrue(all(item["holds"] for item in comparisons), comparisons)
        by_label = {item["label"]: item for item in comparisons}
        self.assertLess(abs(by_label["order, from rows"]["value"] - 2), 0.01)
        self.assertLess(abs(by_label["order, from two runs"]["tolerance"] - 0.2), 1e-12)
        self.assertEqual(by_label["the method"]["value"], "midpoint")
        self.assertEqual(by_label["its error"]["under"], "the midpoint rule")
        self.assertEqual([run["exit"] for run in experiment["runs"]], [0, 0, 0, 0, 2])
        self.assertEqual(experiment["chosen"], [{"what": "q(0) = 1",
                                                 "why": "it had to be something"}])

    def test_quick(self):
        said = self.result("swing", "--quick")
        claim = said["experiments"][0]["claims"][0]
        self.assertEqual(claim["verdict"], "reproduced")
        self.assertEqual([item["skipped"] for item in claim["comparisons"]][:4],
                         [True, False, True, False])
        self.assertIn("--until 5", self.report())

    def test_a_comparison_that_does_not_hold(self):
        self.add("swing", EXPERIMENT.replace("= -0.84 within 0.02", "= -0.7 within 0.02"))
        said = self.result("swing", exit_status=1)
        self.assertEqual(said["verdicts"]["FAILED"], 1)
        done = self.reproduce("swing")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED", done.stdout)
        self.assertIn("q(10): found -0.8", done.stdout)
        self.assertIn("does not hold", self.report())

    def test_a_run_that_fails(self):
        self.add("swing", EXPERIMENT.replace("--step 0.05", "--stop 0.05"))
        done = self.reproduce("swing")
        self.assertEqual(done.returncode, 1)
        self.assertIn("run fine: exit status 2", done.stdout)
        self.assertIn("printed nothing", done.stdout)

    def test_values_that_are_wrong(self):
        for wrong, words in (("fixed.final.q.x", "there is no fixed.final.q.x; there are q"),
                             ("fixed.final.q", "is no number"),
                             ("fixed.status", "is no number"),
                             ("orders.rows[9].h", "there is no orders.rows[9]"),
                             ("orders.rows[*].h", "braces"),
                             ("greatest{q in fixed.csv}", "unknown reduction 'greatest'"),
                             ("largest{qq in fixed.csv}", "unknown column 'qq'"),
                             ("largest{q in none.csv}", "none.csv"),
                             ("largest{q in fixed.csv for t in 90 .. 99}", "no rows"),
                             ("fixed.final.q.q +", "expected a column"),
                             ("nothing", "unknown column 'nothing'")):
            with self.subTest(wrong):
                self.add("swing", EXPERIMENT.replace("compare q(10) : fixed.final.q.q",
                                                     f"compare q(10) : {wrong}"))
                done = self.reproduce("swing")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(words, done.stdout)


class Places(Experiments):
    def test_list(self):
        done = self.reproduce("--list")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("swing", done.stdout)
        self.assertIn("Nobody (1900), Table 1", done.stdout)
        self.assertEqual(json.loads(self.reproduce("--list", "--json").stdout)[0]["claims"][0]
                         ["verdict"], "reproduced")
        self.assertEqual(self.files(), ["experiments"])

    def test_finished_experiments_are_not_repeated(self):
        self.add("other", EXPERIMENT.replace("x/one", "x/two"))
        first = {item["name"]: item for item in self.result("all")["experiments"]}
        self.assertEqual(sorted(first), ["other", "swing"])
        again = {item["name"]: item for item in self.result("all")["experiments"]}
        self.assertEqual(first, again)
        self.add("other", EXPERIMENT.replace("x/one", "x/three"))
        changed = {item["name"]: item for item in self.result("all")["experiments"]}
        self.assertEqual(first["swing"], changed["swing"])
        self.assertNotEqual(first["other"], changed["other"])
        forced = {item["name"]: item for item in self.result("all", "--force")["experiments"]}
        self.assertNotEqual(first["swing"], forced["swing"])

    def test_a_directory_of_others(self):
        os.mkdir(self.path("mine"))
        self.write("precious", "mine/file")
        before = os.listdir(self.path("mine"))
        self.assert_rejected(self.reproduce("swing", "-o", "mine"), "mine is not empty", "--force")
        self.assertEqual(os.listdir(self.path("mine")), before)
        self.assertEqual(self.reproduce("swing", "-o", "mine", "--force").returncode, 0)
        with open(self.path("mine/file"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious")
        os.mkdir(self.path("empty"))
        self.assertEqual(self.reproduce("swing", "-o", "empty").returncode, 0)
        self.assert_rejected(self.reproduce("swing", "-o", "no/such"), "cannot be made",
                             exit_status=3)

    def test_names(self):
        self.assert_rejected(self.reproduce("swng"), "'swng'", "did you mean 'swing'?")
        self.assert_rejected(self.reproduce("entirely-else"), "--list")
        self.assert_rejected(self.reproduce(), "needs the name")
        self.assert_rejected(self.reproduce("swing", "--quik"), "did you mean --quick?")
        self.assert_rejected(self.noether("reproduce", "swing", environment={
            "NOETHER_EXPERIMENTS": "nowhere"}), "nowhere", exit_status=3)
        self.assertEqual(self.files(), ["experiments"])

    def test_files_that_are_wrong(self):
        for old, new, place, words in (
                ("title ", "titel ", "1:1", "did you mean 'title'?"),
                ("source ", "# ", "1:1", "title and a source"),
                ("run fine : noether", "run fine : rm", "8:12", "begins with 'noether'"),
                ("run fine :", "run fixed :", "8:5", "a second run 'fixed'"),
                ("run fine :", "run fi-ne :", "8:5", "no name"),
                ("    | quick --until 5", "    | fast --until 5", "7:7", "unknown clause"),
                ("let error =", "let error", "13:5", "NAME = EXPRESSION"),
                ("claim x/one :", "claim x/one", "15:7", "expected ' : '"),
                ("= -0.84 within 0.02", "about -0.84", "16:17", "expected '= V within T'"),
                ("= -0.84 within 0.02", "= -0.84", "16:35", "'within'"),
                ("verdict reproduced :", "verdict true :", "32:9", "not 'true'"),
                ("verdict reproduced : As it should be.\n", "", "1:1", "no verdict"),
                ("claim x/one", "verdict refuted : no\nclaim x/one", "15:9", "a claim before it")):
            with self.subTest(new):
                self.add("swing", EXPERIMENT.replace(old, new, 1))
                done = self.reproduce("swing")
                self.assert_rejected(done, f"experiments/swing/experiment:{place}: ", words)
        self.assertEqual(self.files(), ["experiments"])


class Report(Experiments):
    def test_the_page_is_self_contained(self):
        self.reproduce("swing")
        text = self.report()
        page = Page(text)
        self.assertIn("verdicts", page.ids)
        self.assertIn("swing", page.ids)
        for link in page.links:
            self.assertTrue(link.startswith(("#", "data:")), link[:60])
        for words in ("noether reproduce swing", "It swings.", "Nobody (1900)", "holds",
                      "prefers-color-scheme", "viewport", "noether run model.noe --step 0.05"):
            self.assertIn(words, text)
        self.assertNotIn("<script", text)
        self.assertEqual(text.count("1 reproduced</span>"), 2, "verdicts of all, and of the experiment")
        self.assertEqual(text.count("<details id="), 1)

    @unittest.skipUnless(shutil.which("gnuplot"), "needs gnuplot")
    def test_pictures(self):
        said = self.result("swing")
        self.assertEqual(said["pictures_missing"], 0)
        self.assertEqual(len(Page(self.report()).images), 1)

    def test_without_gnuplot(self):
        os.mkdir(self.path("bin"))
        for name in ("cc", "gcc", "as", "ld"):
            if shutil.which(name):
                os.symlink(shutil.which(name), self.path(f"bin/{name}"))
        done = self.reproduce("swing", environment={"PATH": self.path("bin")})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 picture missing", done.stdout)
        text = self.report()
        self.assertIn("This picture is missing", text)
        self.assertIn("gnuplot", text)
        self.assertIn("holds", text)

    @unittest.skipUnless(browser.PROGRAM and shutil.which("gnuplot"), "needs Chromium and gnuplot")
    def test_in_a_browser(self):
        self.reproduce("swing")
        for size in ("1280,900", "500,900"):
            with self.subTest(size):
                seen = browser.render(self.path("reproduced/report.html"), size)
                self.assertEqual((seen.pictures, seen.drawn), (1, 1))
                self.assertLessEqual(seen.excess, 0)
                self.assertEqual(seen.complaints, [])


class Inventory(unittest.TestCase):
    """Published results and the experiments that give their verdicts."""

    def test_every_key_has_a_verdict(self):
        stated = {}
        with open(os.path.join(EXPERIMENTS, "inventory"), encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    key, experiment, _ = line.split(None, 2)
                    self.assertNotIn(key, stated)
                    stated[key] = experiment
        done = subprocess.run([os.environ["NOETHER"], "reproduce", "--list", "--json"],
                              env=dict(os.environ, NOETHER_EXPERIMENTS=EXPERIMENTS),
                              capture_output=True, text=True, check=True)
        found = {}
        for experiment in json.loads(done.stdout):
            for claim in experiment["claims"]:
                self.assertIn(claim["verdict"],
                              ("reproduced", "reproduced under a convention", "narrowed", "open",
                               "refuted"))
                for key in claim["keys"].split(","):
                    found.setdefault(key.strip(), set()).add(experiment["name"])
        self.assertEqual(sorted(set(found) - set(stated)), [], "claims that are not in the inventory")
        missing = [key for key, experiment in stated.items()
                   if experiment != "-" and experiment not in found.get(key, ())]
        self.assertEqual(missing, [], "keys without a claim in their experiment")
        self.assertEqual({key for key, names in found.items() if stated[key] not in names}, set())


if __name__ == "__main__":
    unittest.main()
