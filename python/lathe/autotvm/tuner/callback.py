"""What a tuner calls with trials: `callback(tuner, inputs, results)`.

A tuner calls them as soon as a trial is finished: what they keep is kept also if the process is killed.
"""

import os
import sys
import time

from .. import record
from ..measure import MeasureErrorNo


def log_to_file(file_out, protocol="json"):
    """Appends a line for each trial to a file.

    Args:
        file_out: a path, or a file that is open for writing.

    Example:
        >>> from lathe import autotvm
        >>> callable(autotvm.callback.log_to_file("tuning.log"))
        True
    """
    def write(lines):
        if hasattr(file_out, "write"):
            file_out.write(lines)
            return
        # One write: programs that append to the same file do not mix their lines.
        with open(file_out, "ab+", buffering=0) as out:
            data = lines.encode()
            # A line that a killed program left ends here, and costs no other one.
            if out.seek(0, os.SEEK_END) > 0:
                out.seek(-1, os.SEEK_END)
                data = data if out.read(1) == b"\n" else b"\n" + data
            while data:
                data = data[out.write(data):]
            os.fdatasync(out.fileno())

    def log(_, inputs, results):
        write("".join(record.encode(*trial, protocol) + "\n" for trial in zip(inputs, results)))

    return log


def log_to_database(db):
    """Saves each trial into a database (`autotvm.database`).

    Example:
        >>> from lathe import autotvm
        >>> callable(autotvm.callback.log_to_database(autotvm.database.DummyDatabase()))
        True
    """
    def save(_, inputs, results):
        for given, result in zip(inputs, results):
            db.save(given, result, extend=True)

    return save


class Monitor:
    """Keeps how fast each trial was.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.callback.Monitor().trial_scores()
        []
    """

    def __init__(self):
        self.reset()

    def __call__(self, tuner, inputs, results):
        for given, result in zip(inputs, results):
            ok = result.error_no == MeasureErrorNo.NO_ERROR
            self._scores.append(given.task.flop / (sum(result.costs) / len(result.costs)) if ok else 0)
            self._times.append(result.timestamp)

    def reset(self):
        """Forgets all."""
        self._scores, self._times = [], []

    def trial_scores(self):
        """Operations per second of each trial; 0 for those that failed."""
        return self._scores

    def trial_timestamps(self):
        """When each trial ended, in seconds since 1970."""
        return self._times


def progress_bar(total, prefix="", si_prefix="G"):
    """Shows how far a search is, on standard error, if that is a terminal; else its last state.

    Args:
        total: the trials of the search.
        prefix: stands before it.
        si_prefix: of operations per second: "", "K", "M", "G", "T".

    Example:
        >>> from lathe import autotvm
        >>> callable(autotvm.callback.progress_bar(1000, prefix="[Task 1]"))
        True
    """
    begun = time.monotonic()
    state = {"done": 0, "best": 0.0, "now": 0.0}
    unit = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[si_prefix]
    terminal = sys.stderr.isatty()

    def show(tuner, inputs, results):
        for given, result in zip(inputs, results):
            state["done"] += 1
            state["now"] = 0.0
            if result.error_no == MeasureErrorNo.NO_ERROR:
                state["now"] = given.task.flop / (sum(result.costs) / len(result.costs)) / unit
            state["best"] = max(state["best"], state["now"])
        ended = state["done"] >= total or state["done"] >= getattr(tuner, "n_trial", total)
        if not terminal and not ended:
            return
        text = (f"{prefix} {state['done']}/{total} trials, {state['now']:.2f} "
                f"{si_prefix}FLOPS, best {state['best']:.2f}, {time.monotonic() - begun:.0f} s")
        sys.stderr.write(("\r" if terminal else "") + text + ("\n" if ended else ""))
        sys.stderr.flush()

    return show
