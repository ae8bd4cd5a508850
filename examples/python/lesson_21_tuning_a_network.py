"""Lesson 21: tuning a network: its kernels are searched by turns, and the build uses what was found.

Run it: python lesson_21_tuning_a_network.py        (after: pip install lathe-*.whl numpy)
"""

import os
import tempfile

import numpy as np

import lathe
from lathe import auto_scheduler, autotvm, relay
from lathe.contrib import graph_executor
from lathe.relay import testing

# 1. A network with weights.
mod, params = testing.resnet.get_workload(batch_size=1, num_classes=10, num_layers=8, image_shape=(3, 16, 16))
picture = np.random.rand(1, 3, 16, 16).astype("float32")


def run(lib):
    m = graph_executor.GraphModule(lib["default"](lathe.cpu()))
    m.run(data=picture)
    return m.get_output(0).numpy()


with lathe.transform.PassContext(opt_level=3):
    plain = run(relay.build(mod, target="llvm", params=params))

# 2. Its tasks: kernels that reduce something, each once, and how often a run calls each.
tasks, weights = auto_scheduler.extract_tasks(mod["main"], params, "llvm")
for task, weight in zip(tasks, weights):
    print(f"{weight} x {task.desc}: {task.compute_dag.flop_ct / 1e6:.2f} million operations")

# 3. The scheduler searches each for some trials, then those of which most is expected for a run.
folder = tempfile.TemporaryDirectory()
log = os.path.join(folder.name, "network.jsonl")
runner = auto_scheduler.LocalRunner(number=2, repeat=2, min_repeat_ms=0)
scheduler = auto_scheduler.TaskScheduler(tasks, weights, callbacks=[])
scheduler.tune(auto_scheduler.TuningOptions(
    num_measure_trials=2 * len(tasks), runner=runner,
    measure_callbacks=[auto_scheduler.RecordToFile(log)]), search_policy="sketch.random")
print(scheduler.table())

# 4. A build inside of ApplyHistoryBest gives each kernel the best of the file.
with auto_scheduler.ApplyHistoryBest(log), lathe.transform.PassContext(opt_level=3):
    np.testing.assert_allclose(run(relay.build(mod, target="llvm", params=params)), plain, rtol=1e-3)

# 5. The other way: the choices that the default schedules leave open (AutoTVM's names). The space is
#    smaller, and most of it is good.
log = os.path.join(folder.name, "network.log")
with lathe.transform.PassContext(opt_level=3):
    tasks = autotvm.task.extract_from_program(mod["main"], params, target="llvm")
for task in tasks[:2]:
    autotvm.tuner.GATuner(task, pop_size=4).tune(
        2, autotvm.measure_option("local", autotvm.LocalRunner(number=2, repeat=2, cooldown_interval=0)),
        callbacks=[autotvm.callback.log_to_file(log)])
with autotvm.apply_history_best(log), lathe.transform.PassContext(opt_level=3):
    np.testing.assert_allclose(run(relay.build(mod, target="llvm", params=params)), plain, rtol=1e-3)

# The same on the command line: `lathe tune MODEL -o FILE`, `lathe compile MODEL --records FILE`.
