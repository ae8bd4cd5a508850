"""For tests of programs."""

from .runtime.device import device as _device


def assert_allclose(actual, desired, rtol=1e-7, atol=1e-7):
    """Raises AssertionError unless two arrays agree: |actual - desired| <= atol + rtol * |desired|.

    Args:
        actual, desired: arrays or tensors of one shape.
    """
    import numpy as np

    actual, desired = np.asanyarray(actual), np.asanyarray(desired)
    np.testing.assert_allclose(actual.shape, desired.shape)
    np.testing.assert_allclose(actual, desired, rtol=rtol, atol=atol, verbose=True)


def device_enabled(target):
    """Is there a device for the target on this machine?"""
    return _device(target, 0).exist


def enabled_targets():
    """[(target, device)] of all kinds of targets that have a device here."""
    from .target import list_kinds

    found = []
    for kind in list_kinds():
        try:
            dev = _device(kind, 0)
        except Exception:  # a target without a device of its name
            continue
        if dev.exist:
            found.append((kind, dev))
    return found
