"""AutoTVM: templates whose knobs are searched for the fastest configuration.

    >>> from lathe import autotvm, te
    >>> @autotvm.template("docs/add_one")
    ... def add_one(n):
    ...     A = te.placeholder((n,), name="A")
    ...     B = te.compute((n,), lambda i: A[i] + 1.0, name="B")
    ...     s = te.create_schedule(B.op)
    ...     cfg = autotvm.get_config()
    ...     cfg.define_split("tile", s[B].op.axis[0], num_outputs=2)
    ...     outer, inner = cfg["tile"].apply(s, B, s[B].op.axis[0])
    ...     s[B].vectorize(inner)
    ...     return s, [A, B]
    >>> task = autotvm.task.create("docs/add_one", args=(64,), target="llvm")
    >>> option = autotvm.measure_option("local", autotvm.LocalRunner(number=1, repeat=1))
    >>> tuner = autotvm.tuner.RandomTuner(task)
    >>> tuner.tune(n_trial=2, measure_option=option)
    >>> tuner.best_config["tile"].size[0]
    -1
"""

from . import database, graph_tuner, measure, record, task, tophub, tuner
from .measure import (LocalBuilder, LocalRunner, MeasureErrorNo, MeasureInput, MeasureResult,
                      RPCRunner, create_measure_batch, measure_option)
from .task import (ConfigEntity, ConfigSpace, get_config, register_topi_compute,
                   register_topi_schedule, template)
from .tuner import callback

# The name of older versions.
register_customized_task = template
apply_history_best = task.ApplyHistoryBest
apply_graph_best = task.ApplyGraphBest

from .. import _old_modules  # noqa: E402

_old_modules.attend(__name__)
