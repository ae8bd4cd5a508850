"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.auto_scheduler.measure import PythonBasedMeasureCallback as PythonBasedMeasureCallback
from lathe.error import LatheError as LatheError
from lathe.autotvm.measure import MeasureError as MeasureError
from lathe.autotvm.measure import MeasureErrorNo as MeasureErrorNo
from lathe.auto_scheduler.measure import MeasureInput as MeasureInput
from lathe.autotvm.measure import MeasureResult as MeasureResult
from lathe.autotvm.measure import failure_number as failure_number

class RecordReader:
    """Reads a file of records.

    Args:
        filename: a path.

    Raises:
        LatheError: `tune-journal-unreadable`, when it is read.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.RecordReader("tune.jsonl").filename
        'tune.jsonl'
    """
    def __iter__(self) -> Any: ...
    def read_lines(self, max_lines: Any = ..., skip_lines: Any = ...) -> Any: ...
    def __init__(self, filename: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class RecordToFile(PythonBasedMeasureCallback):
    """Appends a record of each trial to a file: those of `lathe tune` (docs/guides/tuning.md).

    A record has the program with its schedule, so it can be applied without this module; `lathe tune
    records` and `lathe tune report` show what a file has.

    Args:
        filename: a path.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.RecordToFile("tune.jsonl").filename
        'tune.jsonl'
    """
    def callback(self, policy: Any, inputs: Any, results: Any) -> Any: ...
    def __init__(self, filename: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def distill_record_file(in_file: Any, out_file: Any) -> Any:
    """Writes the best record of each workload of one file, and of the other if it exists, to the other.

    Example:
        >>> from lathe import auto_scheduler
        >>> callable(auto_scheduler.measure_record.distill_record_file)
        True
    """

def dump_record_to_string(inp: Any, res: Any) -> Any:
    """The text of a record: one line of JSON, without a line end.

    Raises:
        LatheError: `auto-scheduler-records`: the state has no schedule.

    Example:
        >>> from lathe import auto_scheduler
        >>> callable(auto_scheduler.measure_record.dump_record_to_string)
        True
    """

def load_best_record(filename: Any, workload_key: Any = ..., target: Any = ..., include_compatible: Any = ...) -> Any:
    """(MeasureInput, MeasureResult) of the fastest trial in a file; (None, None) if there is none.

    Args:
        workload_key: only of this workload.
        target: only for this target: text or Target.
        include_compatible: for compatibility, without effect.

    Example:
        >>> from lathe import auto_scheduler
        >>> callable(auto_scheduler.load_best_record)
        True
    """

def load_record_from_string(record: Any) -> Any:
    """(MeasureInput, MeasureResult) of the text of a record.

    The task is that of the record's program, in canonical names, for its target.

    Raises:
        LatheError: `tune-record-invalid`, and `trace-...` if a step does not apply any more.

    Example:
        >>> from lathe import auto_scheduler
        >>> callable(auto_scheduler.measure_record.load_record_from_string)
        True
    """

def load_records(filename: Any) -> Any:
    """[(MeasureInput, MeasureResult)...] of a file.

    Example:
        >>> from lathe import auto_scheduler
        >>> callable(auto_scheduler.load_records)
        True
    """

logger: Any

def main(arguments: Any = ...) -> Any:
    """Runs the program; returns its exit status.

    Example:
        >>> import lathe.auto_scheduler.measure_record as measure_record
        >>> callable(measure_record.main)
        True
    """

def record_text(measure_input: Any, result: Any, tuner: Any = ..., here: Any = ...) -> Any:
    """The text of a record; None for a state without a schedule, which no record can have.

    Args:
        measure_input, result: MeasureInput and MeasureResult.
        tuner: what chose the state.
        here: it was measured on this machine, which the record names then.

    Example:
        >>> from lathe import auto_scheduler
        >>> callable(auto_scheduler.measure_record.record_text)
        True
    """

def save_records(filename: Any, inputs: Any, results: Any) -> Any:
    """Appends records to a file.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.save_records("nothing.jsonl", [], [])
    """
