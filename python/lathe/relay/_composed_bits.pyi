"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay._composed_parts import axis_of as axis_of
from lathe.relay._composed_parts import extents as extents
from lathe.relay._composed_parts import integer as integer
from lathe.relay._composed_parts import number as number

def bitpack(data: Any, bits: Any = ..., pack_axis: Any = ..., bit_axis: Any = ..., pack_type: Any = ..., name: Any = ...) -> Any:
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

def bitserial_conv2d(data: Any, weight: Any, strides: Any = ..., padding: Any = ..., channels: Any = ..., kernel_size: Any = ..., activation_bits: Any = ..., weight_bits: Any = ..., data_layout: Any = ..., kernel_layout: Any = ..., pack_dtype: Any = ..., out_dtype: Any = ..., unipolar: Any = ...) -> Any:
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

def bitserial_dense(data: Any, weight: Any, units: Any = ..., data_bits: Any = ..., weight_bits: Any = ..., pack_dtype: Any = ..., out_dtype: Any = ..., unipolar: Any = ...) -> Any:
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
