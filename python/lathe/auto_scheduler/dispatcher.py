"""Which schedules kernels of graphs get: contexts, the innermost first."""

import logging
import os

from .. import _ffi
from ..error import LatheTypeError
from .measure_record import record_text

_get = _ffi.get
logger = logging.getLogger("auto_scheduler")


def _contains(context, wanted):
    while context is not None and context is not wanted:
        context = context._old
    return context is not None


class DispatchContext:
    """Base of the contexts. `with context:` makes it the innermost; what one does not know is asked of
    the one around it. Builds of graphs look at the records of `ApplyHistoryBest` alone, not at `query`
    of a class of your own.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.DispatchContext.current.query("llvm", "nobody") is None
        True
    """

    current = None

    def __init__(self):
        self._old, self._before = None, []
        self._records = None  # a box of C++: the best record of each program

    def query(self, target, workload_key, has_complex_op=True, dag=None, func_name=""):
        """The schedule of a workload, from here or from a context around it; None for the default.

        Args:
            target: text or Target.
            workload_key: of a SearchTask.
            has_complex_op, func_name: for compatibility, without effect.
            dag: its ComputeDAG; without it the key's workload must be registered.
        """
        if self._records is not None:
            from .compute_dag import ComputeDAG
            from ..target import Target

            dag = dag if dag is not None else ComputeDAG(workload_key)
            found = _get("tune.best_find")(self._records, dag.tensors, Target(target))
            if found is not None:
                return found[0]
        return None if self._old is None else self._old.query(target, workload_key, dag=dag)

    def __enter__(self):
        self._before.append(DispatchContext.current)
        if not _contains(DispatchContext.current, self):  # entered again it stays where it is
            self._old = DispatchContext.current
            DispatchContext.current = self
        return self

    def __exit__(self, *_):
        DispatchContext.current = self._before.pop()


class ApplyHistoryBest(DispatchContext):
    """The best record of each kernel: `relay.build` inside of it uses their schedules.

    A record is for one computation on one target. Kernels without one keep their default schedule.

    Args:
        records: a file of `RecordToFile` or of `lathe tune`, a list of such files,
            [(MeasureInput, MeasureResult)...], or None.
        n_lines, include_compatible: for compatibility, without effect: all records count, and only
            for their own target.

    Raises:
        LatheError: `tune-journal-unreadable`, `tune-record-invalid`.

    Example:
        >>> from lathe import auto_scheduler
        >>> with auto_scheduler.ApplyHistoryBest([]) as context:
        ...     len(context)
        0
    """

    def __init__(self, records, n_lines=None, include_compatible=False):
        super().__init__()
        self._records = _get("tune.best_records")()
        self.load(records)

    def load(self, records, n_lines=None):
        """Adds records."""
        if isinstance(records, (str, os.PathLike)):
            odd = _get("tune.best_read", True)(self._records, str(records))
            if odd:
                logger.warning("%d lines of %s are damaged, or no records", odd, records)
            return
        for one in records or ():
            if isinstance(one, (str, os.PathLike)):
                self.load(one)
            elif isinstance(one, tuple) and len(one) == 2:
                text = record_text(*one)
                if text is not None:
                    _get("tune.best_add")(self._records, text)
            else:
                raise LatheTypeError("a record must be (MeasureInput, MeasureResult)",
                                     "auto-scheduler-records", f"found: {one!r}")

    def __len__(self):
        return len(_get("tune.best_texts")(self._records))


class FallbackContext(DispatchContext):
    """The outermost context: default schedules.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.FallbackContext().query("llvm", "nobody") is None
        True
    """


DispatchContext.current = FallbackContext()


def records():
    """For builds of graphs: what the contexts have, the innermost first.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.dispatcher.records()
        []
    """
    found, context = [], DispatchContext.current
    while context is not None:
        if context._records is not None:
            found.append(context._records)
        context = context._old
    return found
