"""The next block is read while one is used."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def ahead(items: Iterable[T]) -> Iterator[T]:
    """Yield the items; a thread fetches the next one meanwhile. What it raises is raised here."""
    source = iter(items)

    def fetch() -> tuple[T, ...]:
        for item in source:
            return (item,)
        return ()

    with ThreadPoolExecutor(1, thread_name_prefix="orthoprox-rows") as thread:
        coming = thread.submit(fetch)
        while found := coming.result():
            coming = thread.submit(fetch)
            yield found[0]
