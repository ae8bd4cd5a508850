"""AutoScheduler: searches schedules that follow from a computation alone, without a template.

    >>> import lathe
    >>> from lathe import auto_scheduler, te
    >>> @auto_scheduler.register_workload
    ... def docs_scale(n):
    ...     A = te.placeholder((n, 64), name="A")
    ...     return [A, te.compute((n, 64), lambda i, j: A[i, j] * 2.0, name="B")]
    >>> task = auto_scheduler.SearchTask(func=docs_scale, args=(32,), target="llvm")
    >>> task.compute_dag.flop_ct
    2048.0
"""

from . import (compute_dag, dispatcher, feature, loop_state, measure, measure_record,
               relay_integration, search_policy, search_task, sketch, task_scheduler,
               workload_registry)
from .compute_dag import ComputeDAG, LayoutRewriteOption
from .dispatcher import ApplyHistoryBest, DispatchContext, FallbackContext
from .loop_state import State
from .measure import (LocalBuilder, LocalRPCMeasureContext, LocalRunner, MeasureInput, MeasureResult,
                      PythonBasedMeasureCallback, RPCRunner)
from .measure_record import (RecordReader, RecordToFile, load_best_record, load_records, save_records)
from .relay_integration import extract_tasks, is_auto_scheduler_enabled
from .search_policy import (EmptyPolicy, PreloadMeasuredStates, RandomModel, SearchPolicy, SketchPolicy,
                            XGBModel)
from .search_task import HardwareParams, SearchTask, TuningOptions, auto_schedule, create_task
from .sketch import PreloadCustomSketchRule
from .task_scheduler import TaskScheduler
from .workload_registry import make_workload_key, register_workload, register_workload_tensors

from .. import _old_modules  # noqa: E402

_old_modules.attend(__name__)
