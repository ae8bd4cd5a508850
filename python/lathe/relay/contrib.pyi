"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.pattern_table import get_pattern_table as get_pattern_table
from lathe.relay.pattern_table import register_pattern_table as register_pattern_table
