"""Real processes on one folder: they share the work, and one that is killed is resumed where it
was.
"""

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from orthoprox.reproduce.spec import load
from reproduced import ID, file, rows

pytestmark = pytest.mark.extended

PROGRAM = """
import sys
from orthoprox.cli.__main__ import main
from orthoprox.reproduce.agenda import Agenda

finish = Agenda.finish

def told(agenda, task, outcomes):
    finish(agenda, task, outcomes)
    print(*(run.key for run in task.runs), flush=True)

Agenda.finish = told

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""
SECONDS = 300


@pytest.fixture
def start(tmp_path):
    """Return a function that starts a process on the folder; it prints the keys of the runs that it
    has finished.
    """
    program, started = tmp_path / "program.py", []
    program.write_text(PROGRAM)

    def begin(*arguments):
        command = [sys.executable, program, "reproduce", "--quick", "--out", tmp_path, *arguments]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def keys(name):
    return [run.key for run in load(name, quick=True).runs()]


def finished(process):
    """Return the keys that a process has finished, after it has ended well."""
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    *lines, last = out.splitlines()
    assert last.startswith("The report is ")
    return [key for line in lines for key in line.split()]


def test_two_processes_share_a_study_and_each_run_is_executed_once(tmp_path, start):
    one, two = start(ID), start(ID)
    first, second = finished(one), finished(two)
    assert first
    assert second
    assert sorted(first + second) == sorted(keys(ID))
    assert Counter(row["key"] for row in rows(tmp_path)) == dict.fromkeys(keys(ID), 1)
    assert json.loads(file(tmp_path).read_text().splitlines()[0])["origin"]


def test_two_processes_do_timed_runs_once(tmp_path, start):
    name, part = "fig-methods", ["--where", "solver==lsalm"]
    one, two = start(name, *part), start(name, *part)
    both = finished(one) + finished(two)
    assert sorted(both) == sorted(run.key for run in load(name, quick=True).runs() if run.at["solver"] == "lsalm")
    assert len(rows(tmp_path, name)) == len(both)


def test_a_process_that_is_killed_is_resumed_and_nothing_that_was_recorded_runs_twice(tmp_path, start):
    killed = start(ID)
    assert killed.stdout.readline(), killed.stderr.read()
    children = Path(f"/proc/{killed.pid}/task/{killed.pid}/children").read_text().split()
    killed.send_signal(signal.SIGKILL)
    assert killed.wait(SECONDS) == -signal.SIGKILL
    before = file(tmp_path).read_bytes()
    kept = {row["key"] for row in rows(tmp_path)}
    assert 0 < len(kept) < len(keys(ID))
    until = time.monotonic() + 60
    while any(_runs(child) for child in children) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(_runs(child) for child in children), "no work goes on that nobody waits for"
    again = finished(start(ID))
    assert not kept & set(again)
    assert kept | set(again) == set(keys(ID))
    assert file(tmp_path).read_bytes().startswith(before)
    assert Counter(row["key"] for row in rows(tmp_path)) == dict.fromkeys(keys(ID), 1)


def test_what_a_killed_process_had_claimed_is_done_by_the_other(tmp_path, start):
    one, two = start(ID), start(ID)
    assert one.stdout.readline()
    one.send_signal(signal.SIGKILL)
    finished(two)
    assert {row["key"] for row in rows(tmp_path)} == set(keys(ID))
    assert len(rows(tmp_path)) == len(keys(ID))


def _runs(pid):
    """Return whether a process still runs; one that has ended and was not waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
