"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.autotvm.tuner.tuner import GATuner as GATuner
from lathe.autotvm.tuner.tuner import GridSearchTuner as GridSearchTuner
from lathe.autotvm.tuner.tuner import RandomTuner as RandomTuner
from lathe.autotvm.tuner.tuner import Tuner as Tuner
from . import callback as callback
from . import tuner as tuner
