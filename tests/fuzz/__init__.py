"""The fuzzer: random calls of every public function, and the promises that each call has to keep.

``values``, ``arrays``, ``callables`` and ``terms`` make arguments, good and bad; the ``calls_*``
modules make calls of them; ``promises`` watches a call; ``campaign`` makes many and keeps count.
"""
