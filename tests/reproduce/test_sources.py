"""The sources of a package: imports are followed by name, and a source means its code."""

import pytest

from orthoprox.reproduce.source import Source
from orthoprox.reproduce.sources import Sources

FILES = {
    "__init__.py": "from pack import room\nfrom pack.hall import door, window as light\n"
    "from pack.room import KINDS, Chair\nVERSION = 1\n",
    "hall.py": "import numpy\n\ndef door(): ...\n",
    "room/__init__.py": "from pack.room.chair import Chair\nfrom pack.room.table import Table\nKINDS = [Chair, Table]\n",
    "room/chair.py": "class Chair: ...\n",
    "room/table.py": "from pack.room.wood import oak\n",
    "room/wood.py": "oak = 1\n",
    "user.py": "",
}


@pytest.fixture
def pack(tmp_path):
    """Return a function to the closure of a module with some text."""
    root = tmp_path / "pack"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)

    def closure(text, unread=()):
        (root / "user.py").write_text(text)
        found = Sources(root, unread=unread).closure(["pack.user"])
        return sorted(name.removeprefix("pack.") for name in found - {"pack.user"})

    return closure


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import numpy, os.path", []),
        ("from pack.hall import door", ["hall"]),
        ("from pack import door", ["hall"]),
        ("from pack import light", ["hall"]),
        ("from pack.room import Chair", ["room.chair"]),
        ("from pack import Chair", ["room.chair"]),
        ("from pack.room import Table as T", ["room.table", "room.wood"]),
        ("from pack.room import chair", ["room.chair"]),
        ("import pack.room.chair", ["room.chair"]),
        ("import pack as p\np.room.Chair()", ["room.chair"]),
        ("import pack as p\np.room.chair.Chair()", ["room.chair"]),
        ("import pack\nx = [pack.door(1).room.Table]", ["hall"]),
        ("import pack as p\ndef f(x: p.Chair = p.door): ...", ["hall", "room.chair"]),
        ("from pack import room\nroom.Table", ["room.table", "room.wood"]),
        ("def f():\n    from pack import door", ["hall"]),
        ("from pack import KINDS, VERSION\nfrom pack.room import KINDS", []),
        ("import pack as p\np.KINDS[0], p.room.KINDS, p.VERSION", []),
        ("from pack import room\ngetattr(room, name)", ["room.chair", "room.table", "room.wood"]),
    ],
)
def test_imports_are_followed_to_the_module_that_defines_the_name(pack, text, expected):
    assert pack(text) == expected


def test_what_is_not_read_is_left_out(pack):
    assert pack("from pack.room import Table", unread=["pack.room.table"]) == []


def test_circles_end(pack, tmp_path):
    (tmp_path / "pack" / "hall.py").write_text("from pack.user import x\n")
    assert pack("from pack.hall import door") == ["hall"]


def meaning(text):
    return Source(text, "pack").meaning


def test_the_meaning_of_a_source_is_its_code():
    source = (
        '"""Words."""\nclass A:\n    """Words."""\n\n    def f(self):\n        """Words."""\n        return 1  # a comment\n'
    )
    same = "class A:\n    def f(self): return 1\n"
    assert meaning(source) == meaning(same)
    assert meaning(source) != meaning(same.replace("1", "2"))
    assert meaning('x = """Words."""') != meaning('x = """Other."""'), "a string that is used is code"
    assert meaning("x = None") != meaning("x = 0") != meaning("x = False") != meaning("x = 0.0")
    only = 'def f():\n    """Words."""\n'
    assert meaning(only) != meaning(only + "    return 1\n")


def test_imports_of_the_package_are_no_part_of_the_meaning_but_others_are():
    assert meaning("from pack.a import b\nb()") == meaning("from pack.c import b\nb()") == meaning("import pack\nb()")
    assert meaning("from math import pi") != meaning("from cmath import pi")
    assert meaning("def f():\n    from pack import b\n    b()") == meaning("def f():\n    b()")
