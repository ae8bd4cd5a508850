"""What each step of a compiled network has to do, and how long it takes: for the per-layer tables
of bench/networks.

The work is read off the graph after fusion, whose groups are the steps of the plan, in the same
order. The times are those that the executor reports.
"""

import re
import statistics
import time

import lathe
from lathe import relay
from lathe.contrib import graph_executor
from lathe.contrib.debugger.debug_executor import GraphModuleDebug

# Operators that read only as many elements of their first operand as they return.
PICK = {"take", "gather", "gather_nd", "embedding", "strided_slice", "slice_like", "dynamic_strided_slice"}
FEWEST, MOST = 12, 400  # runs


class Watch(lathe.instrument.PassInstrument):
    """Keeps the graph that fusion makes while a network is compiled."""

    fused = None

    def run_after_pass(self, module, info):
        if info.name == "fuse":
            self.fused = module.node.functions[0]


class Group:
    """A group of operators that one kernel computes, and the tensors that it is called with."""

    def __init__(self, func, args, result, constants):
        self.func, self.args = func, args
        self.calls = [binding.value for binding in func.body.bindings]
        self.results = result.fields if type(result).__name__ == "TupleType" else [result]
        self.constant = [arg in constants for arg in args]


def groups_of(block, functions=None, constants=None):
    """The groups that are called in a block of a graph, in the order of the plan's steps."""
    functions, constants = {} if functions is None else functions, set() if constants is None else constants
    for binding in block.bindings:
        value, kind = binding.value, type(binding.value).__name__
        if kind == "Constant":
            constants.add(binding.var)
        elif kind == "GraphFunc":
            functions[binding.var] = value
        elif kind == "GraphInvoke":
            yield Group(functions[value.callee], value.args, binding.var.type, constants)
        elif kind == "GraphCall" and value.args[0] in constants:  # another shape of a constant
            constants.add(binding.var)
        for inner in {"GraphIf": ("then_block", "else_block"), "GraphLoop": ("condition", "body")}.get(kind, ()):
            yield from groups_of(getattr(value, inner), functions, constants)


def bytes_of(tensor):
    """The size of a tensor of this type."""
    total = max(int(re.search(r"\d*$", tensor.dtype).group() or 8), 8) // 8
    for extent in tensor.shape:
        total *= extent.value
    return total


def read_bytes(group):
    """Of each argument: how many bytes the kernel reads of it at least."""
    sizes = []
    for arg, param in zip(group.args, group.func.params):
        users = [(call, binding.var) for call, binding in zip(group.calls, group.func.body.bindings) if param in call.args]
        whole = bytes_of(arg.type)
        if users and all(call.op in PICK and call.args[0] == param for call, _ in users):
            whole = min(whole, sum(bytes_of(var.type) for _, var in users))
        sizes.append(whole if users else 0)
    return sizes


def multiplications(group):
    """Multiplications with addition of products, convolutions and recurrent layers, those of a
    direct convolution for Winograd's algorithm."""
    module = lathe.ir.make_node("GraphModule", functions=[group.func])
    return relay.analysis.get_total_mac_number(lathe.IRModule.from_node(module)[group.func.name].body)


def saved_by_winograd(group):
    """The share of a direct convolution's multiplications that the kernel does: 1 if it is no
    convolution by Winograd's algorithm. For tiles of m x m results it does (m + 2)^2 instead of 9
    m^2."""
    for call in group.calls:
        if call.op == "nn.contrib_conv2d_winograd_nchwc":
            steps = call.args[1].type.shape[0].value
            return steps**2 / (9 * (steps - 2) ** 2)
    return 1


def element_type(group):
    """"int8", "bfloat16" or "float32": of the operands that are multiplied."""
    for call in group.calls:
        if re.search("conv|dense|matmul", call.op):
            return {"uint8": "int8", "int8": "int8", "bfloat16": "bfloat16"}.get(call.args[0].type.dtype, "float32")
    return "float32"


def read_again(group):
    """(bytes that are read again by each step of time but the first, how often): the matrix of a
    recurrent layer, because a step needs the state that the one before has computed."""
    for call in group.calls:
        if call.op in ("nn.rnn", "nn.gru", "nn.lstm"):
            return bytes_of(call.args[2].type), call.args[0].type.shape[0].value - 1
    return 0, 0


def text_of(call):
    """An operator for people, convolutions with the extents of their windows."""
    name = call.op.removeprefix("nn.").removeprefix("contrib_")
    if "conv2d" not in name:
        return name
    shape = [extent.value for extent in call.args[1].type.shape]
    layout = dict(zip(str(call.attrs["kernel_layout"].value), shape)) if "kernel_layout" in call.attrs else {}
    place = 1 if name.startswith("depthwise") else 2
    height, width = (layout[letter] for letter in "HW") if layout else (3, 3) if "winograd" in name else shape[place : place + 2]
    return f"{name} {height}x{width}"


def work_of(group):
    """What the step has to do, as it goes into the table and the JSON."""
    # An argument that is given twice is read once.
    sizes = dict(zip(group.args, zip(read_bytes(group), group.constant)))
    again, rounds = read_again(group)
    return {
        "operators": [text_of(call) for call in group.calls],
        "result": [[extent.value for extent in one.shape] for one in group.results],
        "flop": 2 * multiplications(group),
        "winograd": saved_by_winograd(group),
        "kind": element_type(group),
        "weight_bytes": sum(size for size, constant in sizes.values() if constant),
        "read_bytes": sum(size for size, constant in sizes.values() if not constant),
        "written_bytes": sum(map(bytes_of, group.results)),
        "again_bytes": again,
        "again_times": rounds,
    }


def is_step_of(group, step):
    """Does this step of a run compute the group? Long names are cut off."""
    name = "_".join(call.op for call in group.calls).replace(".", "_")
    shapes = [tuple(extent.value for extent in one.shape) for one in group.results]
    return name.startswith(step.location) and shapes == step.shapes


def described(steps, fused):
    """What each step of a run has to do: {index: work}. Steps without a kernel (copies, loops) have
    no entry."""
    found, waiting = {}, iter(list(groups_of(fused.body)))
    for index, step in sorted({step.index: step for step in steps if step.kernel}.items()):
        group = next((one for one in waiting if is_step_of(one, step)), None)
        if group is None:
            raise RuntimeError(f"step {index} (`{step.location}`) is no group of the graph after fusion: its work is not known")
        found[index] = work_of(group)
    return found


def observed(executor):
    """Seconds of each step in one run: {index: seconds}. A step in a loop has the sum of its
    rounds."""
    executor.run(print_table=False)
    found = {}
    for step in executor.steps:
        found[step.index] = found.get(step.index, 0) + step.nanoseconds / 1e9
    return found


def measure(library, inputs, fused, seconds):
    """The rows of the per-layer table, and the times of whole runs that take turns with the runs
    that are observed."""
    executor = GraphModuleDebug(library["default"](lathe.cpu()), lathe.cpu())
    for name, array in inputs.items():
        executor.set_input(name, array)
    whole = graph_executor.GraphModule(executor.module)
    clock, runs, times = time.perf_counter, [], []
    for _ in range(3):
        whole.run()
    observed(executor)
    end = clock() + seconds
    while len(times) < FEWEST or (clock() < end and len(times) < MOST):
        whole.run()  # not counted: the run before was interrupted after each step
        start = clock()
        whole.run()
        times.append((clock() - start) * 1e3)
        runs.append(observed(executor))
    work, rows = described(executor.steps, fused), {}
    for step in executor.steps:
        of = rows.setdefault(step.index, {"step": step.index, "kernel": step.kernel, "times": 0})
        of["times"] += 1
        if of["times"] == 1:
            seconds = [run[step.index] for run in runs]
            of.update(median_ms=statistics.median(seconds) * 1e3, min_ms=min(seconds) * 1e3)
            of.update(work.get(step.index, {"operators": [step.location]}))
    steps = [rows[index] for index in sorted(rows)]
    return {"steps": steps, "run_median_ms": statistics.median(times), "run_min_ms": min(times), "runs": len(times)}
