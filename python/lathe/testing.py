"""Helpers for tests of programs."""

from . import _pytest_helpers as _helpers
from ._pytest_helpers import (assert_prim_expr_equal, check_numerical_grads, exclude_targets, fixture,
                              identity_after, known_failing_targets, parameter, parameters, requires,
                              requires_nvcc_version, requires_package, skip_if_32bit, skip_if_wheel_test, slow,
                              terminate_self)
from .error import LatheError
from .runtime.device import device as _device


def assert_allclose(actual, desired, rtol=1e-7, atol=1e-7):
    """Raises AssertionError unless |actual - desired| <= atol + rtol * |desired| for all elements.

    Args:
        actual, desired: arrays or tensors with the same shape.

    Example:
        >>> import lathe.testing, numpy as np
        >>> lathe.testing.assert_allclose(np.ones(3), [1.0, 1.0, 1.0])
    """
    import numpy as np

    actual, desired = np.asanyarray(actual), np.asanyarray(desired)
    np.testing.assert_allclose(actual.shape, desired.shape)
    np.testing.assert_allclose(actual, desired, rtol=rtol, atol=atol, verbose=True)


def device_enabled(target):
    """Does this machine have a device for the target?

    Example:
        >>> import lathe.testing
        >>> lathe.testing.device_enabled("llvm")
        True
    """
    try:
        return _device(target, 0).exist
    except LatheError:  # no device has this target's name
        return False


def enabled_targets():
    """[(target, device)] for all kinds of targets that have a device here.

    Example:
        >>> import lathe.testing
        >>> "llvm" in [target for target, _ in lathe.testing.enabled_targets()]
        True
    """
    from .target import list_kinds

    found = []
    for kind in list_kinds():
        try:
            dev = _device(kind, 0)
        except Exception:  # no device has this target's name
            continue
        if dev.exist:
            found.append((kind, dev))
    return found


requires_llvm = _helpers._skip(lambda: not _has_llvm(), "no code generator `llvm`")
requires_cuda, requires_opencl = _helpers.requires("cuda"), _helpers.requires("opencl")


def _has_llvm():
    from .runtime import enabled

    return enabled("llvm")


requires_gpu = _helpers._skip(lambda: not any(dev.device_type != 1 for _, dev in enabled_targets()),
                              "no device but the processor")


def parametrize_targets(*targets):
    """A decorator for pytest tests of (target, dev): one run per target, skipped if it has no
    device.

    Args:
        targets: texts; by default all kinds that have a device here.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.parametrize_targets("llvm", "cuda")    # doctest: +SKIP
        ... def test_it(target, dev): ...
    """
    import pytest

    def case(target):
        there = device_enabled(target)
        dev = _device(target, 0) if there else None
        return pytest.param(target, dev, id=target, marks=[] if there else [
            pytest.mark.skip(reason=f"no device for {target}")])

    def mark(test, chosen=targets):
        return pytest.mark.parametrize("target, dev", [
            case(t) for t in (chosen or [kind for kind, _ in enabled_targets()])])(test)

    if len(targets) == 1 and callable(targets[0]):
        return mark(targets[0], ())
    return mark


def test_wrap_callback(callback):
    """A packed function without arguments, which calls a Python function from C++ and gives None.

    Example:
        >>> import lathe.testing
        >>> seen = []
        >>> lathe.testing.test_wrap_callback(lambda: seen.append(1))()
        >>> seen
        [1]
    """
    from .runtime import convert_to_function

    inner = convert_to_function(callback)

    def call():
        inner()

    return convert_to_function(call)


def main():
    """Runs the calling file's tests with pytest, and exits with the result.

    Example:
        >>> import lathe.testing
        >>> lathe.testing.main()    # doctest: +SKIP
    """
    import inspect
    import sys

    import pytest

    sys.exit(pytest.main([inspect.getsourcefile(sys._getframe(1)), *sys.argv[1:]]))


uses_gpu = _helpers.always_here
requires_rpc = requires_graph_executor = requires_profiler = _helpers.always_here
requires_vulkan, requires_metal, requires_rocm, requires_hexagon = (
    _helpers.requires(kind) for kind in ("vulkan", "metal", "rocm", "hexagon"))
requires_cudnn, requires_cublas, requires_cutlass, requires_cudagraph, requires_openblas, requires_mkl = (
    _helpers.never_here(what) for what in ("cuDNN", "cuBLAS", "CUTLASS", "CUDA graphs", "OpenBLAS", "MKL"))
requires_tensorcore = _helpers.requires_tensorcore()
requires_micro, requires_cmsisnn, requires_ethosn, requires_ethosu, requires_corstone300, requires_vitis_ai = (
    _helpers.never_here(what) for what in ("microTVM", "CMSIS-NN", "Ethos-N", "Ethos-U", "Corstone 300", "Vitis AI"))
requires_libtorch, requires_dnnl, requires_arm_compute_library = (
    _helpers.never_here(what) for what in ("libtorch", "DNNL", "Arm Compute Library"))

from . import _old_modules  # noqa: E402

_old_modules.attend(__name__)
