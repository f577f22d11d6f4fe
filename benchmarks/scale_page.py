"""The tables of docs/scale.md: pure functions of the rows of ``benchmarks/scale.py``."""

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
    lines = []
    for state in ("cold", "warm"):
        largest = max(tall[f"read {state}"], tall["products"])
        lines += [
            [f"{tall['gigabytes']:.0f} GB memory map, cache {state}: reading", f"{tall[f'read {state}']:.1f} s", ""],
            [f"the pass, cache {state}", f"{tall[f'pass {state}']:.1f} s, {tall[f'pass {state} cpu']:.1f} s of processor", ""],
            ["over the larger of reading and products", f"{tall[f'pass {state}'] / largest:.2f}", f"at most {LIMIT}"],
            ["anonymous memory", f"{tall[f'memory {state}']:.2f} GB", "below 2 GB"],
        ]
    lines.insert(
        1,
        [
            "bare products of as many blocks in memory",
            f"{tall['products']:.1f} s, {tall['products cpu']:.1f} s of processor",
            "",
        ],
    )
    lines += [
        [
            "sparse counts 1,000,000 x 2,000: bare products",
            f"{counts['products']:.1f} s, {counts['products cpu']:.1f} s of processor",
            "",
        ],
        ["the pass", f"{counts['pass']:.1f} s, {counts['pass cpu']:.1f} s of processor; {counts['memory']:.2f} GB", ""],
        ["log-cosh gradient, two processes apart", f"{ranks['apart']:.3f} s", ""],
        ["the same on two ranks", f"{ranks['together']:.3f} s; exchange {100 * ranks['share']:.2f} % of it", ""],
        ["speed of the ranks over that of the processes", f"{ranks['speed']:.2f}", f"at least {SPEED}"],
    ]
    return markdown(["", "measured", "wanted"], lines)


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
