"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.frontend.pytorch._registry import operator as operator
from lathe.relay.frontend.pytorch._registry import operators as operators
from lathe.relay.frontend.pytorch._operators.arithmetic import power_of_numbers as power_of_numbers
