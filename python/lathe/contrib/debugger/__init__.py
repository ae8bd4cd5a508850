"""Executors that show what they do."""

from . import debug_executor
