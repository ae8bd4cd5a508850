"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.autotvm.measure import Runner as Runner
from lathe import autotvm as autotvm
from lathe import te as te

class DummyRunner(Runner):
    """A runner that runs nothing: every candidate takes a random time from 0 to 1 second.

    `run(inputs, build results)` gives MeasureResults; the tuners measure with LocalRunner or RPCRunner.

    Example:
        >>> from lathe.testing import autotvm as samples
        >>> inputs = [record[0] for record in samples.get_sample_records(2)]
        >>> len(samples.DummyRunner().run(inputs, [None] * 2))
        2
    """
    def run(self, measure_inputs: Any, build_results: Any) -> Any: ...
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def get_sample_records(n: Any) -> Any:
    """`n` records of the sample task: [(MeasureInput, MeasureResult)], with made-up times of i + 1 seconds.

    Example:
        >>> from lathe.testing import autotvm as samples
        >>> [result.costs for _, result in samples.get_sample_records(2)]
        [(1.0,), (2.0,)]
    """

def get_sample_task(n: Any = ...) -> Any:
    """(task, target): the product of two matrices of `n` rows and columns, for "llvm".

    Example:
        >>> from lathe.testing import autotvm as samples
        >>> task, target = samples.get_sample_task(8)
        >>> task.name, target.kind
        ('testing/matmul', 'llvm')
    """

def matmul(N: Any, L: Any, M: Any, dtype: Any) -> Any:
    """The product of two square matrices in tiles, with the sizes of the tiles as knobs.

    Args:
        N, L, M: the rows, the depth and the columns.
        dtype: the element type.

    Example:
        >>> from lathe.testing import autotvm as samples
        >>> len(samples.get_sample_task(4)[0].config_space) > 1
        True
    """
