"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.backend._choices import Executor as Executor
from lathe.relay.backend._choices import Runtime as Runtime
from . import executor_factory as executor_factory
from . import interpreter as interpreter
from . import te_compiler as te_compiler
from . import utils as utils
from . import vm as vm
