"""The limits of a machine, measured: what kernels can be compared with."""

from . import te
from .driver import build
from .error import LatheValueError
from .target import Target

_THREADS, _STEPS, _BYTES = 64, 20000, 1 << 27


def _vector_of(target, vec_width):
    """The float32 lanes of a vector of a processor."""
    if str(target.kind) != "llvm":
        raise LatheValueError("only the limits of processors are measured", "peak-target",
                              f"expected: a target `llvm`\nfound: {target}")
    if vec_width is not None:
        return int(vec_width)
    features = set(target.attrs.get("mattr", "").split(","))
    wide = target.attrs.get("mcpu", "") + " ".join(features)
    return 16 if "avx512" in wide else 8


def _measured(schedule, args, target, dev, remote, arrays):
    """The least seconds of a call."""
    made = build(schedule, args, target)
    if remote is not None:
        import os
        import tempfile

        with tempfile.TemporaryDirectory(prefix="lathe-peak-") as folder:
            path = os.path.join(folder, "peak.so")
            made.export_library(path)
            remote.upload(path)
            made = remote.load_module("peak.so")
    from .runtime import array

    tensors = [array(one, dev) for one in arrays]
    return min(made.time_evaluator(made.entry_name, dev, number=1, repeat=10)(*tensors).results)


def estimate_peak_fma_flops(target, dev, vec_width=None, num_vector_registers=None, remote=None):
    """The most float32 operations per second of a machine, by multiplications with additions in registers.

    Args:
        target: text or Target of a processor. Its features decide how wide vectors are.
        dev: the device.
        vec_width: float32 lanes of a vector; by default 16 with AVX-512, else 8.
        num_vector_registers: how many sums are kept at once; by default 10.
        remote: an rpc session that `dev` is of, or None.

    Returns:
        A float: a multiplication and an addition are two operations.

    Raises:
        LatheValueError: `peak-target`: the target is no processor.

    Example:
        >>> import lathe
        >>> lathe.utils.estimate_peak_fma_flops("llvm", lathe.cpu()) > 1e8
        True
    """
    import numpy as np

    target = Target(target)
    lanes, sums = _vector_of(target, vec_width), int(num_vector_registers or 10)
    A, B = te.placeholder((_THREADS, sums, lanes), name="A"), te.placeholder((_STEPS,), name="B")
    k = te.reduce_axis((0, _STEPS), name="k")
    C = te.compute(A.shape, lambda t, r, v: te.sum(A[t, r, v] * B[k], axis=k), name="C")
    s = te.create_schedule(C.op)
    local = s.cache_write(C, "local")
    t, r, v = s[C].op.axis
    s[local].compute_at(s[C], t)
    _, inner, lane = s[local].op.axis
    s[local].reorder(s[local].op.reduce_axis[0], inner, lane)
    s[local].unroll(inner)
    s[local].vectorize(lane)
    s[C].vectorize(v)
    s[C].parallel(t)
    shape = (_THREADS, sums, lanes)
    arrays = [np.random.rand(*one).astype("float32") for one in (shape, (_STEPS,), shape)]
    seconds = _measured(s, [A, B, C], target, dev, remote, arrays)
    return 2.0 * _THREADS * sums * lanes * _STEPS / seconds


def estimate_peak_bandwidth(target, dev, vec_width=None, remote=None):
    """The most bytes per second that a machine reads from memory, by sums of an array of 128 MiB.

    Args:
        target, dev, vec_width, remote: as for `estimate_peak_fma_flops`.

    Returns:
        A float.

    Raises:
        LatheValueError: `peak-target`.

    Example:
        >>> import lathe
        >>> lathe.utils.estimate_peak_bandwidth("llvm", lathe.cpu()) > 1e7
        True
    """
    import numpy as np

    target = Target(target)
    lanes = _vector_of(target, vec_width)
    steps, sums = _BYTES // (4 * _THREADS * 8 * lanes), 8
    A = te.placeholder((_THREADS, steps, sums, lanes), name="A")
    k = te.reduce_axis((0, steps), name="k")
    B = te.compute((_THREADS, sums, lanes), lambda t, r, v: te.sum(A[t, k, r, v], axis=k), name="B")
    s = te.create_schedule(B.op)
    local = s.cache_write(B, "local")
    t, _, v = s[B].op.axis
    s[local].compute_at(s[B], t)
    _, inner, lane = s[local].op.axis
    s[local].reorder(s[local].op.reduce_axis[0], inner, lane)
    s[local].unroll(inner)
    s[local].vectorize(lane)
    s[B].vectorize(v)
    s[B].parallel(t)
    arrays = [np.ones((_THREADS, steps, sums, lanes), "float32"), np.zeros((_THREADS, sums, lanes), "float32")]
    return float(arrays[0].nbytes) / _measured(s, [A, B], target, dev, remote, arrays)

from . import _old_modules  # noqa: E402

_old_modules.attend(__name__)
