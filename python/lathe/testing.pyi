"""Written by python/stubs/make_stubs.py."""

from typing import Any

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

def requires_cuda(test: Any) -> Any:
    """A decorator for pytest tests: skips the test if there is no CUDA device.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.requires_cuda    # doctest: +SKIP
        ... def test_it(): ...
    """

def requires_gpu(test: Any) -> Any:
    """A decorator for pytest tests: skips the test if only the kind cpu has a device.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.requires_gpu    # doctest: +SKIP
        ... def test_it(): ...
    """

def requires_llvm(test: Any) -> Any:
    """A decorator for pytest tests: skips the test if there is no code generator `llvm`.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.requires_llvm    # doctest: +SKIP
        ... def test_it(): ...
    """

def requires_opencl(test: Any) -> Any:
    """A decorator for pytest tests: skips the test if there is no OpenCL device.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.requires_opencl    # doctest: +SKIP
        ... def test_it(): ...
    """
