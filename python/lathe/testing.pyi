"""Written by python/stubs/make_stubs.py."""

from typing import Any

def assert_allclose(actual: Any, desired: Any, rtol: Any = ..., atol: Any = ...) -> None:
    """Raises AssertionError unless two arrays agree: |actual - desired| <= atol + rtol * |desired|.

    Args:
        actual, desired: arrays or tensors of one shape.
    """

def device_enabled(target: Any) -> bool:
    """Is there a device for the target on this machine?"""

def enabled_targets() -> Any:
    """[(target, device)] of all kinds of targets that have a device here."""
