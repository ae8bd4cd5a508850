"""States as rows of numbers, from which models of costs learn: a row for each stage.

The numbers are those of Lathe's own model (autotvm/tuner/features.py), not TVM's: what `lathe.explain`
says of a stage and of its ten innermost loops. `get_per_store_feature_names` names each. Counts and
sizes are logarithms.

    >>> from lathe import auto_scheduler, te
    >>> A = te.placeholder((8, 64), name="A")
    >>> dag = auto_scheduler.ComputeDAG([A, te.compute((8, 64), lambda i, j: A[i, j] * 2.0, name="B")])
    >>> task = auto_scheduler.SearchTask(compute_dag=dag, target="llvm")
    >>> rows, = auto_scheduler.feature.get_per_store_features_from_states([dag.get_init_state()], task)
    >>> names = auto_scheduler.feature.get_per_store_feature_names()
    >>> rows.shape == (1, len(names)), round(2 ** rows[0, names.index("log2_points")] - 1)
    (True, 512)
"""

try:
    import numpy as np
except ImportError:  # _numpy says so
    np = None

from ..autotvm.measure import MeasureErrorNo
from ..autotvm.tuner.features import check_touches, stage_names, stage_rows
from ..error import LatheError, LatheTypeError, LatheValueError
from ._lookup import names_of
from .loop_state import State
from .measure_record import RecordReader

# Of each loop, the tensors of which most bytes are touched.
DEFAULT_MAX_N_BUFS = 5


def get_per_store_features_from_states(states, task, max_n_bufs=None):
    """Rows of states.

    Args:
        states: [State...] of a task.
        task: their SearchTask.
        max_n_bufs: how many tensors of each loop have a number; 5 by default.

    Returns:
        An array of arrays, one for each state: a row for each stage that computes, those with the
        most iterations first. It has no rows if the state has no schedule that can be lowered.

    Raises:
        LatheError: `auto-scheduler-state`: a state is none, or of another computation than the
            task's; `auto-scheduler-features`: max_n_bufs is no number.

    Example:
        >>> from lathe import auto_scheduler
        >>> len(auto_scheduler.feature.get_per_store_features_from_states([], None))
        0
    """
    _numpy()
    return _listed([_rows(state, task, max_n_bufs) for state in states])


def get_per_store_features_from_measure_pairs(inputs, results, skip_first_n_feature_extraction=0,
                                              max_n_bufs=None):
    """Rows, speeds and tasks of trials.

    Args:
        inputs, results: [MeasureInput...] and [MeasureResult...].
        skip_first_n_feature_extraction: the first so many trials get no rows.
        max_n_bufs: as for `get_per_store_features_from_states`.

    Returns:
        (features, normalized_throughputs, task_ids): of each trial its rows, its speed as a part of
        the best speed of its task (0: it failed), and the number of its task.

    Example:
        >>> from lathe import auto_scheduler
        >>> rows, speeds, tasks = auto_scheduler.feature.get_per_store_features_from_measure_pairs([], [])
        >>> len(rows), len(speeds), len(tasks)
        (0, 0, 0)
    """
    _numpy()
    numbers, tasks, costs, rows = {}, [], [], []
    for position, (given, result) in enumerate(zip(inputs, results)):
        key = given.task.workload_key, str(given.task.target)
        tasks.append(numbers.setdefault(key, len(numbers)))
        ok = result.error_no == MeasureErrorNo.NO_ERROR
        costs.append(sum(result.costs) / len(result.costs) if ok else float("inf"))
        skipped = position < skip_first_n_feature_extraction
        rows.append(_none(max_n_bufs) if skipped else _rows(given.state, given.task, max_n_bufs))
    costs, tasks = np.asarray(costs, dtype=np.float64), np.asarray(tasks, dtype=np.int64)
    speeds = np.zeros(len(costs))
    for task in range(len(numbers)):
        mine = (tasks == task) & np.isfinite(costs)
        if mine.any():
            speeds[mine] = costs[mine].min() / costs[mine]
    return _listed(rows), speeds, tasks


def get_per_store_features_from_file(filename, max_lines, max_n_bufs=None):
    """As `get_per_store_features_from_measure_pairs`, of the records of a file (`RecordToFile`).

    Args:
        filename: a path.
        max_lines: records that are read, at most.
        max_n_bufs: as for `get_per_store_features_from_states`.

    Raises:
        LatheError: `tune-journal-unreadable`.

    Example:
        >>> from lathe import auto_scheduler
        >>> callable(auto_scheduler.feature.get_per_store_features_from_file)
        True
    """
    return get_per_store_features_from_measure_pairs(
        *RecordReader(filename).read_lines(max_lines), max_n_bufs=max_n_bufs)


def get_per_store_feature_names(max_n_bufs=None):
    """The names of the numbers of a row, in their order. They are Lathe's own, as the numbers are.

    Args:
        max_n_bufs: as for `get_per_store_features_from_states`.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.feature.get_per_store_feature_names(max_n_bufs=2)[-1]
        'loop9.log2_bytes_of_tensor1'
    """
    return stage_names(_most(max_n_bufs))


def _most(max_n_bufs):
    return DEFAULT_MAX_N_BUFS if max_n_bufs is None else check_touches(max_n_bufs, "max_n_bufs")


def _rows(state, task, max_n_bufs):
    most = _most(max_n_bufs)
    if not isinstance(state, State):
        raise LatheTypeError("this is no state", "auto-scheduler-state",
                             f"expected: such as task.compute_dag.get_init_state()\nfound: {state!r}")
    if state.schedule is None:
        return _none(max_n_bufs)
    dag = task.compute_dag
    if not dag._is_computed_by(state.schedule):
        raise LatheValueError(
            "this state is of another computation than the task", "auto-scheduler-state",
            f"expected: one that computes {names_of(dag.outputs)} of task.compute_dag\n"
            f"found: one that computes {names_of(state.schedule.outputs)}\n"
            "help: task.compute_dag.get_init_state(), or the state of a trial of this task")
    try:
        return stage_rows(state.schedule, dag.tensors, most)
    except LatheError:  # a schedule that cannot be lowered; measuring says why
        return _none(max_n_bufs)


def _none(max_n_bufs):
    return np.zeros((0, len(get_per_store_feature_names(max_n_bufs))))


def _listed(rows):
    """An array of arrays, also of arrays of one shape."""
    listed = np.empty(len(rows), dtype=object)
    for i, one in enumerate(rows):
        listed[i] = one
    return listed


def _numpy():
    if np is None:
        raise LatheError("features need the package numpy", "auto-scheduler-numpy",
                         "expected: numpy\nfound: it cannot be imported\nhelp: `pip install numpy`")
