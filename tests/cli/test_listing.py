"""The list of what there is, on the command line."""

from orthoprox import nonsmooth, smooth
from orthoprox.cli.__main__ import main as cli
from orthoprox.problems import PROBLEMS
from orthoprox.solvers import SOLVERS


def test_the_list_has_every_method_problem_and_term(capsys):
    assert cli(["list"]) == 0
    shown = {line.split()[0] for line in capsys.readouterr().out.splitlines() if line.startswith("  ")}
    assert shown == {*SOLVERS, *PROBLEMS, *smooth.__all__, *nonsmooth.__all__}


def test_a_method_is_listed_with_what_it_is_and_asks_for(capsys):
    assert cli(["list", "methods"]) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line.startswith("  ")}
    assert set(lines) == set(SOLVERS)
    assert "accelerated manifold proximal gradient" in lines["amanpg"]
    assert "Needs the derivative of a prox." in lines["amanpg"]
    assert "Needs a smooth objective." in lines["landing"]
    assert "Needs" not in lines["radmm"]
    assert all(len(line.split()) > 4 for line in lines.values())


def test_what_cannot_be_listed_is_told(capsys):
    assert cli(["list", "solvers"]) == 2
    assert "KIND is 'solvers'; it needs one of 'methods'" in capsys.readouterr().err
