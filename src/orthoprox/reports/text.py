"""Values as readers see them: numbers with three digits, names that hide nothing."""

import math
import re

DASH = "—"
MINUS = "\N{MINUS SIGN}"
SPACE = "\N{NO-BREAK SPACE}"

# Characters that are invisible, move others or cannot be written: controls, marks of direction,
# separators of lines, surrogates, characters that Unicode rules out.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\uffff"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
_SIGNS = {"\n": "↵", "\r": "␍", "\t": "⇥"}


def visible(text: str) -> str:
    """Return a text on one line, with its hidden characters spelled out: "⟨U+202E⟩" for the one
    that reverses what follows, "↵" for a line break.
    """
    return _HIDDEN.sub(lambda found: _SIGNS.get(found[0], f"⟨U+{ord(found[0]):04X}⟩"), text)


def cut(text: str, most: int) -> str:
    """Return a text of at most so many characters; a longer one keeps its beginning and end."""
    if len(text) <= most:
        return text
    tail = (most - 1) // 3
    return f"{text[: most - 1 - tail].rstrip()}…{text[len(text) - tail :].lstrip()}"


def number(value: float) -> str:
    """Return a number with three significant digits, or a dash if it is not finite."""
    if not math.isfinite(value):
        return DASH
    mantissa, exponent = f"{abs(value):.2e}".split("e")
    power = int(exponent)
    if float(mantissa) == 0:
        return "0"
    sign = MINUS if value < 0 else ""
    if -4 <= power <= 5:
        return f"{sign}{float(f'{mantissa}e{power}'):,.{max(0, 2 - power)}f}"
    return f"{sign}{mantissa}e{power}".replace("e-", f"e{MINUS}")


def percent(share: float) -> str:
    """Return a share as a percentage with one decimal, or a dash if it is not finite."""
    if not math.isfinite(share):
        return DASH
    text = f"{abs(100 * share):,.1f}"
    return f"{MINUS if share < 0 and float(text.replace(',', '')) else ''}{text}{SPACE}%"


def count(n: int, noun: str, plural: str = "") -> str:
    """Return a number of things: "1 row", "2,000 rows"."""
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"
