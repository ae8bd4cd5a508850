"""What `relay.build` takes and returns."""

from . import executor_factory, interpreter, te_compiler, vm
from ._choices import Executor, Runtime
