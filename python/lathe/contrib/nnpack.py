"""NNPACK, which Lathe does not call: its own convolutions are used."""


def is_available():
    """Are convolutions of NNPACK there? No: programs then take others, such as `topi.nn.conv2d_nchw`.

    Example:
        >>> from lathe.contrib import nnpack
        >>> nnpack.is_available()
        False
    """
    return False

from .. import _old_modules  # noqa: E402

_old_modules.attend(__name__)
