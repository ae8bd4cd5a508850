"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.autotvm.tuner.tuner import GATuner as GATuner
from lathe.autotvm.tuner.tuner import GridSearchTuner as GridSearchTuner
from lathe.autotvm.tuner.tuner import RandomTuner as RandomTuner
from lathe.autotvm.tuner.tuner import Tuner as Tuner
from lathe.autotvm.tuner.xgboost_tuner import XGBTuner as XGBTuner
from . import annealing as annealing
from . import callback as callback
from . import features as features
from . import tuner as tuner
from . import xgboost_tuner as xgboost_tuner
