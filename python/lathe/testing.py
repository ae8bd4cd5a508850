"""Helpers for tests of programs."""

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
    return _device(target, 0).exist


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


def _requires(condition, reason):
    import pytest

    return pytest.mark.skipif(not condition, reason=reason)


def requires_llvm(test):
    """A decorator for pytest tests: skips the test if there is no code generator `llvm`.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.requires_llvm    # doctest: +SKIP
        ... def test_it(): ...
    """
    from .runtime import enabled

    return _requires(enabled("llvm"), "no code generator `llvm`")(test)


def requires_cuda(test):
    """A decorator for pytest tests: skips the test if there is no CUDA device.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.requires_cuda    # doctest: +SKIP
        ... def test_it(): ...
    """
    return _requires(device_enabled("cuda"), "no CUDA device")(test)


def requires_opencl(test):
    """A decorator for pytest tests: skips the test if there is no OpenCL device.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.requires_opencl    # doctest: +SKIP
        ... def test_it(): ...
    """
    return _requires(device_enabled("opencl"), "no OpenCL device")(test)


def requires_gpu(test):
    """A decorator for pytest tests: skips the test if only the kind cpu has a device.

    Example:
        >>> import lathe.testing
        >>> @lathe.testing.requires_gpu    # doctest: +SKIP
        ... def test_it(): ...
    """
    found = any(dev.device_type != 1 for _, dev in enabled_targets())
    return _requires(found, "no device but the processor")(test)


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
