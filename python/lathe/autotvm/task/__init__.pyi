"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.autotvm.task.dispatcher import ApplyConfig as ApplyConfig
from lathe.autotvm.task.dispatcher import ApplyFixedConfig as ApplyFixedConfig
from lathe.autotvm.task.dispatcher import ApplyGraphBest as ApplyGraphBest
from lathe.autotvm.task.dispatcher import ApplyHistoryBest as ApplyHistoryBest
from lathe.autotvm.task.space import ConfigEntity as ConfigEntity
from lathe.autotvm.task.space import ConfigSpace as ConfigSpace
from lathe.autotvm.task.dispatcher import DispatchContext as DispatchContext
from lathe.autotvm.task.space import FallbackConfigEntity as FallbackConfigEntity
from lathe.autotvm.task.dispatcher import FallbackContext as FallbackContext
from lathe.autotvm.task.task import Task as Task
from lathe.autotvm.task.task import args_to_workload as args_to_workload
from lathe.autotvm.task.dispatcher import clear_fallback_cache as clear_fallback_cache
from lathe.autotvm.task.task import compute_flop as compute_flop
from lathe.autotvm.task.task import create as create
from lathe.autotvm.task.task import deserialize_args as deserialize_args
from . import dispatcher as dispatcher
from lathe.autotvm.task.relay_integration import extract_from_multiple_program as extract_from_multiple_program
from lathe.autotvm.task.relay_integration import extract_from_program as extract_from_program
from lathe.autotvm.task.task import get_config as get_config
from lathe.autotvm.task.topi_integration import get_workload as get_workload
from lathe.autotvm.task.topi_integration import register_topi_compute as register_topi_compute
from lathe.autotvm.task.topi_integration import register_topi_schedule as register_topi_schedule
from . import relay_integration as relay_integration
from lathe.autotvm.task.task import serialize_args as serialize_args
from . import space as space
from . import task as task
from lathe.autotvm.task.task import template as template
from . import topi_integration as topi_integration
