"""Lesson 19: tuning: a template says what may be chosen, a search finds what is fast.

Run it: python lesson_19_tuning.py        (after: pip install lathe-*.whl numpy)
"""

import os
import tempfile

import numpy as np

import lathe
from lathe import autotvm, te


# 1. A template is a function that makes a schedule. It asks for its configuration, says what may be
#    chosen (knobs), and uses what was chosen.
@autotvm.template("lesson/matmul")
def matmul(n):
    A, B = te.placeholder((n, n), name="A"), te.placeholder((n, n), name="B")
    k = te.reduce_axis((0, n), name="k")
    C = te.compute((n, n), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    s = te.create_schedule(C.op)
    y, x = s[C].op.axis
    cfg = autotvm.get_config()
    cfg.define_split("tile_y", y, num_outputs=2, max_factor=16)
    cfg.define_split("tile_x", x, num_outputs=2, filter=lambda split: split.size[-1] in (8, 16, 32, 64))
    cfg.define_knob("unroll", [False, True])
    yo, yi = cfg["tile_y"].apply(s, C, y)
    xo, xi = cfg["tile_x"].apply(s, C, x)
    s[C].reorder(yo, xo, k, yi, xi)
    if cfg["unroll"].val:
        s[C].unroll(yi)
    s[C].vectorize(xi)
    return s, [A, B, C]


# 2. A task is a template with arguments, for a target. Its space has a number for each configuration.
N = 128
task = autotvm.task.create("lesson/matmul", args=(N,), target="llvm")
print(task.config_space)
print("configuration 13:", task.config_space.get(13))

# 3. The search. Each candidate is compiled, compared with the program without a schedule, and
#    measured in a process of its own; each trial is a line of the log before the next one begins.
folder = tempfile.TemporaryDirectory()
log = os.path.join(folder.name, "matmul.log")
tuner = autotvm.tuner.RandomTuner(task)
tuner.tune(n_trial=8,
           measure_option=autotvm.measure_option(
               builder=autotvm.LocalBuilder(),
               runner=autotvm.LocalRunner(number=3, repeat=2, cooldown_interval=0)),
           callbacks=[autotvm.callback.log_to_file(log), autotvm.callback.progress_bar(8)])
print("best:", tuner.best_config, f"{tuner.best_flops / 1e9:.1f} GFLOP/s")

# 4. The best of the log applies to the template, here or in another program, on another day.
with autotvm.apply_history_best(log), lathe.Target("llvm"):
    s, args = matmul(N)
    fast = lathe.build(s, args)
a, b = (np.random.rand(N, N).astype("float32") for _ in range(2))
c = np.zeros((N, N), "float32")
fast(a, b, c)
np.testing.assert_allclose(c, a @ b, rtol=1e-4)

# 5. Without a record of these arguments the template uses its fallback, and says so.
with autotvm.apply_history_best(log), lathe.Target("llvm"):
    matmul(64)

# For a board: autotvm.RPCRunner("rk3399", tracker_host, tracker_port) instead of the LocalRunner, and
# the board's target for the task. Programs without a template: `lathe tune` (docs/guides/tuning.md).
