"""The best records for a whole graph.

TVM's graph tuners weigh the times of kernels against those of transforms between their layouts. Here
the build chooses layouts (`choose_layouts`), and kernels and their records are for these: each kernel
has one layout, no transform depends on a record, and so the best of the whole are the best of each.
"""

import logging
import os

from . import record
from .measure import MeasureErrorNo

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

    def __init__(self, graph, input_shapes, records, target_ops, target, max_sch_num=20,
                 dtype="float32", verbose=True, log_file="graph_tuner.log",
                 log_level=logging.DEBUG, name="graph_tuner"):
        by_path = isinstance(records, (str, os.PathLike))
        self._records = list(record.load_from_file(records) if by_path else records)
        self._optimal = None

    def benchmark_layout_transform(self, *_, **__):
        """For compatibility, without effect: no transform depends on a record."""

    def run(self, **_):
        """Chooses the best record of each workload and target."""
        best = {}
        for given, result in self._records:
            if result.error_no != MeasureErrorNo.NO_ERROR:
                continue
            cost = sum(result.costs) / len(result.costs)
            key = str(given.target), given.task.workload
            if key not in best or cost < best[key][0]:
                best[key] = cost, given, result
        self._optimal = [(given, result) for _, given, result in best.values()]

    def get_optimal_records(self):
        """[(MeasureInput, MeasureResult)...], after `run`."""
        if self._optimal is None:
            self.run()
        return list(self._optimal)

    def write_opt_sch2record_file(self, record_file="graph_opt_schedule.log"):
        """Writes them into a log, for `autotvm.apply_graph_best`."""
        with open(record_file, "w", encoding="utf-8") as out:
            out.writelines(record.encode(*pair) + "\n" for pair in self.get_optimal_records())


class DPTuner(BaseGraphTuner):
    """The best records of a graph's kernels; see the module.

    Example:
        >>> from lathe.autotvm.graph_tuner import BaseGraphTuner, DPTuner
        >>> issubclass(DPTuner, BaseGraphTuner)
        True
    """


class PBQPTuner(BaseGraphTuner):
    """The same: without transforms there is nothing that the two would solve in different ways.

    Example:
        >>> from lathe.autotvm.graph_tuner import BaseGraphTuner, PBQPTuner
        >>> issubclass(PBQPTuner, BaseGraphTuner)
        True
    """
