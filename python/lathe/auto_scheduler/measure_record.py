"""Files of records: one line for each trial, as `lathe tune` writes and reads them.

`python -m lathe.auto_scheduler.measure_record --mode distill -i all.jsonl -o best.jsonl` keeps the best
of each workload; `lathe tune records` does more.
"""

import argparse
import json
import logging
import os
import statistics
import sys

from .. import _ffi
from ..autotvm.measure import MeasureError, MeasureErrorNo, MeasureResult, failure_number
from ..error import LatheError
from .measure import MeasureInput, PythonBasedMeasureCallback

_get = _ffi.get
logger = logging.getLogger("auto_scheduler")


def record_text(measure_input, result, tuner="sketch", here=False):
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
    error = result.costs[0] if result.error_no != MeasureErrorNo.NO_ERROR else None
    if measure_input.state.schedule is None:
        return None
    task = measure_input.task
    return _get("tune.record_text", True)(
        measure_input.state.schedule, task.compute_dag.tensors, task.target,
        json.dumps(measure_input.state.knobs), [] if error else [float(cost) for cost in result.costs],
        getattr(error, "kind", "error") if error else "", str(error) if error else "", tuner, here)


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

    def __init__(self, filename):
        self.filename = str(filename)

    def callback(self, policy, inputs, results):
        """Appends them."""
        here = getattr(policy, "runs_here", False)
        texts = [record_text(*trial, here=here) for trial in zip(inputs, results)]
        _get("tune.append_records", True)(self.filename, [text for text in texts if text is not None])


def dump_record_to_string(inp, res):
    """The text of a record: one line of JSON, without a line end.

    Raises:
        LatheError: `auto-scheduler-records`: the state has no schedule.

    Example:
        >>> from lathe import auto_scheduler
        >>> callable(auto_scheduler.measure_record.dump_record_to_string)
        True
    """
    text = record_text(inp, res)
    if text is None:
        raise LatheError("a state without a schedule has no record", "auto-scheduler-records")
    return text


def load_record_from_string(record):
    """(MeasureInput, MeasureResult) of the text of a record.

    The task is that of the record's program, in canonical names, for its target.

    Raises:
        LatheError: `tune-record-invalid`, and `trace-...` if a step does not apply any more.

    Example:
        >>> from lathe import auto_scheduler
        >>> callable(auto_scheduler.measure_record.load_record_from_string)
        True
    """
    from .compute_dag import ComputeDAG
    from .loop_state import State
    from .search_task import SearchTask

    schedule, tensors, target, knobs, seconds, kind, message, when, build = _get(
        "tune.record_fields", True)(record)
    task = SearchTask(compute_dag=ComputeDAG(list(tensors)), target=target)
    costs = (MeasureError(message, kind),) if kind else tuple(seconds)
    number = failure_number(kind) if kind else MeasureErrorNo.NO_ERROR
    return (MeasureInput(task, State(json.loads(knobs) or {}, schedule)),
            MeasureResult(costs, number, build + sum(seconds), when))


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

    def __init__(self, filename):
        self.filename = str(filename)

    def read_lines(self, max_lines=None, skip_lines=0):
        """(inputs, results) of the records, at most so many, without the first `skip_lines`.

        Those whose steps do not apply any more are left out, and named in a warning.
        """
        texts = []
        odd = _get("tune.read_records", True)(self.filename, texts.append)
        if odd:
            logger.warning("%d lines of %s are damaged, or no records", odd, self.filename)
        end = None if max_lines is None else skip_lines + max_lines
        pairs = []
        for text in texts[skip_lines:end]:
            try:
                pairs.append(load_record_from_string(text))
            except LatheError as error:  # of another version, perhaps
                logger.warning("a record of %s does not apply: %s", self.filename, error.message)
        return [given for given, _ in pairs], [result for _, result in pairs]

    def __iter__(self):
        return zip(*self.read_lines())


def load_records(filename):
    """[(MeasureInput, MeasureResult)...] of a file.

    Example:
        >>> from lathe import auto_scheduler
        >>> callable(auto_scheduler.load_records)
        True
    """
    return list(RecordReader(filename))


def save_records(filename, inputs, results):
    """Appends records to a file.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.save_records("nothing.jsonl", [], [])
    """
    _get("tune.append_records", True)(
        str(filename), [dump_record_to_string(*trial) for trial in zip(inputs, results)])


def load_best_record(filename, workload_key=None, target=None, include_compatible=False):
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
    from ..target import Target
    from .compute_dag import ComputeDAG

    key = workload_key
    if key is not None and key.startswith("["):  # a registered function with arguments
        key = ComputeDAG(key).workload_key()
    wanted = None if target is None else _get("tune.canonical_target")(Target(target))
    best, fastest = (None, None), float("inf")
    for given, result in RecordReader(filename):
        if result.error_no != MeasureErrorNo.NO_ERROR:
            continue
        if key is not None and given.task.workload_key != key:
            continue
        if wanted is not None and str(given.task.target) != wanted:
            continue
        cost = statistics.median(result.costs)
        if cost < fastest:
            best, fastest = (given, result), cost
    return best


def distill_record_file(in_file, out_file):
    """Writes the best record of each workload of one file, and of the other if it exists, to the other.

    Example:
        >>> from lathe import auto_scheduler
        >>> callable(auto_scheduler.measure_record.distill_record_file)
        True
    """
    best = _get("tune.best_records")()
    for path in [in_file] + [out_file] * os.path.exists(out_file):
        odd = _get("tune.best_read", True)(best, str(path))
        if odd:
            logger.warning("%d lines of %s are damaged, or no records", odd, path)
    new = f"{out_file}.new"
    if os.path.exists(new):
        os.remove(new)
    _get("tune.append_records", True)(new, list(_get("tune.best_texts")(best)))
    os.replace(new, out_file)


def main(arguments=None):
    """Runs the program; returns its exit status.

    Example:
        >>> import lathe.auto_scheduler.measure_record as measure_record
        >>> callable(measure_record.main)
        True
    """
    parser = argparse.ArgumentParser(
        prog="python -m lathe.auto_scheduler.measure_record", description="Edits files of records.",
        epilog="example: python -m lathe.auto_scheduler.measure_record --mode distill -i all.jsonl -o "
               "best.jsonl")
    parser.add_argument("--mode", choices=["distill"], required=True,
                        help="distill: the best of each workload, into -o")
    parser.add_argument("-i", "--i", dest="log", required=True, help="the file")
    parser.add_argument("-o", "--o", dest="out",
                        help="the new file; by default that of -i with .best.json at its end")
    given = parser.parse_args(arguments)
    try:
        distill_record_file(given.log, given.out or given.log + ".best.json")
    except (LatheError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
