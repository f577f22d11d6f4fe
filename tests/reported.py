"""Facts to make pages of, and a page as a parser reads it."""

from html.parser import HTMLParser

import numpy as np

from orthoprox.reports import Facts

NAMES = ("alcohol", "malic acid", "ash", "hue", "proline", "never used")
VOID = {"meta", "link", "br", "wbr"}


def facts(n=3, names=NAMES, rows=40, **changes):
    """Facts about ``n`` sparse components of variables with these names; the last variable is not
    used.
    """
    random = np.random.default_rng(7)
    components = random.standard_normal((n, len(names))) * (random.random((n, len(names))) < 0.6)
    components[np.arange(len(names)) % n, np.arange(len(names))] += 1
    components[:, -1] = 0 if len(names) > 1 else 1
    shares = 0.3 * 0.7 ** np.arange(n)
    given = {
        "title": "Sparse components",
        "source": "table.csv",
        "n_rows": rows,
        "names": tuple(names),
        "row_names": None,
        "components": components,
        "explained": shares,
        "pca_explained": 1.1 * shares,
        "scores": random.standard_normal((rows, n)),
        "curve": (np.array([9.0, 3.0, 5.0]), np.array([0.6, 0.2, 0.45])),
        "certificate": "Certified: stationary to 1e-9.",
        "converged": True,
        "status": "converged",
        "phases": (("start", 0.25, 12), ("run", 1.5, 3400)),
        "seconds": 1.75,
        "notes": ("A column of text was left out.",),
        "command": "orthoprox spca table.csv",
        "versions": {"orthoprox": "0.2.0"},
        "settings": {"n_components": n, "alpha": None},
    }
    return Facts(**(given | changes))


class Parsed(HTMLParser):
    """The elements of a page, its text, and whether every element is closed where it has to be."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self._open, self.balanced = [], [], [], True
        self.feed(text)
        self.close()
        self.balanced = self.balanced and not self._open

    def handle_starttag(self, tag, attrs):
        assert len(attrs) == len(dict(attrs)), f"an attribute of {tag} is given twice"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        self.balanced = self.balanced and bool(self._open) and self._open.pop() == tag

    def handle_data(self, data):
        if self._open and self._open[-1] not in ("script", "style"):
            self.texts.append(data)

    @property
    def text(self):
        """All text that a reader may see, titles of marks among it."""
        return "".join(self.texts)

    def attributes(self, name):
        """The values of an attribute, wherever it stands."""
        return [given[name] for _, given in self.elements if name in given]

    def count(self, tag):
        return sum(found == tag for found, _ in self.elements)
