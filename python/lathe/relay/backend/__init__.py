"""What `relay.build` takes and returns."""

from . import executor_factory, vm
from ._choices import Executor, Runtime
