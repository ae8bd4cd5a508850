"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError
from lathe._pytest_helpers import assert_prim_expr_equal as assert_prim_expr_equal
from lathe._pytest_helpers import check_numerical_grads as check_numerical_grads
from lathe._pytest_helpers import exclude_targets as exclude_targets
from lathe._pytest_helpers import fixture as fixture
from lathe._pytest_helpers import identity_after as identity_after
from lathe._pytest_helpers import known_failing_targets as known_failing_targets
from lathe._pytest_helpers import parameter as parameter
from lathe._pytest_helpers import parameters as parameters
from lathe._pytest_helpers import requires as requires
from lathe._pytest_helpers import requires_nvcc_version as requires_nvcc_version
from lathe._pytest_helpers import requires_package as requires_package
from lathe._pytest_helpers import skip_if_32bit as skip_if_32bit
from lathe._pytest_helpers import skip_if_wheel_test as skip_if_wheel_test
from lathe._pytest_helpers import slow as slow
from lathe._pytest_helpers import terminate_self as terminate_self

def assert_allclose(actual: Any, desired: Any, rtol: Any = ..., atol: Any = ...) -> None:
    """Raises AssertionError unless |actual - desired| <= atol + rtol * |desired| for all elements.

    Args:
        actual, desired: arrays or tensors with the same shape.

    Example:
        >>> import lathe.testing, numpy as np
        >>> lathe.testing.assert_allclose(np.ones(3), [1.0, 1.0, 1.0])
    """

def device_enabled(target: Any) -> bool:
    """Does this machine have a device for the target?

    Example:
        >>> import lathe.testing
        >>> lathe.testing.device_enabled("llvm")
        True
    """

def enabled_targets() -> Any:
    """[(target, device)] for all kinds of targets that have a device here.

    Example:
        >>> import lathe.testing
        >>> "llvm" in [target for target, _ in lathe.testing.enabled_targets()]
        True
    """

def main() -> Any:
    """Runs the calling file's tests with pytest, and exits with the result.

    Example:
        >>> import lathe.testing
        >>> lathe.testing.main()    # doctest: +SKIP
    """

def parametrize_targets(*targets: Any) -> Any:
    """A decorator for pytest tests of (target, dev): one run per target, skipped if it has no
    device.

    Args:
        targets: texts; by default all kinds that have a device here.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.parametrize_targets("llvm", "cuda")    # doctest: +SKIP
        ... def test_it(target, dev): ...
    """

def requires_arm_compute_library(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: lathe has no Arm Compute Library."""

def requires_cmsisnn(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: lathe has no CMSIS-NN."""

def requires_corstone300(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: lathe has no Corstone 300."""

def requires_cublas(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: lathe has no cuBLAS."""

def requires_cuda(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: no device of the kind cuda."""

def requires_cudagraph(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: lathe has no CUDA graphs."""

def requires_cudnn(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: lathe has no cuDNN."""

def requires_cutlass(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: lathe has no CUTLASS."""

def requires_dnnl(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: lathe has no DNNL."""

def requires_ethosn(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: lathe has no Ethos-N."""

def requires_ethosu(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: lathe has no Ethos-U."""

def requires_gpu(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: no device but the processor."""

def requires_graph_executor(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests of something that lathe always has: it skips none."""

def requires_hexagon(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: no device of the kind hexagon."""

def requires_libtorch(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: lathe has no libtorch."""

def requires_llvm(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: no code generator `llvm`."""

def requires_metal(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: no device of the kind metal."""

def requires_micro(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: lathe has no microTVM."""

def requires_mkl(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: lathe has no MKL."""

def requires_openblas(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: lathe has no OpenBLAS."""

def requires_opencl(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: no device of the kind opencl."""

def requires_profiler(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests of something that lathe always has: it skips none."""

def requires_rocm(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: no device of the kind rocm."""

def requires_rpc(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests of something that lathe always has: it skips none."""

def requires_tensorcore(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: no GPU with tensor cores."""

def requires_vitis_ai(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: lathe has no Vitis AI."""

def requires_vulkan(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests. Why it skips one: no device of the kind vulkan."""

def test_wrap_callback(callback: Any) -> Any:
    """A packed function without arguments, which calls a Python function from C++ and gives None.

    Example:
        >>> import lathe.testing
        >>> seen = []
        >>> lathe.testing.test_wrap_callback(lambda: seen.append(1))()
        >>> seen
        [1]
    """

def uses_gpu(test: Any = ..., *, support_required: Any = ...) -> Any:
    """A decorator for tests of something that lathe always has: it skips none."""
