"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.autotvm.measure import MeasureErrorNo as MeasureErrorNo

class BaseGraphTuner:
    """What DPTuner and PBQPTuner share.

    Args:
        records: a log's path, or [(MeasureInput, MeasureResult)...].
        graph, input_shapes, target_ops, target: for compatibility, without effect: the best of each
            workload and target are kept.
        max_sch_num, dtype, verbose, log_file, log_level, name: the same.

    Example:
        >>> from lathe import autotvm, relay
        >>> from lathe.autotvm.graph_tuner import DPTuner
        >>> x, w = relay.var("x", shape=(64, 64)), relay.var("w", shape=(64, 64))
        >>> tuner = DPTuner(relay.Function([x, w], relay.nn.dense(x, w)), {}, [], ["nn.dense"], "llvm")
        >>> tuner.run()
        >>> tuner.get_optimal_records()
        []
    """
    def benchmark_layout_transform(self, *_: Any, **__: Any) -> Any: ...
    def get_optimal_records(self) -> Any: ...
    def run(self, **_: Any) -> Any: ...
    def write_opt_sch2record_file(self, record_file: Any = ...) -> Any: ...
    def __init__(self, graph: Any, input_shapes: Any, records: Any, target_ops: Any, target: Any, max_sch_num: Any = ..., dtype: Any = ..., verbose: Any = ..., log_file: Any = ..., log_level: Any = ..., name: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class DPTuner(BaseGraphTuner):
    """The best records of a graph's kernels; see the module.

    Example:
        >>> from lathe.autotvm.graph_tuner import BaseGraphTuner, DPTuner
        >>> issubclass(DPTuner, BaseGraphTuner)
        True
    """
    ...

class PBQPTuner(BaseGraphTuner):
    """The same: without transforms there is nothing that the two would solve in different ways.

    Example:
        >>> from lathe.autotvm.graph_tuner import BaseGraphTuner, PBQPTuner
        >>> issubclass(PBQPTuner, BaseGraphTuner)
        True
    """
    ...
