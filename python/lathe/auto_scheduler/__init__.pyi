"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.auto_scheduler.compute_dag import ComputeDAG as ComputeDAG
from lathe.auto_scheduler.search_task import HardwareParams as HardwareParams
from lathe.auto_scheduler.measure import LocalBuilder as LocalBuilder
from lathe.auto_scheduler.measure import LocalRPCMeasureContext as LocalRPCMeasureContext
from lathe.auto_scheduler.measure import LocalRunner as LocalRunner
from lathe.auto_scheduler.measure import MeasureInput as MeasureInput
from lathe.autotvm.measure import MeasureResult as MeasureResult
from lathe.auto_scheduler.search_policy import PreloadMeasuredStates as PreloadMeasuredStates
from lathe.auto_scheduler.measure import PythonBasedMeasureCallback as PythonBasedMeasureCallback
from lathe.auto_scheduler.measure import RPCRunner as RPCRunner
from lathe.auto_scheduler.search_policy import RandomModel as RandomModel
from lathe.auto_scheduler.measure import RecordToFile as RecordToFile
from lathe.auto_scheduler.search_policy import SearchPolicy as SearchPolicy
from lathe.auto_scheduler.search_task import SearchTask as SearchTask
from lathe.auto_scheduler.search_policy import SketchPolicy as SketchPolicy
from lathe.auto_scheduler.search_policy import State as State
from lathe.auto_scheduler.search_task import TuningOptions as TuningOptions
from lathe.auto_scheduler.search_policy import XGBModel as XGBModel
from . import compute_dag as compute_dag
from lathe.auto_scheduler.workload_registry import make_workload_key as make_workload_key
from . import measure as measure
from lathe.auto_scheduler.workload_registry import register_workload as register_workload
from . import search_policy as search_policy
from . import search_task as search_task
from . import workload_registry as workload_registry
