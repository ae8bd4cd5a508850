"""Tuners, and what they call with trials."""

from . import callback
from .tuner import GATuner, GridSearchTuner, RandomTuner, Tuner
