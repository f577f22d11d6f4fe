"""The site: it builds without a warning; in a browser no page has an error, asks a network for
anything, or is wider than a phone; links lead somewhere; the search finds pages without a server.
"""

import os
import shutil
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from chromium import BROKEN
from devtools import opened

pytestmark = pytest.mark.extended
ROOT = Path(__file__).parents[2]
PHONE, DESKTOP = 375, 1280
MOST_SECONDS = 360  # of one core, that building may take, with all programs of the gallery
LONGEST = 1200  # seconds to wait for it
WIDE = """
[...document.querySelectorAll("body *")].filter((part) => part.getBoundingClientRect().right > innerWidth + 1)
  .filter((part) => !part.closest("pre, .table-wrapper, .formula, .sidebar-drawer, .toc-drawer"))
  .map((part) => part.tagName + " " + part.className).slice(0, 5)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built once from a copy of its sources as ``make docs`` builds it; processes that
    run tests side by side share it.
    """
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    copy = tmp_path_factory.mktemp("site") / "copy" if run is None else tmp_path_factory.getbasetemp().parent / f"site-{run}"
    told = copy.with_suffix(".txt")  # what went wrong, once it is built
    try:
        copy.mkdir()
    except FileExistsError:
        end = time.monotonic() + LONGEST
        while not told.exists() and time.monotonic() < end:
            time.sleep(0.5)
    else:
        whole = told.with_suffix(".part")
        whole.write_text(build(copy))
        whole.rename(told)
    assert told.read_text() == ""
    return copy / "docs" / "_build"


def build(copy):
    """Build the site in a folder, and return what went wrong."""
    ignored = shutil.ignore_patterns("_build", "_drawn", "gallery", "__pycache__")
    shutil.copytree(ROOT / "docs", copy / "docs", ignore=ignored)
    shutil.copytree(ROOT / "examples", copy / "examples", ignore=ignored)
    shutil.copy(ROOT / "CONTRIBUTING.md", copy)
    line = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "docs", "docs/_build"]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
    before = os.times()
    done = subprocess.run(line, cwd=copy, env=environment, capture_output=True, text=True, timeout=LONGEST)
    after = os.times()
    seconds = after.children_user + after.children_system - before.children_user - before.children_system
    late = f"Building took {seconds:.0f} s of one core." if seconds > MOST_SECONDS else ""
    return done.stderr + late if done.returncode == 0 else f"{done.stderr} (exit code {done.returncode})"


def pages(site):
    return sorted(site.rglob("*.html"))


def test_there_are_all_the_pages(site):
    gallery = [page.stem for page in (site / "gallery").glob("plot_*.html")]
    assert len(gallery) >= 12
    assert len(gallery) == len(list((ROOT / "examples").glob("plot_*.py")))
    for source in (ROOT / "docs" / "user").glob("*.md"):
        assert (site / "user" / f"{source.stem}.html").is_file()


def test_no_page_has_an_error_in_a_browser_or_is_wider_than_a_phone(site):
    wrong = {}
    with opened() as browser:
        for page in pages(site):
            if "_downloads" in page.parts:  # the report of the reproduction, which has tests of its own
                continue
            browser.open(page, width=PHONE)
            found = {
                "messages": list(browser.messages),
                "images": browser.evaluate(BROKEN),
                "requests": [url[:100] for url in browser.requests if urlsplit(url).scheme not in ("file", "data")],
                "width": max(0, browser.evaluate("document.documentElement.scrollWidth") - PHONE),
                "wide": browser.evaluate(WIDE),
            }
            if any(found.values()):
                wrong[str(page.relative_to(site))] = {name: value for name, value in found.items() if value}
    assert wrong == {}


def test_every_picture_of_the_gallery_is_shown(site):
    with opened() as browser:
        for page in (site / "gallery").glob("plot_*.html"):
            browser.open(page, width=DESKTOP)
            assert browser.evaluate("document.querySelectorAll('.body img, article img').length") >= 1, page.name


def test_the_search_finds_pages_without_a_server(site):
    with opened() as browser:
        browser.open(site / "search.html", width=DESKTOP)
        browser.call("Page.navigate", url=(site / "search.html").as_uri() + "?q=certificate")
        links, found, end = "[...document.querySelectorAll('#search-results a')].map((a) => a.href)", [], time.monotonic() + 60
        while time.monotonic() < end and not any("/user/result.html" in link for link in found):  # they come one by one
            time.sleep(0.2)
            found = browser.evaluate(links)
        assert any("/user/result.html" in link for link in found)
        assert browser.messages == []


class Links(HTMLParser):
    """The targets of a page: what its links and scripts ask for, and its anchors."""

    def __init__(self, page):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        self.links += [given[name] for name in ("href", "src") if given.get(name)]


def test_every_link_leads_somewhere(site):
    parsed = {page: Links(page) for page in pages(site)}
    broken = []
    for page, content in parsed.items():
        for link in content.links:
            there = urlsplit(link)
            if there.scheme in ("http", "https", "mailto", "data") or link == "#":
                continue
            target = (page.parent / unquote(there.path)).resolve() if there.path else page
            missing = not target.exists() or (
                there.fragment and target in parsed and unquote(there.fragment) not in parsed[target].anchors
            )
            if missing:
                broken.append(f"{page.relative_to(site)}: {link}")
    assert broken == []
