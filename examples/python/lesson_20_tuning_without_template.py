"""Lesson 20: tuning without a template: the space of schedules follows from the computation.

Run it: python lesson_20_tuning_without_template.py        (after: pip install lathe-*.whl numpy)
"""

import os
import tempfile

import numpy as np

import lathe
from lathe import auto_scheduler, te


# 1. A function that makes a computation: its inputs, then its outputs. A grouped product: nobody has
#    written a schedule for it.
@auto_scheduler.register_workload
def grouped(groups, n, m, k):
    A = te.placeholder((groups, n, k), name="A")
    B = te.placeholder((groups, k, m), name="B")
    r = te.reduce_axis((0, k), name="r")
    C = te.compute((groups, n, m), lambda g, i, j: te.sum(A[g, i, r] * B[g, r, j], axis=r), name="C")
    return [A, B, te.compute((groups, n, m), lambda g, i, j: te.max(C[g, i, j], 0.0), name="D")]


# 2. A task: the computation with these arguments, for a target.
task = auto_scheduler.SearchTask(func=grouped, args=(4, 32, 48, 64), target="llvm")
print(task.compute_dag)
print("operations:", task.compute_dag.flop_ct)

# 3. The search. Its first trial is the schedule that a build has without tuning; the other ones are
#    drawn, and evolve from what was measured. With the package xgboost a model of costs chooses.
folder = tempfile.TemporaryDirectory()
log = os.path.join(folder.name, "grouped.jsonl")
policy = auto_scheduler.SketchPolicy(task, auto_scheduler.RandomModel(), seed=1)
task.tune(auto_scheduler.TuningOptions(
    num_measure_trials=8,
    runner=auto_scheduler.LocalRunner(number=3, repeat=2, min_repeat_ms=0),
    measure_callbacks=[auto_scheduler.RecordToFile(log)]), search_policy=policy)
for given, result in auto_scheduler.load_records(log):
    print(f"{min(result.costs) * 1e6:8.1f} us", given.state.knobs)

# 4. The best of the file, as a schedule.
s, args = task.apply_best(log)
print(task.print_best(log))
fast = lathe.build(s, args, "llvm")
a, b = (np.random.rand(4, n, m).astype("float32") for n, m in ((32, 64), (64, 48)))
d = np.zeros((4, 32, 48), "float32")
fast(a, b, d)
np.testing.assert_allclose(d, np.maximum(a @ b, 0), rtol=1e-4)

# 5. The search goes on from the file: what is known is not measured again.
policy = auto_scheduler.SketchPolicy(task, auto_scheduler.RandomModel(), seed=1,
                                     init_search_callbacks=[auto_scheduler.PreloadMeasuredStates(log)])
task.tune(auto_scheduler.TuningOptions(
    num_measure_trials=2, runner=auto_scheduler.LocalRunner(number=3, repeat=2, min_repeat_ms=0),
    measure_callbacks=[auto_scheduler.RecordToFile(log)]), search_policy=policy)
assert len(auto_scheduler.load_records(log)) == 10

# For a GPU: target="opencl" or "cuda". The same on the command line: `lathe tune PROGRAM --space sketch`.
