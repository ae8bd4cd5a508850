"""Written by python/stubs/make_stubs.py."""

from typing import Any

def is_available() -> Any:
    """Are convolutions of NNPACK there? No: programs then take others, such as `topi.nn.conv2d_nchw`.

    Example:
        >>> from lathe.contrib import nnpack
        >>> nnpack.is_available()
        False
    """
