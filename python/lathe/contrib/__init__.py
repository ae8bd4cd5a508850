"""Helpers around a compilation."""

from .. import _old_modules  # noqa: E402

_old_modules.attend(__name__)
