"""A page as headless Chromium sees it: what it writes to the console, and which of its images do
not load.
"""

from pathlib import Path

from devtools import opened

BROKEN = """
[...document.images].filter((image) => !image.complete || image.naturalWidth == 0)
  .map((image) => image.getAttribute("src").slice(0, 200))
"""


def inspect(page: Path) -> tuple[list[str], list[str]]:
    """Return the messages that the page writes to the console, and the sources of its images that
    do not load.
    """
    with opened() as browser:
        browser.open(page, width=1280)
        broken = browser.evaluate(BROKEN)
        return list(browser.messages), broken
