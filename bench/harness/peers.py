"""What a user would call instead of a kernel: for each case, by its name, callables over the same arrays.

A peer writes into an output of its own where its interface allows that, so that no allocation is timed.
"""

import ctypes
import os

import numpy as np


def _torch():
    import torch

    return torch


def _openblas():
    """NumPy's own copy of OpenBLAS, by its C interface (numpy.matmul adds some microseconds)."""
    folder = os.path.join(os.path.dirname(np.__file__), "..", "numpy.libs")
    name = next(f for f in sorted(os.listdir(folder)) if "openblas" in f)
    return ctypes.CDLL(os.path.join(folder, name))


def set_threads(threads):
    _torch().set_num_threads(threads)
    try:
        _openblas().scipy_openblas_set_num_threads64_(threads)
    except (AttributeError, StopIteration, OSError):
        pass


def versions():
    out = {"numpy": np.__version__}
    for name in ("torch", "cv2", "halide", "onnxruntime", "openvino"):
        try:
            out[name] = __import__(name).__version__
        except Exception:  # noqa: BLE001: a peer that does not load is reported as not there
            out[name] = "not there"
    return out


def _gemm(arrays):
    torch = _torch()
    a, b, _ = arrays
    ta, tb = torch.from_numpy(a), torch.from_numpy(b)
    tc = torch.empty(*ta.shape[:-1], tb.shape[-1])
    nc = np.empty(tuple(tc.shape), np.float32)
    return {
        "torch": (lambda: torch.matmul(ta, tb, out=tc), lambda: [tc.numpy()]),
        "openblas": (lambda: np.matmul(a, b, out=nc), lambda: [nc]),
    }


def _gemv(arrays):
    torch = _torch()
    a, x, _ = arrays
    ta, tx = torch.from_numpy(a), torch.from_numpy(x)
    ty = torch.empty(ta.shape[0])
    ny = np.empty(a.shape[0], np.float32)
    return {
        "torch": (lambda: torch.mv(ta, tx, out=ty), lambda: [ty.numpy()]),
        "openblas": (lambda: np.matmul(a, x, out=ny), lambda: [ny]),
    }


_FAMILIES = [("gemm_", _gemm), ("gemv_", _gemv)]


def peers_of(case, arrays):
    """{peer: (call, results)} for a case's arrays (inputs, then outputs)."""
    for prefix, make in _FAMILIES:
        if case.startswith(prefix):
            return make(arrays)
    return {}
