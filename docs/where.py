"""The table of what is read in blocks, and where: of the sources that the tests run over."""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
_MARK, _END = "<!-- sources -->\n", "<!-- end -->"


def table() -> str:
    """Return the table, a row for each source of ``tests/row_sources.py``."""
    sys.path.insert(0, str(ROOT / "tests"))
    from row_sources import KINDS

    lines = [
        "| rows in blocks | extra | `Variance`, `SparsePCA.fit` | `orthoprox spca` | on ranks of `mpirun` |",
        "|---|---|---|---|---|",
    ]
    for name, kind in KINDS.items():
        python = "by `tables.row_blocks`" if kind.file is not None else "yes" if kind.again else "yes, once"
        command = "" if kind.file is None else "yes"
        ranks = "yes" if kind.ranks else "refused" if kind.file is not None else ""
        extra = f"`{kind.extra}`" if kind.extra else ""
        lines.append(f"| {name} | {extra} | {python} | {command} | {ranks} |")
    return "\n".join(lines) + "\n"


def filled(text: str) -> str:
    """Return the text with the table between its marks."""
    before, rest = text.split(_MARK)
    return f"{before}{_MARK}{table()}{_END}{rest.partition(_END)[2]}"


def main() -> None:
    """Write the table, or with ``--check`` fail if it is out of date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    text = README.read_text(encoding="utf-8")
    if options.check and text != filled(text):
        sys.exit("The table of sources in README.md is out of date; run make docs.")
    if not options.check:
        README.write_text(filled(text), encoding="utf-8")


if __name__ == "__main__":
    main()
