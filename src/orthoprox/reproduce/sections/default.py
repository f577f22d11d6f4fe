"""The default call beside LSALM: time, objective and sparsity on the same instances."""

from orthoprox.reproduce.comparison import METHODS, converged, mean, shared
from orthoprox.reproduce.entry import Row
from orthoprox.reproduce.section import IncompleteError, Section
from orthoprox.reproduce.sections.components import SOLVERS
from orthoprox.reproduce.spec import Spec
from orthoprox.reproduce.table import Table

_METHODS = {"lsalm": "LSALM", "adaptive": "minimize(problem)"}
_SAME = 1e-6  # objectives that differ by a smaller share are the same

Group = dict[str, list[Row]]


def section(spec: Spec, rows: list[Row], quick: bool) -> Section:
    """Return the table of both, and how often the call ends lower."""
    own, others = ([row for row in rows if bool(row.get("beside")) is beside] for beside in (False, True))
    groups = {m: shared(own, tuple(_METHODS), m=m) for m in spec.grid["m"]}
    groups = {m: group for m, group in groups.items() if group["lsalm"]}
    if not groups:
        raise IncompleteError("no size has a run of LSALM and a default call on the same instance.")
    calls = [row for group in groups.values() for row in group["adaptive"]]
    ratios = [_ratio(group) for group in groups.values()]
    lower, higher = (sum(_count(group, sign) for group in groups.values()) for sign in (-1, 1))
    return Section.of(
        spec,
        verdict=f"The whole call takes {min(ratios):.2f} to {max(ratios):.2f} times the time of LSALM's run and ends lower on "
        f"{lower} of {len(calls)} instances, higher on {higher}.",
        tables=(_table(groups), *_beside(groups, others)),
        remarks=(
            f"{sum(map(converged, calls))} of {len(calls)} calls are certified to 1e-6.",
            "Lower and higher are by more than 1e-6 of the objective, both at the nearest point with X'X = I.",
        ),
    )


def _ratio(group: Group) -> float:
    """Return the time of the calls over that of LSALM."""
    return mean(group["adaptive"], "run_cpu_seconds") / mean(group["lsalm"], "run_cpu_seconds")


def _count(group: Group, sign: int) -> int:
    """Return on how many instances the call ends lower, or with the sign 1 higher."""
    ours, theirs = ({row["at"]["seed"]: row["projected_objective"] for row in group[name]} for name in ("adaptive", "lsalm"))
    return sum(sign * (ours[seed] - theirs[seed]) > _SAME * abs(theirs[seed]) for seed in ours)


def _table(groups: dict[int, Group]) -> Table:
    lines = []
    for m, group in groups.items():
        cells = [str(m), str(len(group["lsalm"]))]
        for rows in (group["lsalm"], group["adaptive"]):
            cells += [f"{mean(rows, 'run_cpu_seconds'):.2f}", f"{mean(rows, 'iterations'):.0f}"]
            cells += [f"{mean(rows, 'projected_objective'):.2f}", f"{100 * mean(rows, 'sparsity'):.2f}"]
        lines.append((*cells, f"{_ratio(group):.2f}", f"{_count(group, -1)}", f"{_count(group, 1)}"))
    header = ("m", "instances", "T (s)", "#I", "Obj", "S (%)", "T (s)", "#G", "Obj", "S (%)", "time", "lower", "higher")
    above = (("", 2), *((name, 4) for name in _METHODS.values()), ("the call beside LSALM", 3))
    return Table("Sparse PCA, n = m/2, averages", header, tuple(lines), above)


def _beside(groups: dict[int, Group], others: list[Row]) -> list[Table]:
    """Return the table of the call and the paper's methods, on the instances that all have
    solved.
    """
    lines = []
    for m, group in groups.items():
        seeds = {row["at"]["seed"] for row in group["adaptive"]}
        theirs = shared([row for row in others if row["at"]["seed"] in seeds], SOLVERS, m=m)
        common = {row["at"]["seed"] for row in theirs["lsalm"]}
        ours = {name: [row for row in rows if row["at"]["seed"] in common] for name, rows in group.items()}
        if common:
            cells = [str(m), str(len(common))]
            for rows, base in (*((theirs[name], theirs["lsalm"]) for name in SOLVERS), (ours["adaptive"], ours["lsalm"])):
                cells.append(f"{mean(rows, 'run_cpu_seconds') / mean(base, 'run_cpu_seconds'):.2f}")
                cells += [f"{mean(rows, 'projected_objective'):.2f}", f"{100 * mean(rows, 'sparsity'):.2f}"]
            lines.append(tuple(cells))
    header = ("m", "instances", *(("T over LSALM's", "Obj", "S (%)") * (len(SOLVERS) + 1)))
    above = (("", 2), *((METHODS[name], 3) for name in SOLVERS), (_METHODS["adaptive"], 3))
    return [Table("The call beside the paper's methods, averages", header, tuple(lines), above)] if lines else []
