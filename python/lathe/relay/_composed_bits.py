"""Products of numbers of a few bits, and their bits in words, as compositions of other operators."""

import numpy as np

from ..error import LatheValueError
from . import expr as _e
from ._composed_parts import axis_of, extents, integer, number
from ._operators import builder as _op


def _refuse(message, expected, found):
    raise LatheValueError(message, "relay-bits", f"expected: {expected}\nfound: {found}")


def bitpack(data, bits=1, pack_axis=1, bit_axis=2, pack_type="uint32", name="BitPack"):
    """The lowest bits of numbers along an axis, as many in a word as it has bits; the first one is the highest bit.

    Args:
        data: an integer expression of a known shape; the extent of `pack_axis` is a multiple of the bits of a word.
        bits: how many bits of each number, at most as many as it has.
        pack_axis: the dimension whose elements are packed.
        bit_axis: where the dimension of the bits goes in the result; the lowest bit is first.
        pack_type: the type of words: "uint8", "uint16", "uint32" or "uint64".
        name: without effect.

    Returns:
        An expression with one more dimension than `data`.

    Raises:
        LatheError: `relay-bits`: another type of words or number of bits, or an extent that does not fit. `relay-axis`:
            no such `pack_axis`. `relay-integer-type`: no integers. `graph-shape-type`: the shape is not known.

    Example:
        >>> from lathe import relay
        >>> made = relay.nn.bitpack(relay.const([[3, 1, 0, 0, 0, 0, 0, 2]]), 2, 1, 2, "uint8")
        >>> relay.create_executor("debug").evaluate(made).numpy().tolist()
        [[[192, 129]]]
    """
    given = extents(data)
    pack_axis = axis_of(pack_axis, len(given))
    _unsigned(data, bits)
    if pack_type not in ("uint8", "uint16", "uint32", "uint64") or given[pack_axis] % int(pack_type[4:]):
        _refuse("numbers cannot be packed in this way", "words of 8, 16, 32 or 64 bits, and a multiple of them along "
                "the axis", f"{pack_type}, {given[pack_axis]} elements")
    width = int(pack_type[4:])
    wide = _op("cast")(data, dtype=pack_type)
    split = _op("reshape")(wide, [*given[:pack_axis], given[pack_axis] // width, width, *given[pack_axis + 1:]])
    factors = np.left_shift(np.array(1, pack_type), np.arange(width - 1, -1, -1).astype(pack_type))
    factors = _e.const(factors.reshape([width] + [1] * (len(given) - pack_axis - 1)))
    planes = []
    for bit in range(bits):
        one = _op("right_shift")(split, number(bit, pack_type))
        one = _op("bitwise_and")(one, number(1, pack_type))
        planes.append(_op("sum")(_op("multiply")(one, factors), axis=[pack_axis + 1]))
    return _op("stack")(planes, axis=bit_axis)


def _unsigned(data, bits):
    """The unsigned type of the width of the data, which has at least so many bits."""
    kind = integer(data).removeprefix("u")
    if not 1 <= bits <= int(kind[3:]):
        _refuse("numbers do not have so many bits", f"1 to {kind[3:]} bits", bits)
    return "u" + kind


def _masked(data, bits, dtype):
    """Numbers of which only the lowest bits count."""
    kind = _unsigned(data, bits)  # if all bits count, that of the sign counts as others do
    made = _op("bitwise_and")(_op("cast")(data, dtype=kind), number((1 << bits) - 1, kind))
    return _op("cast")(made, dtype=dtype)


def _factors(weight, bits, unipolar, dtype):
    """What the bits of weights stand for: 1 and 0, or with `unipolar` 1 and -1."""
    made = _masked(weight, bits, dtype)
    if not unipolar:
        return made
    return _op("subtract")(_op("multiply")(made, number(2, dtype)), number((1 << bits) - 1, dtype))


def bitserial_dense(data, weight, units=None, data_bits=1, weight_bits=1, pack_dtype="uint32", out_dtype="int16",
                    unipolar=True):
    """`nn.dense` of numbers of a few bits each.

    The numbers are whole elements here: a machine's products of whole numbers are faster than those bit by bit.

    Args:
        data: an integer expression (rows, depth).
        weight: an integer expression (columns, depth), not packed.
        units: the number of columns; None: that of `weight`.
        data_bits, weight_bits: how many of the lowest bits count.
        pack_dtype: without effect.
        out_dtype: the element type of sums and result.
        unipolar: does a bit 0 of a weight stand for -1? Otherwise it is 0.

    Returns:
        An expression (rows, columns).

    Raises:
        LatheError: `relay-bits`: packed weights, or numbers that do not have so many bits. `relay-integer-type`: no
            integers. `graph-shape-type`: the shape of `weight` is not known.

    Example:
        >>> from lathe import relay
        >>> made = relay.nn.bitserial_dense(relay.const([[1, 2]]), relay.const([[1, 0]]), data_bits=2)
        >>> relay.create_executor("debug").evaluate(made).numpy().tolist()
        [[-1]]
    """
    if len(extents(weight)) != 2:
        _refuse("weights must not be packed", "weights of rank 2", f"rank {len(extents(weight))}")
    return _op("nn.dense")(_masked(data, data_bits, out_dtype), _factors(weight, weight_bits, unipolar, out_dtype),
                           units=units)


def bitserial_conv2d(data, weight, strides=(1, 1), padding=(0, 0), channels=None, kernel_size=(3, 3), activation_bits=1,
                     weight_bits=1, data_layout="NCHW", kernel_layout="OIHW", pack_dtype="uint32", out_dtype="int16",
                     unipolar=True):
    """`nn.conv2d` of numbers of a few bits each.

    Args:
        data: an integer expression in `data_layout`.
        weight: an integer expression in `kernel_layout`, not packed.
        strides, padding, channels, kernel_size, data_layout, kernel_layout: as of `nn.conv2d`.
        activation_bits, weight_bits: how many of the lowest bits count.
        pack_dtype: without effect.
        out_dtype: the element type of sums and result.
        unipolar: does a bit 0 of a weight stand for -1? Otherwise it is 0.

    Returns:
        An expression in `data_layout`.

    Raises:
        LatheError: `relay-bits`: packed weights, or numbers that do not have so many bits. `relay-integer-type`: no
            integers. `graph-shape-type`: the shape of `weight` is not known.

    Example:
        >>> from lathe import relay
        >>> x, w = relay.var("x", shape=(1, 4, 8, 8), dtype="uint8"), relay.var("w", shape=(2, 4, 3, 3), dtype="uint8")
        >>> relay.nn.bitserial_conv2d(x, w, padding=(1, 1), activation_bits=2).checked_type
        int16[1, 2, 8, 8]
    """
    if len(extents(weight)) != 4:
        _refuse("weights must not be packed", "weights of rank 4", f"rank {len(extents(weight))}")
    return _op("nn.conv2d")(_masked(data, activation_bits, out_dtype),
                            _factors(weight, weight_bits, unipolar, out_dtype), strides=strides, padding=padding,
                            channels=channels, kernel_size=kernel_size, data_layout=data_layout,
                            kernel_layout=kernel_layout)
