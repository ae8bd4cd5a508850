"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.frontend.pytorch._operators.arithmetic import extreme as extreme
from lathe.relay.frontend.pytorch._operators.arithmetic import numeric as numeric
from lathe.relay.frontend.pytorch._registry import operator as operator
from lathe.relay.frontend.pytorch._registry import operators as operators

def log_add(pair: Any, base: Any) -> Any:
    ...
