"""Logs: a line of text for each trial, in AutoTVM's format (tune/autotvm_log.h).

Lines that TVM wrote are read, too. They are of use where a template of the same name is registered.
"""

import json
import logging
import os

from .. import __version__, _ffi
from ..error import LatheValueError
from ..target import Target
from .measure import MeasureError, MeasureErrorNo, MeasureInput, MeasureResult, failure_number
from .task.space import ConfigEntity
from .task.task import Task, serialize_args

_get = _ffi.get
logger = logging.getLogger("autotvm")
# The kinds of failures of lines whose message is not ours.
_KINDS = {MeasureErrorNo.INSTANTIATION_ERROR: "schedule", MeasureErrorNo.COMPILE_HOST: "build",
          MeasureErrorNo.COMPILE_DEVICE: "build", MeasureErrorNo.WRONG_ANSWER: "wrong-answer",
          MeasureErrorNo.BUILD_TIMEOUT: "timeout", MeasureErrorNo.RUN_TIMEOUT: "timeout"}


def measure_str_key(inp, include_config=True):
    """A text that identifies what is measured.

    Example:
        >>> from lathe import autotvm
        >>> given = autotvm.MeasureInput("llvm", autotvm.task.Task("t", (1,)), None)
        >>> autotvm.record.measure_str_key(given, include_config=False)
        "llvm('t', 1)"
    """
    return f"{inp.target}{inp.task.workload}" + (str(inp.config) if include_config else "")


def encode(inp, result, protocol="json"):
    """A line of a log for a trial, without a line end.

    Example:
        >>> from lathe import autotvm
        >>> config = autotvm.task.ConfigEntity(0, None, {}, [])
        >>> given = autotvm.MeasureInput("llvm", autotvm.task.Task("t", (1,)), config)
        >>> line = autotvm.record.encode(given, autotvm.MeasureResult((0.5,), 0, 1.0, 0.0))
        >>> autotvm.record.decode(line)[1].costs
        (0.5,)
    """
    _check(protocol)
    failed = result.error_no != MeasureErrorNo.NO_ERROR
    error = result.costs[0] if failed and result.costs else None
    kind = getattr(error, "kind", _KINDS.get(result.error_no, "error")) if failed else ""
    knobs = [[name, kind_of, json.dumps(value)]
             for name, kind_of, value in inp.config.to_json_dict()["entity"]]
    return _get("tune.log_text")([
        str(inp.target), inp.task.name, json.dumps(serialize_args(inp.task.args)), "{}",
        inp.config.index, knobs, [] if failed else [float(cost) for cost in result.costs], kind,
        str(error) if failed else "", float(result.all_cost), float(result.timestamp),
        f"lathe {__version__}"])


def decode(row, protocol="json"):
    """(MeasureInput, MeasureResult) of a line of a log.

    Raises:
        LatheError: `tune-log-invalid`: what was expected, and what was found.

    Example:
        >>> import lathe
        >>> from lathe import autotvm
        >>> config = autotvm.task.ConfigEntity(0, None, {}, [])
        >>> given = autotvm.MeasureInput(lathe.Target("llvm"), autotvm.task.Task("t", (1,)), config)
        >>> line = autotvm.record.encode(given, autotvm.MeasureResult((0.5,), 0, 1.0, 0.0))
        >>> autotvm.record.decode(line)[0].task.workload
        ('t', 1)
    """
    _check(protocol)
    return _pair(_get("tune.log_record")(row))


def _check(protocol):
    if protocol != "json":
        raise LatheValueError(f"{protocol!r} is no format of logs here", "tune-log-protocol",
                              "expected: \"json\"")


def _pair(fields):
    target, name, args, _, index, knobs, seconds, kind, message, total, when, _ = fields
    config = ConfigEntity.from_json_dict({
        "index": index, "code_hash": None,
        "entity": [[knob, kind_of, json.loads(value)] for knob, kind_of, value in knobs]})
    target = _target(target)
    task = Task(name, _tuples(json.loads(args)), target)
    costs = (MeasureError(message, kind),) if kind else tuple(seconds)
    number = failure_number(kind) if kind else MeasureErrorNo.NO_ERROR
    return MeasureInput(target, task, config), MeasureResult(costs, number, total, when)


def _target(text):
    """The target; of a text with options that only TVM has, its kind and model."""
    try:
        return Target(text)
    except ValueError:
        words = text.split()
        return Target(" ".join(words[:1] + [w for w in words if w.startswith("-model=")]))


def _tuples(item):
    return tuple(_tuples(one) for one in item) if isinstance(item, list) else item


def load_from_file(filename):
    """The trials of a log: (MeasureInput, MeasureResult) of each line.

    Lines that are no records are left out, and named in a warning (logging, "autotvm").

    Args:
        filename: a path, or an open file.

    Raises:
        LatheError: `tune-log-unreadable`.

    Example:
        >>> import io, lathe
        >>> from lathe import autotvm
        >>> config = autotvm.task.ConfigEntity(0, None, {}, [])
        >>> given = autotvm.MeasureInput(lathe.Target("llvm"), autotvm.task.Task("t", (1,)), config)
        >>> line = autotvm.record.encode(given, autotvm.MeasureResult((0.5,), 0, 1.0, 0.0))
        >>> len(list(autotvm.record.load_from_file(io.StringIO(line))))
        1
    """
    if hasattr(filename, "read"):
        for number, line in enumerate(filename, 1):
            if line.strip() and not line.startswith("#"):
                try:
                    yield decode(line)
                except ValueError as error:
                    logger.warning("line %d is no record: %s", number, error)
        return
    pairs = []

    def take(_, fields):
        pairs.append(list(fields))

    def refuse(number, message):
        logger.warning("%s:%d: no record: %s", filename, number, message)

    _get("tune.read_log")(os.fspath(filename), take, refuse)
    yield from map(_pair, pairs)


def pick_best(in_file, out_file):
    """Writes the best trial of each workload of a log into another log.

    Args:
        in_file: a path or an open file.
        out_file: a path or an open file; `in_file` itself is allowed.

    Example:
        >>> import io, lathe
        >>> from lathe import autotvm
        >>> config = autotvm.task.ConfigEntity(0, None, {}, [])
        >>> given = autotvm.MeasureInput(lathe.Target("llvm"), autotvm.task.Task("t", (1,)), config)
        >>> lines = [autotvm.record.encode(given, autotvm.MeasureResult((cost,), 0, 1.0, 0.0))
        ...          for cost in (0.5, 0.25)]
        >>> best = io.StringIO()
        >>> autotvm.record.pick_best(io.StringIO("\\n".join(lines)), best)
        >>> autotvm.record.decode(best.getvalue())[1].costs
        (0.25,)
    """
    best = {}
    for given, result in load_from_file(in_file):
        if result.error_no != MeasureErrorNo.NO_ERROR:
            continue
        key = measure_str_key(given, include_config=False)
        cost = sum(result.costs) / len(result.costs)
        if key not in best or cost < best[key][0]:
            best[key] = cost, given, result
    lines = "".join(encode(given, result) + "\n" for _, given, result in best.values())
    if hasattr(out_file, "write"):
        out_file.write(lines)
        return
    beside = f"{os.fspath(out_file)}.new"
    with open(beside, "w", encoding="utf-8") as out:
        out.write(lines)
    os.replace(beside, out_file)
    logger.info("%d of the best into %s", len(best), out_file)


def split_workload(in_file, clean=True):
    """Writes a log for each workload of a log, beside it: `LOG.001.log`, `LOG.002.log`, ...

    Args:
        clean: only the best trial of each configuration.

    Example:
        >>> import os, tempfile
        >>> from lathe import autotvm
        >>> with tempfile.NamedTemporaryFile(suffix=".log") as empty:
        ...     autotvm.record.split_workload(empty.name)
    """
    by_workload = {}
    for given, result in load_from_file(in_file):
        trials = by_workload.setdefault(measure_str_key(given, include_config=False), {})
        key = given.config if clean else len(trials)
        if key not in trials or _mean(result) < _mean(trials[key][1]):
            trials[key] = given, result
    for number, trials in enumerate(by_workload.values(), 1):
        with open(f"{os.fspath(in_file)}.{number:03}.log", "w", encoding="utf-8") as out:
            out.writelines(encode(*trial) + "\n" for trial in trials.values())


def _mean(result):
    failed = result.error_no != MeasureErrorNo.NO_ERROR
    return float("inf") if failed else sum(result.costs) / len(result.costs)
