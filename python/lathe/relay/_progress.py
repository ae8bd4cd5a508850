"""One line on the terminal that says how many kernels of a graph are compiled."""

import os
import sys
import time

# Seconds: builds that end sooner show nothing, and a line stays for a while, so that it can be read.
_BEFORE, _BETWEEN = 0.3, 0.1


class Progress:
    """`with Progress() as told:` `told(done, total)` shows "compiling DONE of TOTAL kernels" on standard error.

    `told` is None where standard error is no terminal, or one that cannot erase a line (TERM is "dumb", or not
    set). The line is erased at the end.

    Example:
        >>> from lathe.relay._progress import Progress
        >>> with Progress() as told:
        ...     told is None or callable(told)
        True
    """

    def __init__(self):
        self._stream, self._shown, self._next = sys.stderr, False, time.monotonic() + _BEFORE

    def __enter__(self):
        return self._told if _is_terminal(self._stream) else None

    def __exit__(self, *exc):
        if self._shown:
            self._write("")
        return False

    def _told(self, done, total):
        now = time.monotonic()
        if now < self._next:
            return
        self._next, self._shown = now + _BETWEEN, True
        self._write(f"compiling {done} of {total} kernels...")

    def _write(self, text):
        try:
            self._stream.write("\r\x1b[K" + text)
            self._stream.flush()
        except (OSError, ValueError):  # a terminal that is gone is no reason to end a build
            pass


def _is_terminal(stream):
    try:
        return stream.isatty() and os.environ.get("TERM") not in (None, "", "dumb")
    except (AttributeError, ValueError):  # none, or closed
        return False
