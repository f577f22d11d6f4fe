"""What a call prints: through Python, or past it, as LAPACK does."""

import io
import os
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from tempfile import TemporaryFile

FILES = 1, 2  # standard output and error


class Said:
    """The text that was printed."""

    text = ""


@contextmanager
def captured():
    """Keep what is printed within the block; ``Said.text`` has it afterwards."""
    said, python = Said(), io.StringIO()
    with TemporaryFile() as file:
        saved = [os.dup(number) for number in FILES]
        try:
            for number in FILES:
                os.dup2(file.fileno(), number)
            with redirect_stdout(python), redirect_stderr(python):
                yield said
        finally:
            for number, copy in zip(FILES, saved, strict=True):
                os.dup2(copy, number)
                os.close(copy)
            file.seek(0)
            said.text = python.getvalue() + file.read().decode(errors="replace")
