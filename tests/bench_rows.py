"""Rows of every study of the benchmark, with numbers that are easy to check, for its tests."""

import itertools
from types import SimpleNamespace

from benchmarks.studies.rows import Rows

SEEDS = (1000, 1001, 1002)
MODES = "compressed modes 128x10"
CONTESTS = {"pymanopt500": "five components 500x250", "families": "AR(1)"}


def written(path):
    """Return a file with all of them."""
    rows = Rows(path)
    tasks = {}
    for row in [*step(), *headline(), *contest(), *small(), *polish(), *growth()]:
        at = (row.pop("study"), row.pop("case"), row.pop("seed"))
        tasks.setdefault(at, []).append(row)
    for (study, case, seed), own in tasks.items():
        rows.append(SimpleNamespace(at={"study": study, "case": case, "seed": seed}), own)
    return rows


def step():
    for who in ("lsalm", "dense", "sparse"):
        yield {
            "study": "step",
            "case": "five components 800x400",
            "seed": 1000,
            "who": who,
            "step": 2.0,
            "bare": 1.0,
            "ratio": 2.0,
            "nonzero": 0.5,
        }


def headline():
    """The methods alone take 100, 10 and 4: ratios of 10 and, with 5 for the whole call, of 20; the
    objective is 1 % lower, once it is higher.
    """
    for seed, (who, alone) in itertools.product(SEEDS, {"lsalm": 100.0, "same start": 10.0, "whole call": 4.0}.items()):
        objective = {"whole call": -101.0 if seed < 1002 else -99.0}.get(who, -100.0)
        times = {"seconds": alone + 1, "run_seconds": alone, "iterations": 9, "kkt_error": 1e-5, "status": "CONVERGED"}
        yield {
            "study": "headline",
            "case": "five components 800x400",
            "seed": seed,
            "who": who,
            "objective": objective,
            **times,
        }


def contest():
    """cdopt from our start beats us by 1 % on two seeds of three, by .5e-4 on the third; pymanopt
    fails on one seed.
    """
    cdopt = {1000: -101.0, 1001: -101.0, 1002: -100.005}
    for (study, case), seed in itertools.product(CONTESTS.items(), SEEDS):
        key = {"study": study, "case": case, "seed": seed, "note": "", "error": ""}
        yield key | {"who": "minimize", "start": "ours", "objective": -100.0, "seconds": 2.0}
        failed = seed == 1001
        pymanopt = {"objective": None if failed else -90.0, "seconds": None if failed else 30.0}
        yield key | {"who": "pymanopt", "start": "random", **pymanopt}
        yield key | {"who": "cdopt", "start": "ours", "objective": cdopt[seed], "seconds": 8.0}


def small():
    for seed, (who, seconds) in itertools.product(SEEDS, {"adaptive": 1.0, "manpg-ada": 3.0}.items()):
        rest = {"iterations": 5, "objective": -1.0, "kkt_error": 1e-6, "status": "CONVERGED"}
        yield {"study": "small", "case": MODES, "seed": seed, "who": who, "run_seconds": seconds, **rest}


def polish():
    """Two of three are polished, and the third is harmed."""
    for seed, after in zip(SEEDS, (1e-15, 1e-11, 1e-3), strict=True):
        about = {"family": "five components", "instance": str(seed), "n": 4, "status": "CONVERGED", "change": 0.0}
        found = {"before": 1e-6, "after": after, "feasibility": 1e-15}
        yield {"study": "polish", "case": "l1 instances of the robustness suite", "seed": seed, **about, **found}


def growth():
    """An iteration grows as the size, memory as its square root."""
    for size in (1250, 5000, 20_000):
        sizes = {"series": "m", "vary": "m", "at": size, "m": size, "n": 20, "p": 500}
        found = {"seconds": size / 10, "iterations": 10, "iteration": size / 100, "memory": size**0.5}
        rest = {"objective": -1.0, "kkt_error": 1e-9, "sparsity": 0.5, "status": "CONVERGED"}
        yield {"study": "growth", "case": f"m = {size}", "seed": 1000, **sizes, **found, **rest}
