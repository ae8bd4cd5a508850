"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.autotvm.task.space import ConfigEntity as ConfigEntity
from lathe.autotvm.task.space import ConfigSpace as ConfigSpace
from lathe.autotvm.measure import LocalBuilder as LocalBuilder
from lathe.autotvm.measure import LocalRunner as LocalRunner
from lathe.autotvm.measure import MeasureErrorNo as MeasureErrorNo
from lathe.autotvm.measure import MeasureInput as MeasureInput
from lathe.autotvm.measure import MeasureResult as MeasureResult
from lathe.autotvm.measure import RPCRunner as RPCRunner
from lathe.autotvm.task.dispatcher import ApplyGraphBest as ApplyGraphBest
from lathe.autotvm.task.dispatcher import ApplyHistoryBest as ApplyHistoryBest
from lathe.autotvm.tuner import callback as callback
from lathe.autotvm.measure import create_measure_batch as create_measure_batch
from . import database as database
from lathe.autotvm.task.task import get_config as get_config
from . import graph_tuner as graph_tuner
from . import measure as measure
from lathe.autotvm.measure import measure_option as measure_option
from . import record as record
from lathe.autotvm.task.task import template as template
from lathe.autotvm.task.topi_integration import register_topi_compute as register_topi_compute
from lathe.autotvm.task.topi_integration import register_topi_schedule as register_topi_schedule
from . import task as task
from . import tophub as tophub
from . import tuner as tuner

apply_graph_best = ApplyGraphBest

apply_history_best = ApplyHistoryBest

register_customized_task = template
