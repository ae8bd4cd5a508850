"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.backend._choices import Executor as Executor
from lathe.relay.backend._choices import Runtime as Runtime
from . import executor_factory as executor_factory
from . import vm as vm
