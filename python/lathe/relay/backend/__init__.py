"""What `relay.build` returns."""

from . import executor_factory, vm
