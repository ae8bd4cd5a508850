"""Which configuration a template gets when it is called: contexts, the innermost first."""

import logging
import os
import textwrap

from ...error import LatheTypeError
from .space import ConfigEntity, FallbackConfigEntity

logger = logging.getLogger("autotvm")


def _contains(context, wanted):
    while context is not None and context is not wanted:
        context = context._old
    return context is not None


class DispatchContext:
    """Base of the contexts: `query(target, workload)` gives a configuration.

    A context that knows none asks the one around it. `with context:` makes it the innermost.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.task.DispatchContext.current.query(None, ("nobody", 1)).is_fallback
        True
    """

    current = None

    def __init__(self):
        self._old, self._before = None, []

    def query(self, target, workload):
        """The configuration of a workload, from here or from a context around it."""
        found = self._query_inside(target, workload)
        return found if found is not None else self._old.query(target, workload)

    def update(self, target, workload, cfg):
        """Uses `cfg` for the workload from now on."""
        raise NotImplementedError(f"{type(self).__name__} is not changed")

    def _query_inside(self, target, workload):
        raise NotImplementedError(f"{type(self).__name__}._query_inside")

    def __enter__(self):
        self._before.append(DispatchContext.current)
        if not _contains(DispatchContext.current, self):  # entered again it stays where it is
            self._old = DispatchContext.current
            DispatchContext.current = self
        return self

    def __exit__(self, *_):
        DispatchContext.current = self._before.pop()


class ApplyConfig(DispatchContext):
    """One configuration for every template.

    Example:
        >>> from lathe import autotvm
        >>> space = autotvm.ConfigSpace()
        >>> with autotvm.task.ApplyConfig(space):
        ...     autotvm.get_config() is space
        True
    """

    def __init__(self, config):
        super().__init__()
        self._config = config
        self.workload = None

    def _query_inside(self, target, workload):
        self.workload = workload
        return self._config

    def update(self, target, workload, cfg):
        """Uses `cfg` from now on, for every workload."""
        self._config = cfg


class ApplyFixedConfig(DispatchContext):
    """The configurations of tasks, whatever logs say.

    Args:
        tasks: [(task, configuration)...], or tasks with a `config` of their own.
        schedule_names: for compatibility; not needed.

    Example:
        >>> from lathe import autotvm
        >>> config = autotvm.task.ConfigEntity(0, None, {}, [])
        >>> with autotvm.task.ApplyFixedConfig([(autotvm.task.Task("t", (1,)), config)]):
        ...     autotvm.task.DispatchContext.current.query(None, ("t", 1)) is config
        True
    """

    def __init__(self, tasks, schedule_names=()):
        super().__init__()
        pairs = [one if isinstance(one, tuple) else (one, one.config) for one in tasks]
        self._configs = {task.workload: config for task, config in pairs}

    def _query_inside(self, target, workload):
        return self._configs.get(workload)

    def update(self, target, workload, cfg):
        """Uses `cfg` for the workload from now on."""
        self._configs[workload] = cfg


def _names(target):
    """The names under which a record of a target is found, the most exact first."""
    if target is None:
        return []
    return [str(target)] + ([f"model {target.model}"] if target.model else []) + [target.kind]


class ApplyHistoryBest(DispatchContext):
    """The best configuration of each workload in records.

    A record is for a target with the same text, else for one of the same model, else for one of the
    same kind.

    Args:
        records: a path of a log, an open file, a list of paths, or [(input, result)...].

    Example:
        >>> from lathe import autotvm
        >>> with autotvm.apply_history_best([]):
        ...     autotvm.task.DispatchContext.current.query(None, ("t", 1)).is_fallback
        True
    """

    def __init__(self, records):
        super().__init__()
        self._best = {}  # (name of target, workload) -> (cost, configuration)
        self.load(records)

    def load(self, records):
        """Adds records."""
        from .. import record

        if isinstance(records, (str, os.PathLike)) or hasattr(records, "read"):
            records = record.load_from_file(records)
        else:
            records = list(records)
            if records and isinstance(records[0], (str, os.PathLike)):
                for path in records:
                    self.load(path)
                return
        for pair in records:
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise LatheTypeError("a record must be (MeasureInput, MeasureResult)", "tune-records",
                                     f"found: {pair!r}")
            given, result = pair
            if result.error_no != 0:
                continue
            cost = sum(result.costs) / len(result.costs)
            for name in _names(given.target):
                self._keep((name, given.task.workload), cost, given.config)

    def _keep(self, key, cost, config):
        if key not in self._best or cost < self._best[key][0]:
            self._best[key] = (cost, config)

    def _query_inside(self, target, workload):
        for name in _names(target):
            if (name, workload) in self._best:
                return self._best[name, workload][1]
        return None

    def update(self, target, workload, cfg):
        """Uses `cfg` for the workload from now on."""
        self._best[_names(target)[0], workload] = (0.0, cfg)


class ApplyGraphBest(ApplyHistoryBest):
    """The same for the log that a graph tuner wrote (`autotvm.graph_tuner`).

    Args:
        records: a path of a log, an open file, a list of paths, or [(input, result)...].

    Example:
        >>> from lathe import autotvm
        >>> with autotvm.apply_graph_best([]):
        ...     autotvm.task.DispatchContext.current.query(None, ("t", 1)).is_fallback
        True
    """


class FallbackContext(DispatchContext):
    """The outermost context: each template's fallback. It says once which templates are not tuned.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.task.FallbackContext().query(None, None).is_fallback
        True
    """

    def __init__(self):
        super().__init__()
        self._told = set()
        self._configs = {}

    def query(self, target, workload):
        """The fallback of a workload."""
        key = (str(target), workload)
        if key in self._configs:
            return self._configs[key]
        if workload is not None and key not in self._told:
            self._told.add(key)
            logger.warning("no record of %s for target %s: its fallback is used, which may be slow",
                           workload, textwrap.shorten(str(target), 80, placeholder=" ..."))
        return FallbackConfigEntity()

    def update(self, target, workload, cfg):
        """Uses `cfg` for the workload from now on."""
        self._configs[str(target), workload] = cfg

    def clear_cache(self, target, workload):
        """Forgets what `update` set, and that the user was told."""
        self._configs.pop((str(target), workload), None)
        self._told.discard((str(target), workload))


DispatchContext.current = FallbackContext()


def chooser():
    """For builds of graphs: a function (kernel, workload, target) -> [[knob, value]...] or None.

    It asks the contexts as a template would. None if there is no context but the outermost one.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.task.dispatcher.chooser() is None
        True
        >>> with autotvm.apply_history_best([]):
        ...     callable(autotvm.task.dispatcher.chooser())
        True
    """
    context = DispatchContext.current
    if isinstance(context, FallbackContext):
        return None

    def choose(name, workload, target):
        config = context.query(target, (name, workload))
        if config.is_fallback or not isinstance(config, ConfigEntity):
            return None
        return [[knob, value] for knob, _, value in config.to_json_dict()["entity"]]

    return choose


def clear_fallback_cache(target, workload):
    """Forgets what the outermost context knows about a workload.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.task.clear_fallback_cache("llvm", ("t", 1))
    """
    context = DispatchContext.current
    while not isinstance(context, FallbackContext):
        context = context._old
    context.clear_cache(target, workload)
