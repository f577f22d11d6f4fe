"""A page as headless Chromium sees it: what it writes to the console, and which of its images do
not load.
"""

import json
import re
import shutil
import subprocess
import tempfile
from html import unescape
from pathlib import Path

import pytest

SECONDS = 60
OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--enable-logging=stderr",
    "--v=0",
    "--virtual-time-budget=5000",
    "--dump-dom",
]
CHECK = """
<script>
addEventListener("load", () => {
  const broken = [...document.images].filter((image) => !image.complete || image.naturalWidth == 0);
  const list = document.createElement("pre");
  list.id = "broken-images";
  list.textContent = JSON.stringify(broken.map((image) => image.getAttribute("src").slice(0, 200)));
  document.body.append(list);
});
</script>
"""


def browser() -> str:
    """Return the path of Chromium; where there is none, skip the test."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("Chromium is not installed; apt-get install chromium.")
    return found


def inspect(page: Path) -> tuple[list[str], list[str]]:
    """Return the messages that the page writes to the console, and the sources of its images that
    do not load.

    A copy of the page is loaded, from the same folder, so that relative paths lead where they did.
    """
    chromium = browser()
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        tempfile.NamedTemporaryFile("w", dir=page.parent, suffix=".html", encoding="utf-8") as copy,
    ):
        copy.write(page.read_text(encoding="utf-8") + CHECK)
        copy.flush()
        command = [chromium, *OPTIONS, f"--user-data-dir={profile}", Path(copy.name).resolve().as_uri()]
        run = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=SECONDS, check=True)
    listed = re.search(r'<pre id="broken-images">(.*?)</pre>', run.stdout, flags=re.DOTALL)
    if listed is None:
        raise RuntimeError(f"Chromium did not finish loading {page}:\n{run.stderr}")
    messages = re.findall(r':CONSOLE[:(]\d+\)?\] "(.*)", source: ', run.stderr)
    return messages, json.loads(unescape(listed[1]))
