"""Written by python/stubs/make_stubs.py."""

from typing import Any
from . import executor_factory as executor_factory
from . import vm as vm
