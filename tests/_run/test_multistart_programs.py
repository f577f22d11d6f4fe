"""Programs that run from several starts in processes: interrupted, killed, in threads, in a pool,
without a guard.
"""

import os
import signal
import time

import pytest

from elsewhere import SECONDS, output, program, runs, until
from orthoprox.stopping.status import Status

pytestmark = pytest.mark.extended

LONG = """
import sys
import orthoprox as op
import elsewhere
elsewhere.two_cores()
problem = elsewhere.slow_problem(float(sys.argv[2]), sys.argv[1], getattr(elsewhere, sys.argv[3]))
print("begun", flush=True)
result = op.minimize(problem, "random", n_starts=3, tol=1e-14, polish=False)
print(result.status.name, result.objective, result.feasibility, result.work.runs, flush=True)
"""


def at_work(folder, process, number=2):
    """Wait until some processes evaluate terms beside the program itself, and return which."""

    def others():
        return {int(name) for name in os.listdir(folder)} - {process.pid}

    assert until(lambda: len(others()) >= number)
    return others()


def test_ctrl_c_returns_the_best_point_of_all_processes(tmp_path):
    """Workers do not get the signal that a terminal sends to the program's group."""
    with program(LONG, tmp_path, 0.02, "Slow") as process:
        found = at_work(tmp_path, process)
        time.sleep(1)
        os.killpg(process.pid, signal.SIGINT)
        begin = time.monotonic()
        out, err = process.communicate(timeout=SECONDS)
    assert time.monotonic() - begin < 10
    assert (process.returncode, err) == (0, "")
    status, objective, feasibility, begun = out.splitlines()[-1].split()
    assert Status[status] is Status.INTERRUPTED
    assert float(objective) < -10  # random points have about 0
    assert float(feasibility) < 1
    assert int(begun) == 2  # the third was not begun
    assert not any(map(runs, found))


def test_ctrl_c_wakes_a_function_that_sleeps(tmp_path):
    """As in this process: what a user's function does is not waited for."""
    with program(LONG, tmp_path, 60, "Slow") as process:
        at_work(tmp_path, process)
        time.sleep(2)
        os.kill(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=SECONDS)
    assert out.splitlines()[-1].startswith("INTERRUPTED")


def test_a_second_ctrl_c_raises_and_ends_the_workers(tmp_path):
    with program(LONG, tmp_path, 60, "Stubborn") as process:
        found = at_work(tmp_path, process)
        for _ in range(2):
            os.killpg(process.pid, signal.SIGINT)
            time.sleep(0.5)
        out, err = process.communicate(timeout=SECONDS)
    assert out == "begun\n"
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert not any(map(runs, found))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_program_that_is_killed_leaves_no_worker_behind(tmp_path, number):
    with program(LONG, tmp_path, 0.02, "Slow") as process:
        found = at_work(tmp_path, process)
        process.send_signal(number)
        assert process.wait(60) == -number
        assert until(lambda: not any(map(runs, found)), 20)
        process.stdout.close()
        process.stderr.close()


FINISHED = """
import numpy as np
import orthoprox as op
import elsewhere
from orthoprox._run import multistart

elsewhere.two_cores()
problem = elsewhere.slow_problem(0.0)
alone = op.solve(problem, op.solvers.Adaptive(), np.eye(12, 3))
op.starts.STARTS["random"] = lambda problem, rng: points.pop()
points = [np.eye(12, 3), op.stiefel.random_point(12, 3, seed=0)]
multistart._apart = elsewhere.wait_or_run
elsewhere.press_ctrl_c(8)
result = op.minimize(problem, "random", n_starts=2)
print(result.status.name, result.measurement.kkt_error < 1e-6, abs(result.objective / alone.objective - 1) < 1e-6)
"""


def test_a_run_that_had_finished_is_not_lost():
    """The other one was interrupted."""
    assert output(program(FINISHED)) == "INTERRUPTED True True\n"


STRESS = """
import random, sys, time
import numpy as np
import orthoprox as op
from elsewhere import press_ctrl_c, slow_problem, two_cores
two_cores()
problem = slow_problem(0.1)
chance = random.Random(0)
for k in range(20):
    delay = chance.uniform(0, 5)
    press_ctrl_c(delay)
    begin = time.monotonic()
    result = op.minimize(problem, n_starts=3, tol=1e-14, max_iterations=10**6)
    late, sound = time.monotonic() - begin - delay, np.isfinite(result.X).all() and result.feasibility < 1
    print(result.status.name, sound, late, flush=True)
"""


def test_twenty_interrupts_at_random_moments_give_a_result_each():
    lines = [line.split() for line in output(program(STRESS)).splitlines()]
    assert len(lines) == 20
    for status, sound, late in lines:
        assert Status[status] is Status.INTERRUPTED
        assert sound == "True"
        assert float(late) < 5


@pytest.mark.parametrize("kind", ["file", "pipe"])
@pytest.mark.parametrize("own", [False, True])
def test_a_program_without_a_guard_prints_nothing_but_its_result(tmp_path, kind, own):
    """Its main module is not run again, even if a term is of a class that is defined there."""
    text = "import sys\nimport numpy as np, orthoprox as op, elsewhere\nelsewhere.two_cores()\nprint('once', file=sys.stderr)\n"
    text += "class Term(elsewhere.Slow): pass\n"
    text += f"term = {'Term' if own else 'elsewhere.Slow'}(np.random.default_rng(0).standard_normal((30, 12)), 0.0)\n"
    text += "result = op.minimize(op.Problem(term, op.nonsmooth.L1(0.5), (12, 3)), 'random', n_starts=3)\n"
    text += "print(result.status.name, result.work.runs)\n"
    (tmp_path / "script.py").write_text(text)
    how = "import runpy, sys; runpy.run_path(sys.argv[1], run_name='__main__')" if kind == "file" else text
    with program(how, tmp_path / "script.py") as process:
        out, err = process.communicate(timeout=SECONDS)
    assert (out, err) == ("CONVERGED 3\n", "once\n")


def test_what_terms_print_in_workers_goes_to_stderr(tmp_path):
    with program(LONG.replace("1e-14", "1e-3"), tmp_path, 0, "Talkative") as process:
        out, err = process.communicate(timeout=SECONDS)
    assert out.startswith("begun\nCONVERGED")
    assert "talk" in err
    assert err.replace("talk", "").split() == []


DAEMON = """
import multiprocessing, os, sys
import orthoprox as op
from elsewhere import answer, two_cores
if sys.argv[1] == "pool":
    with multiprocessing.get_context(sys.argv[2]).Pool(2) as pool:
        print(*pool.map(answer, range(3)))
else:
    context = multiprocessing.get_context(sys.argv[2])
    queue = context.Queue()
    process = context.Process(target=answer, args=(0, queue), daemon=True)
    process.start()
    print(queue.get(timeout=100))
    process.join()
"""


@pytest.mark.parametrize("kind", ["pool", "process"])
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_runs_are_done_in_turn_in_daemonic_processes(kind, method):
    found = output(program(DAEMON, kind, method)).split()
    assert found == ["CONVERGED"] * (3 if kind == "pool" else 1)


THREADS = """
import os, threading
import numpy as np
import orthoprox as op
from elsewhere import slow_problem, two_cores
from orthoprox._run import multistart
two_cores()
multistart.run = None  # no run in this process
before, seen, results = dict(os.environ), [], {}
problem = slow_problem(0.001)
def work(k):
    results[k] = op.minimize(problem, "random", n_starts=2, seed=k % 2, polish=False)
threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
for thread in threads: thread.start()
while any(thread.is_alive() for thread in threads):
    seen.append(dict(os.environ) == before)
    threads[0].join(0.01)
print(all(seen), all(results[k].converged for k in range(4)))
print(all(np.array_equal(results[k].X, results[k + 2].X) for k in range(2)))
"""


def test_threads_do_not_disturb_each_other():
    """Each has its own workers; the environment stays as it is."""
    assert output(program(THREADS)).split() == ["True"] * 3
