"""Lesson 23: a fleet: workers of Ray compile candidates, devices under a tracker measure them.

Run it: python lesson_23_a_fleet.py        (after: pip install "lathe[ray]" numpy)
Without Ray it says so, and does nothing.
"""

import os
import sys
import tempfile

try:
    import ray
except ImportError:
    print("skipped: Ray is not installed")
    sys.exit(0)

from lathe import autotvm, rpc, te
from lathe.tune import fleet


# 1. A template (lesson 19), and the devices of a tracker (lesson 22).
@autotvm.template("lesson/add")
def add(n):
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    cfg = autotvm.get_config()
    cfg.define_split("tile", s[B].op.axis[0], num_outputs=2)
    outer, inner = cfg["tile"].apply(s, B, s[B].op.axis[0])
    s[B].vectorize(inner)
    return s, [A, B]


tracker = rpc.Tracker("127.0.0.1")
boards = [rpc.Server("127.0.0.1", key="my-board", tracker_addr=("127.0.0.1", tracker.port))
          for _ in range(2)]

# 2. Workers of Ray on this machine; `RayBuilder(address="HOST:6379")` joins a cluster.
builder = fleet.RayBuilder(n_parallel=2)

# 3. The search stays here, and so does its log.
folder = tempfile.TemporaryDirectory()
log = os.path.join(folder.name, "add.log")


def search(trials, history=()):
    tuner = autotvm.tuner.GridSearchTuner(autotvm.task.create("lesson/add", args=(1024,), target="llvm"))
    tuner.load_history(history)
    runner = autotvm.RPCRunner("my-board", "127.0.0.1", tracker.port, n_parallel=2, number=10, repeat=2,
                               cooldown_interval=0)
    tuner.tune(trials, autotvm.measure_option(builder, runner),
               callbacks=[autotvm.callback.log_to_file(log)])


search(4)

# 4. After a crash of this program the log has every trial that was finished; the search goes on.
search(4, history=autotvm.record.load_from_file(log))
indices = [given.config.index for given, _ in autotvm.record.load_from_file(log)]
assert len(set(indices)) == 8, indices
print("tried:", indices)

ray.shutdown()
for board in boards:
    board.terminate()
tracker.terminate()
