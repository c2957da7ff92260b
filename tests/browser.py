"""Measures a page as rendered by headless Chromium."""
# SPDX-License-Identifier: MIT
import collections
import os
import re
import shutil
import subprocess
import tempfile

PROGRAM = shutil.which("chromium") or shutil.which("google-chrome")

PROBE = """<script>
window.addEventListener("load", () => {
  const images = [...document.images];
  Object.assign(document.body.dataset, {
    pictures: images.length,
    drawn: images.filter(image => image.complete && image.naturalWidth > 0).length,
    excess: document.documentElement.scrollWidth - window.innerWidth });
});
</script></body>"""

Seen = collections.namedtuple("Seen", "pictures drawn excess complaints")


def render(path, size):
    """Returns the number of pictures of a page, the number drawn, the pixels by which the page is wider
    than the window "width,height", and the lines of the console."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        with open(page, "w", encoding="utf-8") as file:
            file.write(text.replace("</body>", PROBE))
        done = subprocess.run(
            [PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
             f"--user-data-dir={folder}/browser", f"--window-size={size}",
             "--virtual-time-budget=20000", "--dump-dom", f"file://{page}"],
            capture_output=True, text=True, timeout=300, check=False)
    body = re.search(r"<body[^>]*>", done.stdout).group()
    numbers = [int(re.search(rf'data-{name}="(-?\d+)"', body)[1])
               for name in ("pictures", "drawn", "excess")]
    return Seen(*numbers, [line for line in done.stderr.splitlines() if "CONSOLE" in line])
