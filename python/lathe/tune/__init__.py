"""Tuning on many machines: `lathe.tune.fleet`. Searches are `lathe.autotvm`'s and `lathe.auto_scheduler`'s."""

from . import fleet
