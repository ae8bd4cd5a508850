"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.autotvm.measure import MeasureErrorNo as MeasureErrorNo
from lathe.auto_scheduler.measure_record import RecordReader as RecordReader
from lathe.auto_scheduler.loop_state import State as State
from lathe.autotvm.tuner.features import check_touches as check_touches
from lathe.auto_scheduler._lookup import names_of as names_of
from lathe.autotvm.tuner.features import stage_names as stage_names
from lathe.autotvm.tuner.features import stage_rows as stage_rows

DEFAULT_MAX_N_BUFS: Any

def get_per_store_feature_names(max_n_bufs: Any = ...) -> Any:
    """The names of the numbers of a row, in their order. They are Lathe's own, as the numbers are.

    Args:
        max_n_bufs: as for `get_per_store_features_from_states`.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.feature.get_per_store_feature_names(max_n_bufs=2)[-1]
        'loop9.log2_bytes_of_tensor1'
    """

def get_per_store_features_from_file(filename: Any, max_lines: Any, max_n_bufs: Any = ...) -> Any:
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

def get_per_store_features_from_measure_pairs(inputs: Any, results: Any, skip_first_n_feature_extraction: Any = ..., max_n_bufs: Any = ...) -> Any:
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

def get_per_store_features_from_states(states: Any, task: Any, max_n_bufs: Any = ...) -> Any:
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
