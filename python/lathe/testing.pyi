"""Written by python/stubs/make_stubs.py."""

from typing import Any

def assert_allclose(actual: Any, desired: Any, rtol: Any = ..., atol: Any = ...) -> None:
    """Raises AssertionError unless two arrays agree: |actual - desired| <= atol + rtol * |desired|.

    Args:
        actual, desired: arrays or tensors of one shape.

    Example:
        >>> import lathe.testing, numpy as np
        >>> lathe.testing.assert_allclose(np.ones(3), [1.0, 1.0, 1.0])
    """

def device_enabled(target: Any) -> bool:
    """Is there a device for the target on this machine?

    Example:
        >>> import lathe.testing
        >>> lathe.testing.device_enabled("llvm")
        True
    """

def enabled_targets() -> Any:
    """[(target, device)] of all kinds of targets that have a device here.

    Example:
        >>> import lathe.testing
        >>> "llvm" in [target for target, _ in lathe.testing.enabled_targets()]
        True
    """

def main() -> Any:
    """Runs the tests of the calling file with pytest, and ends the program with its result.

    Example:
        >>> import lathe.testing
        >>> lathe.testing.main()    # doctest: +SKIP
    """

def parametrize_targets(*targets: Any) -> Any:
    """A decorator of pytest's tests of (target, dev): run for each target, skipped where it has no device.

    Args:
        targets: texts; all kinds that have a device here by default.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.parametrize_targets("llvm", "cuda")    # doctest: +SKIP
        ... def test_it(target, dev): ...
    """

def requires_cuda(test: Any) -> Any:
    """A decorator of pytest's tests: skipped, with the reason, where there is no CUDA device.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.requires_cuda    # doctest: +SKIP
        ... def test_it(): ...
    """

def requires_gpu(test: Any) -> Any:
    """A decorator of pytest's tests: skipped, with the reason, where no kind but cpu has a device.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.requires_gpu    # doctest: +SKIP
        ... def test_it(): ...
    """

def requires_llvm(test: Any) -> Any:
    """A decorator of pytest's tests: skipped, with the reason, where there is no code generator `llvm`.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.requires_llvm    # doctest: +SKIP
        ... def test_it(): ...
    """

def requires_opencl(test: Any) -> Any:
    """A decorator of pytest's tests: skipped, with the reason, where there is no OpenCL device.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.requires_opencl    # doctest: +SKIP
        ... def test_it(): ...
    """
