"""Drawing the arguments of one call, with a memory of how good they are."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from hypothesis import strategies as st

SEEDS = st.integers(0, 2**16)


def one_in(number: int, draw: Callable[[Any], Any]) -> bool:
    """Return True once in so many times; never in the smallest example of a failure, if it can."""
    return draw(st.integers(1, number)) == number


class Quality(IntEnum):
    """How good the arguments of a call are."""

    GOOD = 0  # the call has to succeed
    DARING = 1  # of an unusual size, or of an unusual kind: the call may be refused
    BAD = 2  # the call will most likely be refused


@dataclass
class Call:
    """One call: what is called and with what, and what may come of it."""

    name: str
    run: Callable[[], Any]
    arguments: dict[str, Any]
    quality: Quality = Quality.GOOD
    check: Callable[[Any], list[str]] | None = None  # a value -> the promises that it breaks
    late: bool = False  # a callable misbehaves, long after the arguments were checked: no refusal
    missing_file: bool = False  # FileNotFoundError is documented
    prints: bool = False  # it is asked to show its progress
    errstate: dict[str, str] = field(default_factory=dict)  # NumPy's, around the call
    threaded: bool = False  # made in a thread of its own

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={_short(value)}" for name, value in self.arguments.items())
        around = " in a thread" if self.threaded else ""
        return f"{self.name}({given}){around}" + (f" with np.errstate({self.errstate})" if self.errstate else "")


class Pick:
    """Draws arguments by name. In nearly half of the calls every argument is good; in the others
    one in two, three or six may be bad.
    """

    def __init__(self, draw: Callable[[Any], Any]) -> None:
        self.draw = draw
        self.rarity = draw(st.sampled_from([0, 0, 0, 6, 3, 2, 2]))
        self.quality = Quality.GOOD
        self.arguments: dict[str, Any] = {}

    def __call__(self, name: str, good: Any, bad: Any = None, daring: Any = None) -> Any:
        """Draw one argument and keep it under its name."""
        kinds = [(bad, Quality.BAD), (bad, Quality.BAD), (daring, Quality.DARING)]
        kinds = [(strategy, quality) for strategy, quality in kinds if strategy is not None]
        if kinds and self.rarity and one_in(self.rarity, self.draw):
            good, quality = self.draw(st.sampled_from(kinds))
            self.quality = max(self.quality, quality)
        self.arguments[name] = self.draw(good)
        return self.arguments[name]

    def call(self, name: str, run: Callable[[], Any], **facts: Any) -> Call:
        """Return the call with the arguments drawn so far."""
        errstate = {"all": "raise"} if one_in(20, self.draw) else {}
        threaded = one_in(30, self.draw)
        quality = max(self.quality, facts.pop("quality", Quality.GOOD))
        return Call(name, run, dict(self.arguments), quality, errstate=errstate, threaded=threaded, **facts)


def _short(value: Any) -> str:
    kind = type(value).__name__
    if hasattr(value, "dtype") and hasattr(value, "ndim"):
        layout = f" strides {value.strides}" if hasattr(value, "strides") else ""
        entries = " ".join(str(value.tolist() if hasattr(value, "tolist") else "").split())
        kind = f"<{kind} {value.dtype} {value.shape}{layout} {entries}>"
        return kind if len(kind) <= 900 else kind[:900] + "...>"
    try:
        text = " ".join(repr(value).split())
    except Exception as error:
        text = f"<{kind} whose repr raises {error!r}>"
    return text if len(text) <= 600 else text[:600] + "..."
