"""Products of vectors whose elements are signs, 32 of them in one integer."""

from ... import te, tir
from ...error import LatheValueError


def binarize_pack(data, axis=None, name="PackedInput"):
    """The signs of elements along an axis, 32 in each uint32: 1 where an element is >= 0.

    Args:
        data: a tensor; the extent of the axis is a multiple of 32.
        axis: the axis; by default the last one.
        name: of the result.

    Returns:
        A uint32 tensor. The first of 32 elements is the highest bit.

    Raises:
        LatheValueError: `topi-pack-extent`: the extent is no multiple of 32.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import te, topi
        >>> A = te.placeholder((1, 32), name="A")
        >>> B = topi.nn.binarize_pack(A)
        >>> f, b = lathe.build(te.create_schedule(B.op), [A, B], "llvm"), np.zeros((1, 1), "uint32")
        >>> f(np.array([[1] * 2 + [-1] * 30], "float32"), b)
        >>> bin(b[0, 0])[:4]
        '0b11'
    """
    axis = len(data.shape) - 1 if axis is None else axis % len(data.shape)
    extent = int(data.shape[axis])
    if extent % 32:
        raise LatheValueError("signs are packed 32 at a time", "topi-pack-extent",
                              f"expected: a multiple of 32\nfound: {extent} elements along axis {axis}")
    shape = [n // 32 if i == axis else n for i, n in enumerate(data.shape)]

    def packed(*indices):
        made = tir.const(0, "uint32")
        for bit in range(32):
            place = [i * 32 + bit if at == axis else i for at, i in enumerate(indices)]
            one = (data(*place) >= tir.const(0, data.dtype)).astype("uint32")
            made = made | (one << tir.const(31 - bit, "uint32"))
        return made

    return te.compute(shape, packed, name=name, tag="binarize_pack")


def binary_dense(data, weight):
    """The products of rows of signs, packed by `binarize_pack`: equal signs count 1, others -1.

    Args:
        data: a uint32 tensor (rows, words).
        weight: a uint32 tensor (columns, words).

    Returns:
        A float32 tensor (rows, columns).

    Example:
        >>> from lathe import te, topi
        >>> A, W = te.placeholder((2, 3), "uint32"), te.placeholder((4, 3), "uint32")
        >>> topi.nn.binary_dense(A, W).shape
        (2, 4)
    """
    words = data.shape[1]
    k = te.reduce_axis((0, words), name="k")
    differ = te.compute((data.shape[0], weight.shape[0]), lambda i, j: te.sum(
        tir.popcount(data[i, k] ^ weight[j, k]).astype("int32"), axis=k), name="differ", tag="binary_dense")
    return te.compute(differ.shape, lambda i, j: (words * 32 - 2 * differ[i, j]).astype("float32"),
                      name="T_binary_dense", tag="broadcast")
