"""Lesson 22: tuning on boards: candidates are compiled here, and measured on devices that a tracker lends.

Run it: python lesson_22_tuning_on_a_board.py        (after: pip install lathe-*.whl numpy)
"""

import os
import tempfile

import lathe
from lathe import autotvm, rpc, te

# 1. A tracker, and two boards that offer themselves there. Here they are programs of this machine; on a
#    board it is `lathe remote serve --tracker HOST:PORT --key my-board` (docs/guides/remote.md).
tracker = rpc.Tracker("127.0.0.1")
boards = [rpc.Server("127.0.0.1", key="my-board", tracker_addr=("127.0.0.1", tracker.port))
          for _ in range(2)]
target = "llvm"  # of a board: `lathe board target NAME` prints it


# 2. A template (lesson 19).
@autotvm.template("lesson/scale")
def scale(n):
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] * 2.0 + 1.0, name="B")
    s = te.create_schedule(B.op)
    cfg = autotvm.get_config()
    cfg.define_split("tile", s[B].op.axis[0], num_outputs=2, max_factor=64)
    outer, inner = cfg["tile"].apply(s, B, s[B].op.axis[0])
    s[B].vectorize(inner)
    return s, [A, B]


task = autotvm.task.create("lesson/scale", args=(4096,), target=target)

# 3. The runner asks the tracker for devices with that key, two at once. One that goes away costs no
#    trial: the candidate is run again in the next session.
folder = tempfile.TemporaryDirectory()
log = os.path.join(folder.name, "scale.log")
runner = autotvm.RPCRunner("my-board", "127.0.0.1", tracker.port, n_parallel=2, number=10, repeat=2,
                           cooldown_interval=0)
tuner = autotvm.tuner.GridSearchTuner(task)
tuner.tune(6, autotvm.measure_option(autotvm.LocalBuilder(), runner),
           callbacks=[autotvm.callback.log_to_file(log)])
assert sum(1 for _ in open(log, encoding="utf-8")) == 6
print("best:", tuner.best_config)

# 4. The build for the board, with what was measured there.
with autotvm.apply_history_best(log), lathe.Target(target):
    s, args = scale(4096)
    lathe.build(s, args)
for board in boards:
    board.terminate()
tracker.terminate()

# The same on the command line: `lathe tune PROGRAM --target TARGET --tracker HOST:PORT --key my-board`.
# Many builders instead of this machine alone: lesson 23.
