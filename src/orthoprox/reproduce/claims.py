"""Which process does what: claims on tasks and on the machine, which end with the process that
holds them.
"""

from pathlib import Path

from orthoprox.files import locks

_PLACES = 1024  # for processes that share the machine, one byte each; the one that needs it alone takes them all


class Claims:
    """The claims of this process on the work in a folder. A process has one of these for a
    folder.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a+b", buffering=0)
        self._machine: tuple[int, int] | None = None

    def take(self, key: str) -> bool:
        """Claim a task by its key; return whether it is this process that does it."""
        return locks.take(self._file, _place(key))

    def release(self, key: str) -> None:
        """Let others claim the task."""
        locks.release(self._file, _place(key))

    def take_machine(self, *, alone: bool) -> bool:
        """Claim the machine, for this process alone or beside others; return whether the claim is
        granted.
        """
        tried = [(0, _PLACES)] if alone else [(place, 1) for place in range(_PLACES)]
        self._machine = next((bytes_ for bytes_ in tried if locks.take(self._file, *bytes_)), None)
        return self._machine is not None

    def release_machine(self) -> None:
        """Let others have the machine."""
        if self._machine is not None:
            locks.release(self._file, *self._machine)
            self._machine = None

    def close(self) -> None:
        """Give up all claims."""
        self._file.close()


def _place(key: str) -> int:
    """Return the byte of a key, which is a hash: two have the same one with a chance of 2^-48."""
    return _PLACES + int(key[:12], 16)
