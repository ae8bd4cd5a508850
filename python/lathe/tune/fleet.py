"""A fleet: candidates are compiled by workers of Ray, and measured on the devices that a tracker lends.

    builder = lathe.tune.fleet.RayBuilder()            # ray.init(): workers of this machine
    runner = autotvm.RPCRunner("rk3399", "10.0.0.7", 9190, n_parallel=8)
    tuner.tune(1000, autotvm.measure_option(builder, runner), callbacks=[...])

The search itself, its log and templates stay in this process (the head). Workers get the text of a
candidate with its schedule, and give code; a worker that ends costs nothing, another one compiles its
candidate. Ray is an optional package: `pip install "lathe[ray]"`.
"""

import atexit
import os
import queue
import shutil
import sys
import tempfile
import time

from .. import __version__, _ffi
from ..autotvm.measure import LocalBuilder
from ..error import LatheError
from ..target import Target
from ..transform import PassContext

_get = _ffi.get
# Workers that may end while they compile a candidate before it is the candidate's fault.
_ATTEMPTS = 3
# Workers that may be found dead, for other reasons, before the fleet is given up.
_MOST_LOST = 100
# Seconds that a worker may take longer than a candidate's limit: Ray's own time, and a busy machine.
_PATIENCE = 30
# Seconds in which all workers must have started.
_START = 120
# Seconds after which a thread that waits looks whether its search has ended.
_LOOK = 0.1
# Of a folder in which Ray's sockets, whose paths have 107 bytes at most, find place.
_LONGEST_FOLDER = 35


def _ray():
    # On this machine Ray is for this machine: it listens on 127.0.0.1 alone, as it does on other
    # systems. It looks when it is imported first.
    os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise LatheError("a fleet needs the package Ray", "tune-no-ray",
                         "help: pip install \"lathe[ray]\"") from error
    return ray


def _check_version(here, there):
    if there != here:
        raise LatheError("workers of the fleet have another version of Lathe", "tune-fleet-version",
                         f"expected: {here}\nfound: {there}")


class Worker:
    """What a worker of Ray does; `RayBuilder` makes actors of it.

    Example:
        >>> import lathe
        >>> from lathe.tune import fleet
        >>> fleet.Worker().version() == lathe.__version__
        True
    """

    def version(self):
        """The version of the package there."""
        return __version__

    def process(self):
        """The number of its process there."""
        return os.getpid()

    def build(self, version, program, target, context, seconds, most_nodes, isolate):
        """Compiles a candidate.

        Args:
            version: of the package that asks.
            program: its text, with the schedule.
            target: text.
            context: [[option, value]...], and names of passes that are left out.
            seconds, most_nodes, isolate: as a builder has them.

        Returns:
            [loader, code, kind of failure or "", its message, seconds, nodes].
        """
        _check_version(version, __version__)
        options, disabled = context
        with PassContext(config=dict(options), disabled_pass=disabled):
            packed = PassContext.current().packed()
        packed[3] = packed[4] = None  # nobody looks at signals here
        return list(_get("tune.build_text", True)(program, Target(target), packed, float(seconds),
                                                  int(most_nodes), bool(isolate)))


class RayBuilder(LocalBuilder):
    """Compiles candidates by workers of Ray.

    Args:
        timeout: seconds for each candidate.
        n_parallel: workers; by default as many as Ray has processors.
        address: of a cluster, as `ray.init` takes it; by default Ray is started on this machine,
            unless it is running in this process.
        isolate: as for LocalBuilder.

    Raises:
        LatheError: `tune-no-ray`: the package is not installed; `tune-fleet-version`: workers have
            another version of Lathe; `tune-fleet-busy`: there are not so many free processors. The
            last two when a search begins. `tune-fleet-lost`: workers end again and again; it ends
            the search, since it says nothing about candidates.

    Example:
        >>> import lathe
        >>> from lathe.tune import fleet
        >>> issubclass(fleet.RayBuilder, lathe.autotvm.LocalBuilder)
        True
    """

    def __init__(self, timeout=10, n_parallel=None, address=None, *, isolate=True):
        ray = _ray()
        if not ray.is_initialized():
            _start(ray, address)
        self._workers = n_parallel or max(int(ray.cluster_resources().get("CPU", 1)), 1)
        self._pool = None
        # Threads that wait for workers, one for each.
        super().__init__(timeout, self._workers, isolate=isolate)

    here = False

    def elsewhere(self, target):
        """A function (program, most nodes) -> what tune.build_text gives."""
        context = PassContext.current().packed()
        if self._pool is None:
            self._pool = _Pool(_ray(), self._workers)  # for all searches with this builder
        pool = self._pool
        text, passes = str(target), [context[0], list(context[1])]

        def build(program, most_nodes):
            return pool.build(self.timeout, __version__, program, text, passes, self.timeout, most_nodes, self.isolate)

        return build


def _start(ray, address, **more):
    """Starts Ray, or joins a cluster; with further options of `ray.init`."""
    options = {"include_dashboard": False, "log_to_driver": False, "configure_logging": False, **more}
    if address is not None:
        ray.init(address=address, **options)
        return
    if len(tempfile.gettempdir()) > _LONGEST_FOLDER and "RAY_TMPDIR" not in os.environ:
        options["_temp_dir"] = tempfile.mkdtemp(prefix="ray", dir="/tmp")
        atexit.register(shutil.rmtree, options["_temp_dir"], ignore_errors=True)
    # Workers of this machine find the packages that this process has.
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    try:
        ray.init(address="local", **options)
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


class _Pool:
    """Actors; each compiles one candidate at a time. Those that end are replaced."""

    def __init__(self, ray, count):
        self._ray = ray
        self._actor = ray.remote(num_cpus=1)(Worker)
        self._free, self._lost = queue.Queue(), 0
        actors = [self._actor.remote() for _ in range(count)]
        try:
            for there in ray.get([actor.version.remote() for actor in actors], timeout=_START):
                _check_version(__version__, there)
        except ray.exceptions.GetTimeoutError as error:
            found = int(ray.available_resources().get("CPU", 0))
            raise LatheError("the fleet has not started all its workers", "tune-fleet-busy",
                             f"expected: {count} free processors, one for each\nfound: {found} are left "
                             "after those that started\nhelp: n_parallel says how many") from error
        for actor in actors:
            self._free.put(actor)

    def build(self, seconds, *arguments):
        """What a worker gives for a candidate."""
        ray = self._ray
        attempts = 0
        while attempts < _ATTEMPTS:
            actor = self._take()
            try:
                # A worker that is dead already was not killed by this candidate.
                if not self._alive(actor):
                    actor = self._actor.remote()
                    continue
                attempts += 1
                return self._wait(actor.build.remote(*arguments), seconds + _PATIENCE)
            except ray.exceptions.GetTimeoutError:
                ray.kill(actor)
                actor = self._actor.remote()
                return ["", b"", "timeout", "its worker did not answer in time", float(seconds), 0]
            except ray.exceptions.RayActorError:
                actor = self._actor.remote()
            finally:
                self._free.put(actor)
        return ["", b"", "crash", f"{_ATTEMPTS} workers ended while they compiled it", 0.0, 0]

    def _take(self):
        while True:
            try:
                return self._free.get(timeout=_LOOK)
            except queue.Empty:
                _get("tune.look")()

    def _alive(self, actor):
        try:
            self._wait(actor.version.remote(), _START)
            return True
        except (self._ray.exceptions.RayActorError, self._ray.exceptions.GetTimeoutError) as error:
            self._lost += 1
            if self._lost > _MOST_LOST:
                raise LatheError("the workers of the fleet end again and again", "tune-fleet-lost",
                                 f"the last one: {error}") from error
            return False

    def _wait(self, answer, seconds):
        """What a worker answers; looks meanwhile whether the search has ended."""
        end = time.monotonic() + seconds
        while True:
            ready, _ = self._ray.wait([answer], timeout=_LOOK)
            if ready:
                return self._ray.get(answer)
            _get("tune.look")()
            if time.monotonic() > end:
                raise self._ray.exceptions.GetTimeoutError("no answer")
