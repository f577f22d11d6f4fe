"""The page on the methods says what the registry says."""

from dataclasses import fields

import pytest

from docs import methods
from orthoprox.solvers import SOLVERS

# The paper's Table 1: nonsmooth, single loop, complexity, sequential convergence, retraction-free.
# The star stands for "subproblem solver required due to lack of explicit solution".
PUBLISHED = {
    "soc": (True, False, "", False, False),
    "pamal": (True, False, "", False, False),
    "pcal": (False, True, "O(eps^-2)", False, True),
    "landing": (False, True, "O(eps^-2)", False, True),
    "manpg": (True, False, "O(eps^-2)*", False, False),
    "radmm": (True, True, "O(eps^-4)", False, False),
    "smoothing-rgd": (True, True, "O(eps^-3)", False, False),
    "lsalm": (True, True, "O(eps^-3)", True, True),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_facts_agree_with_the_published_table(name):
    facts = SOLVERS[name].facts
    complexity = facts.complexity + ("*" if "subproblem" in facts.remark else "")
    stated = (facts.nonsmooth, facts.single_loop, complexity, facts.sequential, facts.retraction_free)
    assert stated == PUBLISHED[name]


@pytest.mark.extended
def test_methods_page_is_what_the_registry_gives():
    assert methods.PAGE.read_text() == methods.page(), "docs/methods.md is out of date; run make docs"


@pytest.mark.parametrize("name", SOLVERS)
def test_methods_page_has_every_method_with_its_sentence_parameters_and_reference(name):
    kind = SOLVERS[name]
    section = methods.description(name, kind)
    assert section.startswith(f"### {kind.facts.name}, `{name}`\n\n")
    assert methods.summary(kind.__doc__).strip()
    assert all(f"`{field.name}=" in section for field in fields(kind))
    assert any(f"({year})" in section for year in range(2000, 2030))
