"""A small part of a reproduction, for tests: what is run of it, and the rows that it leaves."""

import json

ID = "fig-qp-r-beta"
PART = ["r<8", "beta<=0.13"]  # r = 7, beta = .1 and .13, three seeds
OPTIONS = ["--quick", "--where", PART[0], "--where", PART[1]]


def file(out, name=ID):
    """Return the file of the rows."""
    return out / "rows" / f"{name}.jsonl"


def rows(out, name=ID):
    """Return the rows in the file, without the lines on origins."""
    entries = [json.loads(line) for line in file(out, name).read_text().splitlines()]
    return [entry for entry in entries if "key" in entry]


def executed_runs(tasks):
    """Return the runs of tasks."""
    return [run for task in tasks for run in task.runs]


def made_by_other_code(out):
    """Make all rows stale."""
    file(out).write_text(file(out).read_text().replace('"code": "', '"code": "x'))


def taken(agenda):
    """Yield all tasks of an agenda, the timed ones last."""
    for timed in (False, True):
        while (task := agenda.take(timed=timed)) is not None:
            yield task
