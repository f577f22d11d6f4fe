"""Claims: what one process has, no other gets, until the first lets go or ends."""

import subprocess
import sys

import pytest

from orthoprox.reproduce.claims import Claims

KEY, OTHER = "0123456789abcdef", "fedcba9876543210"
CHILD = """
import sys
from pathlib import Path
from orthoprox.reproduce.claims import Claims

claims = Claims(Path(sys.argv[1]))
for line in sys.stdin:
    name, *words = line.split()
    found = getattr(claims, name)(alone=words == ["alone"]) if name == "take_machine" else getattr(claims, name)(*words)
    print(found, flush=True)
"""


class Child:
    """Another process with claims on the same folder."""

    def __init__(self, path):
        self.process = subprocess.Popen(
            [sys.executable, "-c", CHILD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __call__(self, words):
        self.process.stdin.write(words + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "rows" / ".claims"


@pytest.fixture
def claims(path):
    found = Claims(path)
    yield found
    found.close()


@pytest.fixture
def child(path, claims):
    process = Child(path)
    yield process
    process.kill()


@pytest.mark.extended
def test_a_task_is_claimed_by_one_process(claims, child):
    assert claims.take(KEY)
    assert child(f"take {KEY}") == "False"
    assert child(f"take {OTHER}") == "True"
    assert not claims.take(OTHER)
    claims.release(KEY)
    assert child(f"take {KEY}") == "True"
    assert not claims.take(KEY)


@pytest.mark.extended
def test_the_claims_of_a_process_that_is_killed_are_gone(claims, child):
    assert child(f"take {KEY}") == "True"
    assert child("take_machine alone") == "True"
    assert not claims.take(KEY)
    child.kill()
    assert claims.take(KEY)
    assert claims.take_machine(alone=True)


@pytest.mark.extended
def test_the_machine_is_shared_unless_one_needs_it_alone(claims, child):
    assert claims.take_machine(alone=False)
    assert child("take_machine beside") == "True"
    assert child("release_machine") == "None"
    assert child("take_machine alone") == "False"
    claims.release_machine()
    assert child("take_machine alone") == "True"
    assert not claims.take_machine(alone=False)
    assert not claims.take_machine(alone=True)
    claims.release_machine()  # which has nothing to release


def test_claims_of_one_process_do_not_hinder_it(claims):
    assert claims.take(KEY)
    assert claims.take(KEY)
    assert claims.take_machine(alone=False)
    claims.release_machine()
    assert claims.take_machine(alone=True)
