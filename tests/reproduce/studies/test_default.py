"""The default call beside LSALM."""

import orthoprox as op
from orthoprox.reproduce.spec import load
from orthoprox.reproduce.studies import default, spca


def test_the_call_is_minimize_on_the_instance_of_lsalm_and_its_figures_are_those_of_all_its_parts():
    runs = [run for run in load("table-default", quick=True).runs() if run.at["m"] == 100 and run.at["seed"] == 0]
    outcomes = dict(zip([run.at["solver"] for run in runs], default.execute([run.settings for run in runs]), strict=True))
    problem, _ = spca.instance(runs[0].settings)
    result = op.minimize(problem, history=False)
    assert outcomes["adaptive"]["objective"] == result.objective
    assert outcomes["adaptive"]["iterations"] == result.work.gradients > result.iterations
    assert outcomes["adaptive"]["run_cpu_seconds"] > 0
    expected = spca.execute([run.settings for run in runs if run.at["solver"] == "lsalm"])[0]
    assert outcomes["lsalm"]["objective"] == expected["objective"]
    assert outcomes["lsalm"]["iterations"] == expected["iterations"]


def test_lsalm_has_the_parameters_of_the_table():
    ours, table = (load(name).content for name in ("table-default", "table-spca"))
    assert ours["solvers"]["lsalm"] == table["solvers"]["lsalm"]
    assert all(ours[name] == table[name] for name in ("problem", "grid", "stop"))
