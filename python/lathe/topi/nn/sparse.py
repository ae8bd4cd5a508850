"""Products of sparse matrices, and of numbers of a few bits each: as of `relay.nn`."""

from ... import relay
from ...error import LatheValueError
from .._from_relay import of_tensors


def sparse_dense(dense_data, sparse_data, sparse_indices, sparse_indptr, sparse_lhs=False):
    """The product of a dense matrix and a transposed sparse one, or the other way around: `relay.nn.sparse_dense`.

    Args:
        dense_data: a tensor (rows, depth).
        sparse_data: a tensor of the sparse matrix's values (CSR), or of blocks (BSR).
        sparse_indices: a tensor: the place of each in its row.
        sparse_indptr: a tensor: where each row begins.
        sparse_lhs: is the sparse matrix the left factor?

    Returns:
        A tensor (rows, columns), or with `sparse_lhs` (columns, rows).

    Example:
        >>> from lathe import te, topi
        >>> x, values = te.placeholder((4, 16)), te.placeholder((5, 2, 4))
        >>> places, begins = te.placeholder((5,), "int32"), te.placeholder((4,), "int32")
        >>> topi.nn.sparse_dense(x, values, places, begins).shape
        (4, 6)
    """
    return of_tensors(lambda x, *parts: relay.nn.sparse_dense(x, parts, sparse_lhs), dense_data, sparse_data,
                      sparse_indices, sparse_indptr)


def sparse_dense_sp_rhs(data, weight_data, weight_indices, weight_indptr):
    """`sparse_dense` of a sparse right factor.

    Args:
        data: a tensor (rows, depth).
        weight_data, weight_indices, weight_indptr: the sparse matrix (columns, depth), as of `sparse_dense`.

    Returns:
        A tensor (rows, columns).

    Example:
        >>> from lathe import te, topi
        >>> places, begins = te.placeholder((9,), "int32"), te.placeholder((4,), "int32")
        >>> topi.nn.sparse_dense_sp_rhs(te.placeholder((4, 16)), te.placeholder((9,)), places, begins).shape
        (4, 3)
    """
    return sparse_dense(data, weight_data, weight_indices, weight_indptr)


def sparse_dense_sp_lhs(data_data, data_indices, data_indptr, weight):
    """`sparse_dense` of a sparse left factor.

    Args:
        data_data, data_indices, data_indptr: the sparse matrix (rows, depth), as of `sparse_dense`.
        weight: a tensor (columns, depth).

    Returns:
        A tensor (rows, columns).

    Example:
        >>> from lathe import te, topi
        >>> places, begins = te.placeholder((9,), "int32"), te.placeholder((4,), "int32")
        >>> topi.nn.sparse_dense_sp_lhs(te.placeholder((9,)), places, begins, te.placeholder((4, 16))).shape
        (3, 4)
    """
    return sparse_dense(weight, data_data, data_indices, data_indptr, sparse_lhs=True)


def sparse_add(dense_data, sparse_data, sparse_indices, sparse_indptr):
    """The sum of a dense and a sparse matrix.

    Args:
        dense_data: a tensor (rows, columns).
        sparse_data, sparse_indices, sparse_indptr: as of `sparse_dense`.

    Returns:
        A tensor (rows, columns).

    Example:
        >>> from lathe import te, topi
        >>> places, begins = te.placeholder((9,), "int32"), te.placeholder((5,), "int32")
        >>> topi.nn.sparse_add(te.placeholder((4, 16)), te.placeholder((9,)), places, begins).shape
        (4, 16)
    """
    return of_tensors(lambda x, *parts: relay.nn.sparse_add(x, parts), dense_data, sparse_data, sparse_indices,
                      sparse_indptr)


def sparse_transpose(sparse_data, sparse_indices, sparse_indptr):
    """The transposed matrix of a square sparse one (CSR).

    Args:
        sparse_data, sparse_indices, sparse_indptr: as of `sparse_dense`, with values of rank 1.

    Returns:
        A list of three tensors: values, places in a row, where rows begin.

    Example:
        >>> from lathe import te, topi
        >>> places, begins = te.placeholder((9,), "int32"), te.placeholder((5,), "int32")
        >>> [one.shape for one in topi.nn.sparse_transpose(te.placeholder((9,)), places, begins)]
        [(9,), (9,), (5,)]
    """
    return of_tensors(lambda *parts: relay.nn.sparse_transpose(parts), sparse_data, sparse_indices, sparse_indptr)


def sparse_conv2d(dense_data, sparse_data, sparse_indices, sparse_indptr, layout="NHWC", kernel_size=1):
    """A convolution with a sparse matrix of weights (out channels, channels), whose window is one element.

    Args:
        dense_data: a tensor in `layout`.
        sparse_data, sparse_indices, sparse_indptr: the weights, as of `sparse_dense`.
        layout: "NHWC" or "NCHW".
        kernel_size: 1.

    Returns:
        A tensor in `layout`.

    Raises:
        LatheError: `topi-argument`: another window or layout.

    Example:
        >>> from lathe import te, topi
        >>> places, begins = te.placeholder((9,), "int32"), te.placeholder((4,), "int32")
        >>> topi.nn.sparse_conv2d(te.placeholder((1, 8, 8, 16)), te.placeholder((9,)), places, begins).shape
        (1, 8, 8, 3)
    """
    if kernel_size != 1 or layout not in ("NHWC", "NCHW"):
        raise LatheValueError("a sparse convolution has a window of one element", "topi-argument",
                              f'expected: kernel_size=1, layout "NHWC" or "NCHW"\nfound: {kernel_size}, {layout}')

    def conv(x, *parts):
        x = relay.transpose(x, (0, 2, 3, 1)) if layout == "NCHW" else x
        *outer, channels = x.checked_type.concrete_shape
        made = relay.nn.sparse_dense(relay.reshape(x, (-1, channels)), parts)
        made = relay.reshape(made, (*outer, -1))
        return relay.transpose(made, (0, 3, 1, 2)) if layout == "NCHW" else made

    return of_tensors(conv, dense_data, sparse_data, sparse_indices, sparse_indptr)


def bitpack(data, bits, pack_axis, bit_axis, pack_type, name="QuantizeInput"):
    """The lowest bits of numbers along an axis, as many in a word as it has bits: `relay.nn.bitpack`.

    Args:
        data: a tensor of integers.
        bits, pack_axis, bit_axis, pack_type: as of `relay.nn.bitpack`.
        name: without effect.

    Returns:
        A tensor with one more dimension than `data`.

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.bitpack(te.placeholder((4, 64), "uint8"), 2, 1, 2, "uint32").shape
        (4, 2, 2)
    """
    return of_tensors(lambda x: relay.nn.bitpack(x, bits, pack_axis, bit_axis, pack_type), data)


def bitserial_dense(data, weight, data_bits, weight_bits, pack_dtype="uint32", out_dtype="int16", unipolar=True):
    """`dense` of numbers of a few bits each: `relay.nn.bitserial_dense`.

    Args:
        data: a tensor of integers (rows, depth).
        weight: a tensor of integers (columns, depth).
        data_bits, weight_bits, pack_dtype, out_dtype, unipolar: as of `relay.nn.bitserial_dense`.

    Returns:
        A tensor (rows, columns).

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.bitserial_dense(te.placeholder((2, 8), "uint8"), te.placeholder((4, 8), "uint8"), 2, 1).shape
        (2, 4)
    """
    return of_tensors(lambda x, w: relay.nn.bitserial_dense(x, w, None, data_bits, weight_bits, pack_dtype, out_dtype,
                                                            unipolar), data, weight)


def _bitserial(layout, kernel_layout, data, kernel, stride, padding, bits, out_dtype, unipolar):
    window = tuple(int(kernel.shape[kernel_layout.index(axis)]) for axis in "HW")
    return of_tensors(lambda x, w: relay.nn.bitserial_conv2d(
        x, w, stride, padding, None, window, *bits, layout, kernel_layout, "", out_dtype, unipolar), data, kernel)


def bitserial_conv2d_nchw(data, kernel, stride, padding, activation_bits, weight_bits, pack_dtype="uint32",
                          out_dtype="int16", unipolar=True):
    """`conv2d_nchw` of numbers of a few bits each: `relay.nn.bitserial_conv2d`.

    Args:
        data: a tensor of integers (batch, channels, height, width).
        kernel: a tensor of integers (out, channels, window height, window width).
        stride, padding: as of `relay.nn.conv2d`.
        activation_bits, weight_bits, pack_dtype, out_dtype, unipolar: as of `relay.nn.bitserial_conv2d`.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> x, w = te.placeholder((1, 4, 8, 8), "uint8"), te.placeholder((2, 4, 3, 3), "uint8")
        >>> topi.nn.bitserial_conv2d_nchw(x, w, 1, 1, 2, 1).shape
        (1, 2, 8, 8)
    """
    return _bitserial("NCHW", "OIHW", data, kernel, stride, padding, (activation_bits, weight_bits), out_dtype,
                      unipolar)


def bitserial_conv2d_nhwc(data, kernel, stride, padding, activation_bits, weight_bits, pack_dtype="uint32",
                          out_dtype="int16", unipolar=True):
    """`conv2d_nhwc` of numbers of a few bits each: `relay.nn.bitserial_conv2d`.

    Args:
        data: a tensor of integers (batch, height, width, channels).
        kernel: a tensor of integers (window height, window width, channels, out).
        stride, padding: as of `relay.nn.conv2d`.
        activation_bits, weight_bits, pack_dtype, out_dtype, unipolar: as of `relay.nn.bitserial_conv2d`.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> x, w = te.placeholder((1, 8, 8, 4), "uint8"), te.placeholder((3, 3, 4, 2), "uint8")
        >>> topi.nn.bitserial_conv2d_nhwc(x, w, 1, 1, 2, 1).shape
        (1, 8, 8, 2)
    """
    return _bitserial("NHWC", "HWIO", data, kernel, stride, padding, (activation_bits, weight_bits), out_dtype,
                      unipolar)
