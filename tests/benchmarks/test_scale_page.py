"""The page of data larger than memory: its ratios are of one round, its figures medians."""

from benchmarks.scale_page import tables


def one(pass_cold, products):
    """A round in which reading takes one second, and the pass with a warm cache two."""
    times = {"load": 0.0, "products": products, "products cpu": products}
    for state, seconds in (("cold", pass_cold), ("warm", 2.0)):
        times |= {f"read {state}": 1.0, f"pass {state}": seconds, f"pass {state} cpu": seconds, f"memory {state}": 0.2}
    return {**times, "cached cold": 0.0, "cached warm": 0.98}


ROWS = [
    {"case": "machine", "cores": 2, "load": 0.3},
    {"case": "rates", "gram": 4e10, "products": 2e10},
    {"case": "memory map", "gigabytes": 10.0, "rounds": [one(2.4, 2.0), one(8.0, 4.0), one(1.1, 0.5)]},
    {"case": "sparse counts", "shape": [10**6, 2000], "products": 4.0, "products cpu": 4.0, "pass": 5.0, "pass cpu": 5.0}
    | {"memory": 0.3},
    {"case": "two ranks", "processes": 1.0, "apart": 1.0, "together": 1.05, "share": 0.01, "speeds": [0.9, 0.95, 1.0]},
]


def test_ratios_are_of_one_round():
    """Over the larger of reading and products: 1.2, 2 and 1.1."""
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in tables(ROWS)["measured"].splitlines()]
    ratios = [line[1:] for line in lines if line[0] == "over the larger of reading and products"]
    assert ratios == [["1.20 (1.10 to 2.00)", "at most 1.3"], ["1.00 (0.50 to 2.00)", "at most 1.3"]]
    assert ["the pass, 98 % of the file in the cache", "2.0 s, 2.0 s of processor", ""] in lines
    assert ["speed with the exchange over that without", "0.95 (0.90 to 1.00)", "at least 0.9"] in lines


def test_estimates_follow_the_formulas():
    """1e6 rows of 1e3 numbers: 1e12 operations at 4e10 a second."""
    first = tables(ROWS)["estimates"].splitlines()[2]
    assert [cell.strip() for cell in first.split("|")[3:5]] == ["4 GB", "25 s"]
