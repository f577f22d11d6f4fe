"""Numbers as csv and a picture beside them, which several commands write."""

import argparse
from io import BytesIO
from pathlib import Path
from typing import Any

from orthoprox.files.whole import whole
from orthoprox.reports.text import visible
from orthoprox.tables.source import stem


def add_output(parser: Any, name: str) -> None:
    """Add the options of what is written."""
    group = parser.add_argument_group("output")
    group.add_argument("--out", type=Path, metavar="STEM", help=f"write STEM.csv and STEM.png; TABLE-{name} by default")
    group.add_argument("--force", action="store_true", help="overwrite these files")
    group.add_argument("--quiet", action="store_true", help="print nothing but errors")
    group.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help="show where an error comes from")


def outputs(options: argparse.Namespace, name: str) -> tuple[Path, Path]:
    """Return where the numbers and the picture go; raise where files are there already."""
    where = options.out or Path(f"{stem(options.table)}-{name}")
    places = where.with_name(f"{where.name}.csv"), where.with_name(f"{where.name}.png")
    present = [str(place) for place in places if place.exists()]
    if present and not options.force:
        raise FileExistsError(f"{', '.join(present)} is there already; name another place with --out, or add --force.")
    return places


def write(places: tuple[Path, Path], text: str, figure: Any) -> str:
    """Write the numbers and the picture, each whole or not at all, and say where they are."""
    picture = BytesIO()
    figure.savefig(picture, format="png", dpi=150)
    for place, content in zip(places, (text.encode(), picture.getvalue()), strict=True):
        with whole(str(place)) as file:
            file.write(content)
    return f"The numbers are in {places[0]}, the picture is {places[1]}"


def show(options: argparse.Namespace, table: str, notes: list[str], where: str) -> None:
    """Print what was found."""
    if not options.quiet:
        print("\n".join([table, *(f"note: {visible(note)}" for note in notes), visible(where)]))
