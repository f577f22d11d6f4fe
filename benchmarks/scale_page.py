"""The tables of docs/scale.md: pure functions of the rows of ``benchmarks/scale.py``."""

from collections.abc import Callable
from statistics import median
from typing import Any

from orthoprox.reproduce.table import markdown

LIMIT = 1.3  # of a pass, times the larger of reading and bare products
SPEED = 0.9  # of two ranks, times that of two processes
READ, N, GRADIENTS = 1.0e9, 20, 200  # bytes a second that are assumed where nothing is measured, columns, gradients of a run
SIZES = [
    (10**6, 10**3),
    (10**8, 10**3),
    (10**9, 10**3),
    (10**6, 10**4),
    (10**8, 10**4),
    (10**6, 10**5),
    (10**6, 10**6),
    (10**9, 10**6),
]
GRAM = 20_000


def tables(rows: list[dict[str, Any]]) -> dict[str, str]:
    """Return the tables by the names of their marks."""
    by = {row["case"]: row for row in rows}
    return {"measured": measured(by), "estimates": estimates(by)}


def measured(by: dict[str, Any]) -> str:
    """Return what was measured, beside what was wanted."""
    tall, counts, ranks = by["memory map"], by["sparse counts"], by["two ranks"]
    rounds = tall["rounds"]

    def middle(name: str) -> float:
        return median(one[name] for one in rounds)

    lines = []
    for state in ("cold", "warm"):
        ratios = [one[f"pass {state}"] / max(one[f"read {state}"], one["products"]) for one in rounds]
        share = 100 * max((one[f"cached {state}"] for one in rounds), key=lambda share: abs(share - (state == "warm")))
        lines += [
            [f"{tall['gigabytes']:.2g} GB memory map, cache {state}: reading", f"{middle(f'read {state}'):.1f} s", ""],
            [f"the pass, {share:.0f} % of the file in the cache", seconds(middle, f"pass {state}"), ""],
            ["over the larger of reading and products", spread(ratios), f"at most {LIMIT}"],
            ["anonymous memory", f"{max(one[f'memory {state}'] for one in rounds):.2f} GB", "below 2 GB"],
        ]
    lines.insert(1, ["bare products of as many blocks in memory", seconds(middle, "products"), ""])
    p, m = counts["shape"]
    lines += [
        [f"sparse counts {p:,} x {m:,}: bare products", seconds(counts.get, "products"), ""],
        ["the pass", f"{seconds(counts.get, 'pass')}; {counts['memory']:.2f} GB", ""],
        ["log-cosh gradient, two processes without MPI", f"{ranks['processes']:.3f} s", ""],
        ["on two ranks, without exchange", f"{ranks['apart']:.3f} s", ""],
        ["on two ranks, in turn with that", f"{ranks['together']:.3f} s; exchange {100 * ranks['share']:.2f} % of it", ""],
        ["speed with the exchange over that without", spread(ranks["speeds"]), f"at least {SPEED}"],
        ["speed with the exchange over that without MPI", f"{ranks['processes'] / ranks['together']:.2f}", ""],
        [f"load when it began, on {by['machine']['cores']} cores", f"{by['machine']['load']:.1f}", ""],
    ]
    return markdown(["", "measured", "wanted"], lines)


def seconds(of: Callable[[str], Any], name: str) -> str:
    """Return wall and processor time."""
    return f"{of(name):.1f} s, {of(name + ' cpu'):.1f} s of processor"


def spread(values: list[float]) -> str:
    """Return the median, and the least and the largest."""
    return f"{median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def estimates(by: dict[str, Any]) -> str:
    """Return what the formulas give with the measured rates, for one core."""
    gram, products, lines = by["rates"]["gram"], by["rates"]["products"], []
    for p, m in SIZES:
        reading, size = 4.0 * p * m / READ, f"{4e-9 * p * m:,.0f} GB"
        if m <= GRAM:
            first, each, memory = max(reading, p * m**2 / gram), 2 * m**2 * N / products, 8e-9 * m**2
        else:
            first, each = reading, max(reading, 4.0 * p * m * N / products)
            memory = 8e-9 * m * N * 10
        whole = first + GRADIENTS * each
        lines.append(
            [
                f"{p:.0e}",
                f"{m:.0e}",
                size,
                told(first),
                told(each),
                f"{memory:,.2g} GB",
                told(whole),
                f"{max(1, round(whole / 3600)):,}",
            ]
        )
    return markdown(["rows p", "columns m", "data", "the pass", "a gradient", "memory", "a run", "cores for an hour"], lines)


def told(seconds: float) -> str:
    """Return a time in a unit that suits it."""
    for unit, name in ((86400.0, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:,.3g} {name}"
    return f"{seconds:.2g} s"
