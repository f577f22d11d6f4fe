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


OLD = {  # the names of times in the first schema
    "run_seconds": "seconds",
    "run_cpu_seconds": "cpu_seconds",
    "seconds": "wall_seconds",
    "at_run_cpu_seconds": "at_seconds",
}


def of_the_first_schema(path):
    """Make all rows of a file as they were written before they had a schema number."""
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    old = [{OLD.get(name, name): value for name, value in entry.items() if name != "schema"} for entry in entries]
    path.write_text("".join(json.dumps(entry) + "\n" for entry in old))


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
