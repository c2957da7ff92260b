"""Every published experiment, shortened: all verdicts stand, and the report shows them."""
# SPDX-License-Identifier: MIT
import os
import shutil
import unittest

import browser
from command import CommandTest

EXPERIMENTS = os.path.join(os.environ["NOETHER_SOURCE"], "experiments")


class Published(CommandTest):
    def noether(self, *arguments, **options):
        return super().noether(*arguments, timeout=570,
                               environment={"NOETHER_EXPERIMENTS": EXPERIMENTS}, **options)

    def test_quick(self):
        said = self.noether_json("reproduce", "all", "--quick")
        self.assertEqual(said["verdicts"]["FAILED"], 0)
        self.assertEqual(said["verdicts"]["not checked"], 0)
        self.assertGreater(said["verdicts"]["refuted"], 0)
        if not shutil.which("gnuplot"):
            return
        self.assertEqual(said["pictures_missing"], 0)
        if not browser.PROGRAM:
            self.skipTest("the report was not looked at: there is no Chromium")
        pictures = sum(len(experiment["pictures"]) for experiment in said["experiments"])
        for size in ("1280,900", "500,900"):
            with self.subTest(size):
                seen = browser.render(self.path("reproduced/report.html"), size)
                self.assertEqual((seen.pictures, seen.drawn), (pictures, pictures))
                self.assertLessEqual(seen.excess, 0)
                self.assertEqual(seen.complaints, [])


if __name__ == "__main__":
    unittest.main()
