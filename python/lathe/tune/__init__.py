"""Tuning on many machines: `lathe.tune.fleet`. Searches are `lathe.autotvm`'s and `lathe.auto_scheduler`'s."""

from . import fleet

from .. import _old_modules  # noqa: E402

_old_modules.attend(__name__)
