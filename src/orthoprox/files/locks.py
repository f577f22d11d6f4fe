"""Locks on bytes of an open file, which the system releases when their process ends. Bytes beyond
the end can be locked.
"""

import errno
import sys
from typing import IO

if sys.platform == "win32":
    import msvcrt

    def take(file: IO[bytes], place: int, length: int = 1) -> bool:
        """Lock some bytes, unless another process has locked one of them; return whether they are
        locked now.
        """
        file.seek(place)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, length)
        except OSError:
            return False
        return True

    def release(file: IO[bytes], place: int, length: int = 1) -> None:
        """Let go of bytes that this process has locked."""
        file.seek(place)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, length)

else:
    import fcntl

    _TAKEN = {errno.EACCES, errno.EAGAIN}
    _UNKNOWN = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP}  # a file system without locks: work goes on, unshared

    def take(file: IO[bytes], place: int, length: int = 1) -> bool:
        """Lock some bytes, unless another process has locked one of them; return whether they are
        locked now.
        """
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, length, place)
        except OSError as error:
            if error.errno not in _TAKEN | _UNKNOWN:
                raise
            return error.errno in _UNKNOWN
        return True

    def release(file: IO[bytes], place: int, length: int = 1) -> None:
        """Let go of bytes that this process has locked."""
        fcntl.lockf(file, fcntl.LOCK_UN, length, place)
