"""Tuners, and what they call with trials."""

from . import callback, xgboost_tuner
from .tuner import GATuner, GridSearchTuner, RandomTuner, Tuner
from .xgboost_tuner import XGBTuner
