"""Tables of text: what is recognised, what is left out, what is refused."""

import gzip
from io import BytesIO, TextIOWrapper

import numpy as np
import pytest

from orthoprox.tables import Choice, reader
from orthoprox.tables.layout import rows_of_file


@pytest.fixture
def table(tmp_path):
    """Write a text to a file and read it as a table, as a whole and by blocks of two rows."""

    def read(text, **choice):
        path = tmp_path / "table.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        wanted = Choice(**choice)
        whole, blocks = reader(path, wanted).read(), reader(path, wanted)
        parts = list(blocks.blocks(2))
        np.testing.assert_array_equal(np.concatenate([part.values for part in parts]), whole.values)
        assert (blocks.names, blocks.notes) == (whole.names, whole.notes)
        assert all(len(part.values) <= 2 for part in parts)
        if whole.row_names is not None:
            assert tuple(name for part in parts for name in part.row_names) == whole.row_names
        return whole

    return read


NUMBERS = [[1.5, 2.0], [3.0, -4.25], [1000.0, 0.5]]
FORMS = {
    "commas": "a,b\n1.5,2\n3,-4.25\n1e3,.5\n",
    "semicolons": "a;b\n1.5;2\n3;-4.25\n1e3;.5\n",
    "decimal commas": "a;b\n1,5;2\n3;-4,25\n1.000,0;,5\n",
    "tabs": "a\tb\n1.5\t2\n3\t-4.25\n1e3\t.5\n",
    "tabs and decimal commas": "a\tb\n1,5\t2\n3\t-4,25\n1000\t0,5\n",
    "bars": "a|b\n1.5|2\n3|-4.25\n1e3|.5\n",
    "spaces": "  a   b\n 1.5 2\n3   -4.25\n 1e3  .5 \n",
    "quotes": '"a","b"\n"1.5","2"\n3,-4.25\n"1,000",.5\n',
    "windows": "a,b\r\n1.5,2\r\n3,-4.25\r\n1e3,.5\r\n",
    "old mac": "a,b\r1.5,2\r3,-4.25\r1e3,.5\r",
    "byte order mark": "\ufeffa,b\n1.5,2\n3,-4.25\n1e3,.5\n",
    "comments": "# made by someone\n# 2020, or so\na,b\n1.5,2\n3,-4.25\n1e3,.5\n",
    "marked header": "# a,b\n1.5,2\n3,-4.25\n1e3,.5\n",
    "separator said": "sep=;\na;b\n1.5;2\n3;-4.25\n1e3;.5\n",
    "empty lines": "\na,b\n1.5,2\n\n3,-4.25\n1e3,.5\n,\n\n",
    "minus sign": "a,b\n1.5,2\n3,\N{MINUS SIGN}4.25\n1e3,.5\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_the_same_numbers_are_read_in_any_form(table, form):
    found = table(FORMS[form])
    np.testing.assert_array_equal(found.values, NUMBERS)
    assert found.names == ("a", "b")
    assert found.row_names is None


def test_utf_16_and_gzip(table, tmp_path):
    assert table("é;b\n1;2\n3;4\n".encode("utf-16")).names == ("é", "b")
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(FORMS["commas"].encode()))
    np.testing.assert_array_equal(reader(path).read().values, NUMBERS)


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(FORMS["semicolons"].encode())))
    np.testing.assert_array_equal(reader("-").read().values, NUMBERS)


HEADERS = {
    "no header": ("1.5,2\n3,4\n", ("x0", "x1")),
    "no header, a column of text": ("5.1,3.5,setosa\n4.9,3,setosa\n4,2,virginica\n", ("x0", "x1")),
    "counted columns": ("0,1,2\n1.5,2,2\n3,4,1\n", ("0", "1", "2")),
    "years": ("country,1990,1991\nA,1.2,3\nB,2,4.5\n", ("1990", "1991")),
    "text above text": ("a,b,c\nu,1,2\nv,3,4\n", ("b", "c")),
    "an empty name": ("a,,c\n1,2,3\n4,5,7\n", ("a", "column 2", "c")),
    "names twice": ("a,a,a (2)\n1,2,3\n4,5,7\n", ("a", "a (3)", "a (2)")),
    "line breaks and quotes": ('"a\nb","c""d",e\n1,2,3\n4,5,6\n', ("a\nb", 'c"d', "e")),
}


@pytest.mark.parametrize("kind", HEADERS)
def test_the_header_is_recognised(table, kind):
    text, names = HEADERS[kind]
    assert table(text).names == names


INDEX = {
    "text, another one in each row": ("name,x,y\nA,1,2\nB,3,5\n", {}, ("A", "B"), ("x", "y")),
    "no name": (",x,y\n7,1,2\n8,3,5\n", {}, ("7", "8"), ("x", "y")),
    "written by R": ('"x" "y"\n"r1" 1 2\n"r2" 3 5\n', {}, ("r1", "r2"), ("x", "y")),
    "id": ("id,x,y\n1,1,2\n2,3,5\n", {}, ("1", "2"), ("x", "y")),
    "asked for": ("x,y,z\n1,1,2\n2,3,5\n", {"index": "y"}, ("1", "3"), ("x", "z")),
    "not wanted": ("id,x,y\n1,1,2\n2,3,5\n", {"no_index": True}, None, ("id", "x", "y")),
    "wanted as a variable": ("id,x,y\n1,1,2\n2,3,5\n", {"columns": ("id,x",)}, None, ("id", "x")),
    "the same text twice": ("name,x,y\nA,1,2\nA,3,5\n", {}, None, ("x", "y")),
}


@pytest.mark.parametrize("kind", INDEX)
def test_the_names_of_rows_are_recognised(table, kind):
    text, choice, rows, names = INDEX[kind]
    found = table(text, **choice)
    assert (found.row_names, found.names) == (rows, names)


def test_columns_of_text_and_without_values_are_left_out_with_a_note(table):
    found = table("x,kind,y,z\n1,a,2,\n2,b,3,NA\n3,b,4,\n")
    assert found.names == ("x", "y")
    assert found.notes == (
        "Column 'kind' is left out: it has text, such as 'a' in row 1.",
        "1 column without any value is left out: 'z'.",
    )


def test_late_text_makes_a_column_one_of_text(table):
    rows = "".join(f"{i},{i / 7}\n" for i in range(9000))
    found = table(f"x,y,z\n{rows.replace(chr(10), ',1' + chr(10))}9000,oops,1\n")
    assert found.names == ("x", "z")
    assert found.notes == ("Column 'y' is left out: it has text, such as 'oops' in row 9001.",)


@pytest.mark.parametrize("cell", ["", "NA", "n/a", "NaN", "nan", "null", "?", "#N/A", " ", "None", "."])
def test_missing_values_are_nan(table, cell):
    found = table(f"x,y\n1,2\n{cell},3\n4,5\n")
    assert np.isnan(found.values[1, 0])
    assert np.sum(np.isnan(found.values)) == 1


def test_columns_are_chosen_and_dropped_by_name(table):
    text = 'a,"b,c",d,e\n1,2,3,u\n5,6,7,v\n'
    assert table(text, columns=("d", "b,c")).names == ("d", "b,c")
    assert table(text, columns=('a,"b,c"',)).names == ("a", "b,c")
    assert table(text, drop=("a,e",)).names == ("b,c", "d")
    with pytest.raises(ValueError, match=r"--columns has 'alpha', but no column has this name"):
        table(text, columns=("alpha",))
    with pytest.raises(ValueError, match="--columns has 'e', which has the text 'u' in row 1"):
        table(text, columns=("e",))


REFUSED = {
    "uneven": ("a,b\n1,2\n1,2,3\n4,5\n", "line 3: 3 cells, but the header has 2. Mend this line"),
    "first line": ("9,2,malignant\n1,2,3,4,5\n4,5,6,7,8\n", "begins with a line of 3 cells, '9', '2' and 'malignant'"),
    "no rows": ("a,b\n", "has a header but no rows"),
    "no numbers": ("a,b\nx,y\nx,z\n", "has no column of numbers among 'a' and 'b'"),
    "empty": ("\n  \n", "is empty"),
    "latin-1": ("é,b\n1,2\n".encode("latin-1"), r"is not UTF-8: it has the byte 0xe9.* add --encoding latin-1"),
    "late latin-1": (b"a,b\n" + b"1,2\n" * 400000 + "é,1\n".encode("latin-1"), "add --encoding latin-1"),
    "binary": (bytes(range(256)) * 4, "is a binary file of unknown kind"),
    "json": ('[{"a": 1}]', "is a JSON file"),
    "page": ("<!DOCTYPE html><html></html>", "is a page of HTML"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_table_is_refused_with_the_fix(table, kind):
    text, message = REFUSED[kind]
    with pytest.raises(ValueError, match=message) as caught:
        table(text)
    assert "\n" not in str(caught.value)


def test_what_is_guessed_can_be_said(table):
    assert table("é,b\n1,2\n3,4\n".encode("latin-1"), encoding="latin-1").names == ("é", "b")
    np.testing.assert_array_equal(table("1:2\n3:4\n", separator=":").values, [[1, 2], [3, 4]])
    np.testing.assert_array_equal(table("0,1,2\n3,4,5\n", header=False).values, [[0, 1, 2], [3, 4, 5]])
    np.testing.assert_array_equal(table("a;b\n1,234;2\n1.5;3\n", decimal=",").values, [[1.234, 2], [1.5, 3]])
    with pytest.raises(ValueError, match="--separator is 'no'"):
        table("a,b\n1,2\n", separator="no")
    with pytest.raises(ValueError, match="--encoding is 'klingon'"):
        table("a,b\n1,2\n", encoding="klingon")


def test_a_folder_and_a_file_that_is_not_there(tmp_path):
    (tmp_path / "wine.csv").write_text(FORMS["commas"])
    with pytest.raises(IsADirectoryError, match=r"is a folder; name a table in it, such as .*wine\.csv"):
        reader(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"check the path. Did you mean 'wine\.csv'\?"):
        reader(tmp_path / "wines.csv")


def test_a_whole_table_takes_one_pass_over_the_file(tmp_path, monkeypatch):
    passes = []

    def counted(*given):
        passes.append(given)
        return rows_of_file(*given)

    monkeypatch.setattr("orthoprox.tables.delimited.rows_of_file", counted)
    (tmp_path / "table.csv").write_text(FORMS["commas"])
    found = reader(tmp_path / "table.csv")
    found.read()
    assert found.names == ("a", "b")
    assert len(passes) == 1


def test_numbers_among_names_are_told(table):
    """The first line may be something else, such as the counts of rows and columns."""
    text = "3,2,setosa\n5.1,3.5,0\n4.9,3.0,0\n4.7,3.2,1\n"
    found = table(text)
    assert found.names == ("3", "2", "setosa")
    assert (
        "The first line is read as names, with numbers among them ('3' and '2'); if it is none, pass --no-header."
        in found.notes
    )
    assert not any("--no-header" in note for note in table(text, header=True).notes)
    assert not any("--no-header" in note for note in table("a,b\n1,2\n3,4\n").notes)
