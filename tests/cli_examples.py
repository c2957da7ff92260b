"""Every file in examples/ runs as it stands, and keeps what its comment says it keeps."""
# SPDX-License-Identifier: MIT
import glob
import json
import os
import subprocess
import unittest

NOETHER = os.environ["NOETHER"]
SOURCE = os.environ.get("NOETHER_SOURCE", os.path.join(os.path.dirname(__file__), ".."))
EXAMPLES = sorted(glob.glob(os.path.join(SOURCE, "examples", "*.noe")))


def run(name, *options):
    path = os.path.join(SOURCE, "examples", name + ".noe")
    done = subprocess.run([NOETHER, "run", path, "--json", *options], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{name}: exit status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


class EveryExample(unittest.TestCase):
    def test_runs_unaltered(self):
        self.assertGreater(len(EXAMPLES), 10)
        for path in EXAMPLES:
            name = os.path.basename(path)[:-4]
            with self.subTest(example=name):
                result = run(name)
                self.assertEqual(result["status"], "ok")
                self.assertGreater(result["steps"], 0)

    def test_begins_with_what_to_look_at(self):
        for path in EXAMPLES:
            with self.subTest(example=path), open(path, encoding="utf-8") as file:
                self.assertTrue(file.readline().startswith("# "))


if __name__ == "__main__":
    unittest.main()
