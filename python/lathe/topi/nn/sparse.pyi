"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.topi._from_relay import of_tensors as of_tensors
from lathe import relay as relay

def bitpack(data: Any, bits: Any, pack_axis: Any, bit_axis: Any, pack_type: Any, name: Any = ...) -> Any:
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

def bitserial_conv2d_nchw(data: Any, kernel: Any, stride: Any, padding: Any, activation_bits: Any, weight_bits: Any, pack_dtype: Any = ..., out_dtype: Any = ..., unipolar: Any = ...) -> Any:
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

def bitserial_conv2d_nhwc(data: Any, kernel: Any, stride: Any, padding: Any, activation_bits: Any, weight_bits: Any, pack_dtype: Any = ..., out_dtype: Any = ..., unipolar: Any = ...) -> Any:
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

def bitserial_dense(data: Any, weight: Any, data_bits: Any, weight_bits: Any, pack_dtype: Any = ..., out_dtype: Any = ..., unipolar: Any = ...) -> Any:
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

def sparse_add(dense_data: Any, sparse_data: Any, sparse_indices: Any, sparse_indptr: Any) -> Any:
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

def sparse_conv2d(dense_data: Any, sparse_data: Any, sparse_indices: Any, sparse_indptr: Any, layout: Any = ..., kernel_size: Any = ...) -> Any:
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

def sparse_dense(dense_data: Any, sparse_data: Any, sparse_indices: Any, sparse_indptr: Any, sparse_lhs: Any = ...) -> Any:
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

def sparse_dense_sp_lhs(data_data: Any, data_indices: Any, data_indptr: Any, weight: Any) -> Any:
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

def sparse_dense_sp_rhs(data: Any, weight_data: Any, weight_indices: Any, weight_indptr: Any) -> Any:
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

def sparse_transpose(sparse_data: Any, sparse_indices: Any, sparse_indptr: Any) -> Any:
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
