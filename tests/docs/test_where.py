"""The README's table of sources is that of the sources the tests run over."""

from docs import where


def test_the_table_of_sources_is_that_of_the_tests():
    text = where.README.read_text(encoding="utf-8")
    assert where.filled(text) == text, "README.md is out of date; run make docs"
    assert "| `np.memmap` |" in text
