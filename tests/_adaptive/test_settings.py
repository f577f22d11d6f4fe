"""The settings hold every tuned number of the default method, each with its meaning."""

import ast
import inspect
from dataclasses import FrozenInstanceError, asdict, fields, replace
from pathlib import Path

import pytest

import orthoprox
from orthoprox._adaptive.settings import SETTINGS, Settings
from orthoprox._adaptive.small import SMALL, Small
from orthoprox._adaptive.wide import WIDE, Wide

MOST = {Settings: 45, Small: 15, Wide: 15}  # tuned numbers
PLAIN = {0, 1, 2, 0.5}  # numbers that are no choice
SOURCE = Path(orthoprox.__file__).parent
MODULES = sorted(
    path
    for path in (*SOURCE.glob("_adaptive/*.py"), SOURCE / "solvers/adaptive.py", *SOURCE.glob("starts/*.py"))
    if path.name not in ("settings.py", "small.py", "wide.py") or path.parent.name == "starts"
)


def leaves(value):
    """The numbers of a setting; a tuple counts its entries."""
    return [leaf for entry in value for leaf in leaves(entry)] if isinstance(value, tuple) else [value]


def literals(source):
    """The numbers of a program other than 0, 1, 2 and .5, as (line, number); 2 * 2 is one as
    well.
    """
    found = [(node.lineno, value) for node in ast.walk(ast.parse(source)) if (value := number(node)) is not None]
    return [(line, value) for line, value in found if value not in PLAIN]


def number(node):
    """The value of a literal, or of an operation with two of them; None for anything else."""
    if isinstance(node, ast.BinOp) and None not in (number(node.left), number(node.right)):
        return eval(ast.unparse(node), {"__builtins__": {}})
    if not isinstance(node, ast.Constant) or isinstance(node.value, (bool, str, bytes, type(...), type(None))):
        return None
    return node.value


@pytest.mark.parametrize("kind", MOST)
def test_tuned_numbers_are_few(kind):
    assert sum(len(leaves(value)) for value in asdict(kind()).values()) <= MOST[kind]


def test_every_setting_is_a_finite_positive_number_with_a_default():
    for name, value in (asdict(SETTINGS) | asdict(SMALL) | asdict(WIDE)).items():
        for leaf in leaves(value):
            assert type(leaf) in (int, float), name
            assert 0 < leaf < float("inf"), name


@pytest.mark.parametrize("kind", MOST)
def test_every_setting_says_what_it_is_on_its_line(kind):
    """In a comment of a few words, next to its default."""
    lines = inspect.getsource(kind).splitlines()
    for field in fields(kind):
        (line,) = (line for line in lines if line.strip().startswith(f"{field.name}: "))
        _, mark, comment = line.partition("  # ")
        assert mark, field.name
        assert len(comment) >= 3, field.name


def test_settings_are_frozen_and_changed_by_replace():
    with pytest.raises(FrozenInstanceError):
        SETTINGS.inertia = 0.0
    assert replace(SETTINGS, inertia=0.0) == Settings(inertia=0.0) != SETTINGS


@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_no_other_number_is_in_the_code(path):
    """But 0, 1, 2 and .5, which are no choice, also with a minus or as an index."""
    assert literals(path.read_text()) == []


def test_every_module_of_the_method_is_looked_at():
    names = {f"{path.parent.name}/{path.stem}" for path in MODULES}
    assert {"_adaptive/first_order", "_adaptive/polish", "solvers/adaptive", "starts/search", "starts/points"} <= names


@pytest.mark.parametrize(
    "planted",
    ["x = 3", "x = f(y[-3])", "def f(t=1e-3): ...", "x = 2.5 * y", "x = a**3", "x = 1j", "f'{3 * x}'", "x = y * (2 * 2)"],
)
def test_a_planted_number_is_found(planted):
    ((line, _),) = literals(f'"""Words with 17."""\n{planted}\n')
    assert line == 2


def test_numbers_that_are_no_choice_and_words_are_not_counted():
    assert literals('"""17"""\nx = [0, -1, 2.0, 0.5, 1.0, -2, True, None, "3", y[..., -1], M**0.5]  # 17\n') == []
    assert literals(Path(inspect.getfile(Settings)).read_text()) != []


def test_every_setting_is_used():
    """Somewhere in the library, outside of its definition."""
    used = {
        node.attr
        for path in SOURCE.rglob("*.py")
        if path.name not in ("settings.py", "small.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
    }
    used.add("entries")  # beside its definition
    assert {field.name for kind in MOST for field in fields(kind)} <= used
