"""A task, records and a runner for tests of tuners: nothing is compiled or run."""

import time

from . import autotvm, te


@autotvm.template("testing/matmul")
def matmul(N, L, M, dtype):
    """The product of two square matrices in tiles, with the sizes of the tiles as knobs.

    Args:
        N, L, M: the rows, the depth and the columns.
        dtype: the element type.

    Example:
        >>> from lathe.testing import autotvm as samples
        >>> len(samples.get_sample_task(4)[0].config_space) > 1
        True
    """
    A, B = te.placeholder((N, L), name="A", dtype=dtype), te.placeholder((L, M), name="B", dtype=dtype)
    k = te.reduce_axis((0, L), name="k")
    C = te.compute((N, M), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    s = te.create_schedule(C.op)
    y, x = s[C].op.axis
    config = autotvm.get_config()
    config.define_split("tile_y", y, num_outputs=2)
    config.define_split("tile_x", x, num_outputs=2)
    outer_y, inner_y = config["tile_y"].apply(s, C, y)
    outer_x, inner_x = config["tile_x"].apply(s, C, x)
    s[C].reorder(outer_y, outer_x, k, inner_y, inner_x)
    return s, [A, B, C]


def get_sample_task(n=128):
    """(task, target): the product of two matrices of `n` rows and columns, for "llvm".

    Example:
        >>> from lathe.testing import autotvm as samples
        >>> task, target = samples.get_sample_task(8)
        >>> task.name, target.kind
        ('testing/matmul', 'llvm')
    """
    from .target import Target

    target = Target("llvm")
    return autotvm.task.create("testing/matmul", args=(n, n, n, "float32"), target=target), target


def get_sample_records(n):
    """`n` records of the sample task: [(MeasureInput, MeasureResult)], with made-up times of i + 1 seconds.

    Example:
        >>> from lathe.testing import autotvm as samples
        >>> [result.costs for _, result in samples.get_sample_records(2)]
        [(1.0,), (2.0,)]
    """
    task, target = get_sample_task()
    inputs = [autotvm.MeasureInput(target, task, task.config_space.get(i)) for i in range(n)]
    return [(one, autotvm.MeasureResult((i + 1.0,), autotvm.MeasureErrorNo.NO_ERROR, i + 1.0, time.time()))
            for i, one in enumerate(inputs)]


class DummyRunner(autotvm.measure.Runner):
    """A runner that runs nothing: every candidate takes a random time from 0 to 1 second.

    `run(inputs, build results)` gives MeasureResults; the tuners measure with LocalRunner or RPCRunner.

    Example:
        >>> from lathe.testing import autotvm as samples
        >>> inputs = [record[0] for record in samples.get_sample_records(2)]
        >>> len(samples.DummyRunner().run(inputs, [None] * 2))
        2
    """

    def __init__(self):
        super().__init__(1, 1, 1, 0, 0.0, False, None)

    def run(self, measure_inputs, build_results):
        """A MeasureResult for each input."""
        import random

        return [autotvm.MeasureResult((random.random(),), autotvm.MeasureErrorNo.NO_ERROR, 0.2, time.time())
                for _ in measure_inputs]
