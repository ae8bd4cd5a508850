"""Measuring configurations: what compiles them, what runs them, and what came of it.

Compiling, running, limits and checks are those of the C++ side (tune/measurer.h): each candidate runs
in a session with a process of its own, its result is compared with the program's without a schedule,
and one that crashes, hangs or writes outside of its outputs is a failure like others.
"""

import collections
import os
import time

from .. import _ffi, rpc
from ..error import LatheError, LatheTypeError
from ..transform import PassContext

_get = _ffi.get


class MeasureInput(collections.namedtuple("MeasureInput", ["target", "task", "config"])):
    """What is measured: a configuration of a task for a target.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.MeasureInput("llvm", None, None).target
        'llvm'
    """


class MeasureResult(collections.namedtuple(
        "MeasureResult", ["costs", "error_no", "all_cost", "timestamp"])):
    """What was measured.

    Attributes:
        costs: seconds of one call, each sample; or an exception, if it failed.
        error_no: of MeasureErrorNo.
        all_cost: seconds that the whole trial took.
        timestamp: seconds since 1970.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.MeasureResult((1e-3,), 0, 0.1, 0.0).costs[0]
        0.001
    """


class MeasureErrorNo:
    """Why a configuration has no times; the numbers are those of logs.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.MeasureErrorNo.NO_ERROR
        0
    """

    NO_ERROR = 0
    INSTANTIATION_ERROR = 1
    COMPILE_HOST = 2
    COMPILE_DEVICE = 3
    RUNTIME_DEVICE = 4
    WRONG_ANSWER = 5
    BUILD_TIMEOUT = 6
    RUN_TIMEOUT = 7
    UNKNOWN_ERROR = 8


_NUMBERS = {"schedule": MeasureErrorNo.INSTANTIATION_ERROR, "build": MeasureErrorNo.COMPILE_HOST,
            "too-large": MeasureErrorNo.COMPILE_HOST,
            "timeout": MeasureErrorNo.RUN_TIMEOUT, "wrong-answer": MeasureErrorNo.WRONG_ANSWER,
            "device": MeasureErrorNo.UNKNOWN_ERROR}


class MeasureError(LatheError):
    """A failed trial; `kind` is that of the records of `lathe tune` (schedule, crash, ...).

    Example:
        >>> from lathe import autotvm
        >>> autotvm.measure.MeasureError("it crashed", "crash").kind
        'crash'
    """

    def __init__(self, message, kind):
        super().__init__(message, "tune-trial")
        self.kind = kind


def failure_number(kind):
    """The number of MeasureErrorNo of a kind of failure.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.measure.failure_number("wrong-answer")
        5
    """
    return _NUMBERS.get(kind, MeasureErrorNo.RUNTIME_DEVICE)


class LocalBuilder:
    """Compiles candidates on this machine.

    Args:
        timeout: seconds for each candidate.
        n_parallel: candidates that are compiled at once; by default half of the processors, so that
            the other half measures.
        do_fork, build_func, build_kwargs, runtime: for compatibility, without effect: candidates are
            never compiled in forked processes, and reach a device without a linker.
        isolate: code generators run in processes of their own, so that one that ends with all memory
            used is a failed candidate; without it a candidate costs some 20 ms less.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.LocalBuilder(timeout=5).timeout
        5
    """

    def __init__(self, timeout=10, n_parallel=None, build_kwargs=None, build_func="default",
                 do_fork=False, runtime=None, *, isolate=True):
        if callable(build_func):
            raise LatheTypeError("candidates reach a device as they are compiled", "tune-builder",
                                 "expected: \"default\"\nfound: a function\n"
                                 "help: for another compiler write a code generator (lathe.codegen)")
        self.timeout = timeout
        self.n_parallel = n_parallel or max((os.cpu_count() or 1) // 2, 1)
        self.isolate = isolate

    here = True  # this process compiles

    def elsewhere(self, target):
        """A function (program, most nodes) -> what tune.build_text gives; None: this process compiles."""
        return None


class Runner:
    """Base of LocalRunner and RPCRunner.

    Example:
        >>> from lathe import autotvm
        >>> issubclass(autotvm.LocalRunner, autotvm.measure.Runner)
        True
    """

    def __init__(self, timeout, number, repeat, min_repeat_ms, cooldown_interval,
                 enable_cpu_cache_flush, module_loader):
        if module_loader is not None:
            raise LatheTypeError("a session loads candidates itself", "tune-runner",
                                 "expected: module_loader=None\nhelp: rpc.Server(load_library=...) "
                                 "prepares the processes of a server")
        self.timeout = timeout
        self._timing = [int(number), int(repeat), float(min_repeat_ms), cooldown_interval * 1000.0]
        self._preprocess = "cache_flush_cpu_non_first_arg" if enable_cpu_cache_flush else ""

    def openers(self):
        """Functions that open a session, one for each device."""
        raise NotImplementedError(f"{type(self).__name__}.openers")

    def measurer(self, builder, target):
        """What measures for a target, with a builder's limits."""
        kind = _get("graph.device_kinds", True)([target])[0]
        build = builder.elsewhere(target)
        return _get("tune.measurer", True)(
            self.openers(), kind, self._timing, self._preprocess, float(self.timeout),
            float(builder.timeout), int(builder.n_parallel), bool(builder.isolate),
            [] if build is None else [build])


class LocalRunner(Runner):
    """Runs candidates on this machine, in processes of their own.

    Args:
        timeout: seconds for all that a candidate does on the device.
        number: calls of a sample.
        repeat: samples.
        min_repeat_ms: `number` grows until a sample takes at least this long.
        cooldown_interval: seconds between samples.
        enable_cpu_cache_flush: the inputs are not in the caches when a sample begins.
        module_loader: for compatibility: None.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.LocalRunner(number=5).timeout
        10
    """

    def __init__(self, timeout=10, number=4, repeat=3, min_repeat_ms=0, cooldown_interval=0.1,
                 enable_cpu_cache_flush=False, module_loader=None):
        super().__init__(timeout, number, repeat, min_repeat_ms, cooldown_interval,
                         enable_cpu_cache_flush, module_loader)
        self._server = None

    def openers(self):
        """Functions that open a session, one for each device."""
        if self._server is None:
            self._server = rpc.Server("127.0.0.1")
        server = self._server  # lives as long as the function
        return [lambda: rpc.connect("127.0.0.1", server.port)._session]


class RPCRunner(Runner):
    """Runs candidates on devices that a tracker lends.

    Args:
        key, host, port: of the devices, and of the tracker.
        priority: the higher, the earlier it gets a device.
        n_parallel: devices that are used at once; by default 1.
        timeout, number, repeat, min_repeat_ms, cooldown_interval: as for LocalRunner.
        enable_cpu_cache_flush, module_loader: as for LocalRunner.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.RPCRunner("rk3399", "127.0.0.1", 9190, number=5).key
        'rk3399'
    """

    def __init__(self, key, host, port, priority=1, timeout=10, n_parallel=None, number=4, repeat=3,
                 min_repeat_ms=0, cooldown_interval=0.1, enable_cpu_cache_flush=False,
                 module_loader=None):
        super().__init__(timeout, number, repeat, min_repeat_ms, cooldown_interval,
                         enable_cpu_cache_flush, module_loader)
        self.key, self.host, self.port = key, host, port
        self.priority = priority
        self.n_parallel = n_parallel or 1

    def openers(self):
        """Functions that open a session, one for each device."""
        def open_session():
            # One session measures many candidates; it is opened again when it is lost.
            return request_remote(self.key, self.host, self.port, self.priority, 0)._session

        return [open_session] * self.n_parallel


def measure_option(builder, runner):
    """How candidates are measured, for `Tuner.tune`.

    Args:
        builder: "local" or a LocalBuilder.
        runner: "local", a LocalRunner or an RPCRunner.

    Example:
        >>> from lathe import autotvm
        >>> sorted(autotvm.measure_option("local", autotvm.LocalRunner(number=5)))
        ['builder', 'runner']
    """
    builder = LocalBuilder() if builder == "local" else builder
    runner = LocalRunner() if runner == "local" else runner
    for given, wanted in ((builder, LocalBuilder), (runner, Runner)):
        if not isinstance(given, wanted):
            raise LatheTypeError(f"candidates cannot be measured with a {type(given).__name__}",
                                 "tune-measure-option",
                                 "expected: \"local\" or a LocalBuilder, and \"local\", a LocalRunner "
                                 "or an RPCRunner")
    return {"builder": builder, "runner": runner}


class _MeasureBatch:
    """Measures lists of MeasureInput of one task."""

    def __init__(self, task, option):
        self._task = task
        self._measurer = option["runner"].measurer(option["builder"], task.target)
        self._reference = None
        self.n_parallel = option["builder"].n_parallel
        self.elsewhere = not option["builder"].here

    def __call__(self, measure_inputs, told=None):
        """The results, in the order of the inputs.

        Args:
            told: called with (position, result) as soon as one is there.
        """
        results = [None] * len(measure_inputs)

        def finish(position, costs, kind, all_cost):
            number = failure_number(kind) if kind else MeasureErrorNo.NO_ERROR
            results[position] = MeasureResult(tuple(costs), number, all_cost, time.time())
            if told is not None:
                told(position, results[position])

        begun = time.monotonic()
        made, positions = [], []
        for position, given in enumerate(measure_inputs):
            try:
                schedule, arguments = given.task.for_measuring(given.config)
            except Exception as error:  # whatever a template raises is this candidate's failure
                text = f"{type(error).__name__}: {error}"
                finish(position, [MeasureError(text, "schedule")], "schedule", 0.0)
                continue
            made.append([schedule, list(arguments)])
            positions.append(position)
        if made:
            if self._reference is None:
                self._reference = _get("tune.reference", True)(made[0][1])
            last = begun

            def done(index, seconds, kind, message, build_seconds):
                nonlocal last
                now = time.monotonic()
                costs = [MeasureError(message, kind)] if kind else list(seconds)
                finish(positions[index], costs, kind, max(now - last, build_seconds))
                last = now

            context = PassContext.current().packed()
            context[3] = context[4] = None  # these threads are not Python's
            _get("tune.measure", True)(self._measurer, made, "main", self._task.target, context,
                                       self._reference, done)
        return results


def create_measure_batch(task, option):
    """A function that measures a list of MeasureInput of a task; see `measure_option`.

    Example:
        >>> from lathe import autotvm
        >>> callable(autotvm.create_measure_batch)
        True
    """
    return _MeasureBatch(task, option)


def request_remote(device_key, host=None, port=None, priority=1, timeout=60):
    """A session with a device that a tracker lends.

    Args:
        host, port: of the tracker; by default those of TVM_TRACKER_HOST and TVM_TRACKER_PORT.
        timeout: seconds after which the server ends the session.

    Example:
        >>> from lathe import autotvm
        >>> callable(autotvm.measure.request_remote)
        True
    """
    host = host or os.environ["TVM_TRACKER_HOST"]
    port = port or int(os.environ["TVM_TRACKER_PORT"])
    tracker = rpc.connect_tracker(host, port)
    return tracker.request(device_key, priority=priority, session_timeout=timeout)
