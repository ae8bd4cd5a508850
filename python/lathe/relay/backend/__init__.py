"""What `relay.build` takes and returns."""

from . import executor_factory, interpreter, te_compiler, utils, vm
from ._choices import Executor, Runtime
