"""The names for NVIDIA GPUs: the operators of `topi.nn`, with schedules for the current target."""

from . import _schedules
from .nn import *  # noqa: F401,F403

_schedules.install(globals())
