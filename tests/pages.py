"""Pages with code: their blocks, and whether what a block prints is what the page shows after it.

Printed and shown output agree if their words do and their numbers do up to one in the last digit
shown, 1 %, or rounding errors. Of times and of counts of work only the name is compared. A line
with three dots stands for any lines.
"""

import re
import shlex

from orthoprox.cli.__main__ import main

NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)")
OF_THE_MACHINE = "time", "gradients", "iterations"
ROUNDING = 1e-8


def blocks(page):
    """Return the blocks of a page in their order: language and text."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)


def run(language, text, session):
    """Run a block as a reader would; what needs an installation is tested by itself."""
    if language == "python":
        exec(text, session)
    for line in text.splitlines() if language == "console" else ():
        command, *arguments = shlex.split(line, comments=True)
        assert command in ("orthoprox", "pip"), line
        assert command == "pip" or main(arguments) == 0


def differences(printed, shown):
    """Return where printed output departs from what is shown: at most one sentence."""
    have, end = _words(printed), 0
    parts = [_words(part) for part in re.split(r"^\.\.\.$", shown, flags=re.MULTILINE)]
    for k, part in enumerate(parts):
        places = range(end, len(have) - len(part) + 1)
        if k == 0:
            places = [place for place in places if place == 0]
        if k == len(parts) - 1:
            places = [place for place in places if place == len(have) - len(part)]
        found = next((place for place in places if all(map(_agree, have[place:], part))), None)
        if found is None:
            return [f"{' '.join(part)!r} is shown, but this is printed: {' '.join(have)!r}"]
        end = found + len(part)
    return []


def _words(text):
    """The words of a text, of lines about times and work only the first."""
    lines = [line.split() for line in text.splitlines()]
    return [word for line in lines for word in (line[:1] if line and line[0].strip(":") in OF_THE_MACHINE else line)]


def _agree(mine, theirs):
    mine, theirs = NUMBER.split(mine), NUMBER.split(theirs)
    return mine[::2] == theirs[::2] and all(map(_close, mine[1::2], theirs[1::2]))


def _close(mine, theirs):
    """Whether a number is the one shown, but for its last digit, 1 % or rounding errors."""
    digits, _, power = theirs.partition("e")
    decimals = digits.partition(".")[2]
    last = 1.01 * 10.0 ** (int(power or 0) - len(decimals)) if decimals else 0.0  # whole numbers are counts
    return abs(float(mine) - float(theirs)) <= max(last, 0.01 * abs(float(theirs)), ROUNDING)
