"""An executor that times each step of a graph."""

import json
import os

from ..graph_executor import GraphModule, create as _create


def create(graph_json_str, libmod, device, dump_root=None):
    """A GraphModuleDebug for a compiled graph; the arguments are those of graph_executor.create.

    Args:
        dump_root: a folder for the files of `run`.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> from lathe.contrib.debugger import debug_executor
        >>> x = relay.var("x", shape=(2,))
        >>> graph, lib, params = relay.build(relay.Function([x], x + x), "llvm")
        >>> debug_executor.create(graph, lib, lathe.cpu()).get_num_inputs()
        1
    """
    made = _create(graph_json_str, libmod, device)
    return GraphModuleDebug(made.module, device, graph_json_str, dump_root)


class Step:
    """A step of a run.

    Attributes:
        index: its number.
        location: the operators that it computes.
        kernel: the function that computes them.
        nanoseconds: the time it took.
        shapes: the shapes of the tensors that it wrote.
        device: the Device where it ran: that of these tensors.
        function: of a program, the function that it is a step of; else "".
        calls: how often it ran.

    Example:
        >>> from lathe.contrib.debugger import debug_executor
        >>> debug_executor.Step(0, "add", "add_0", 1500, [(2,)]).kernel
        'add_0'
    """

    def __init__(self, index, location, kernel, nanoseconds, shapes, device=None, function=""):
        self.index, self.location, self.kernel = index, location, kernel
        self.nanoseconds, self.shapes, self.device = nanoseconds, shapes, device
        self.function, self.calls = function, 1


def _named(device):
    """"cpu:0"; "" for steps that wrote nothing."""
    return "" if device is None else f"{device.kind}:{device.device_id}"


def table_of(steps, sort_by_time=True):
    """Steps as a text, with the part of the whole time that each took.

    Args:
        steps: Steps. Those of a program also show their function and how often they ran.
        sort_by_time: the longest first; False: in their order.

    Example:
        >>> from lathe.contrib.debugger import debug_executor
        >>> print(debug_executor.table_of([debug_executor.Step(0, "add", "add_0", 1500, [(2,)])]))
        step   us      %  device  shapes  operators
        0     1.5  100.0          2       add
    """
    total = sum(step.nanoseconds for step in steps) or 1
    key = (lambda s: -s.nanoseconds) if sort_by_time else (lambda s: s.index)
    columns = [
        ("step", "<", lambda step: str(step.index)),
        ("calls", ">", lambda step: str(step.calls)),
        ("us", ">", lambda step: f"{step.nanoseconds / 1e3:.1f}"),
        ("%", ">", lambda step: f"{100 * step.nanoseconds / total:.1f}"),
        ("device", "<", lambda step: _named(step.device)),
        ("shapes", "<", lambda step: " ".join("x".join(map(str, shape)) or "scalar" for shape in step.shapes)),
        ("function", "<", lambda step: step.function),
        ("operators", "<", lambda step: step.location),
    ]
    if not any(step.function for step in steps):
        columns = [one for one in columns if one[0] not in ("calls", "function")]
    rows = [[name for name, _, _ in columns]]
    rows += [[text(step) for _, _, text in columns] for step in sorted(steps, key=key)]
    widths = [max(map(len, cells)) for cells in zip(*rows)]
    return "\n".join("  ".join(f"{cell:{side}{width}}" for cell, (_, side, _), width in zip(row, columns, widths))
                     .rstrip() for row in rows)


class GraphModuleDebug(GraphModule):
    """An executor that reports the time and device of each step: it prints a table and writes a trace.

    Args:
        module: what `lib["default"](device)` gives.
        device, graph_json_str: without effect.
        dump_root: a folder; each run writes `trace.json` there, for Chrome's chrome://tracing.

    Attributes:
        steps: the Steps of the last run.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import relay
        >>> from lathe.contrib.debugger.debug_executor import GraphModuleDebug
        >>> x = relay.var("x", shape=(2,))
        >>> lib = relay.build(relay.Function([x], relay.exp(x)), "llvm")
        >>> m = GraphModuleDebug(lib["default"](lathe.cpu()), lathe.cpu())
        >>> m.set_input("x", np.zeros(2, "float32"))
        >>> m.run()                              # doctest: +ELLIPSIS
        step ...
        >>> len(m.steps)
        1
    """

    def __init__(self, module, device=None, graph_json_str="", dump_root=None):
        super().__init__(module)
        self.dump_root = dump_root
        self.steps = []

    def run(self, number=1, repeat=1, min_repeat_ms=0, cooldown_interval_ms=0,
            repeats_to_cooldown=1, *, print_table=True, **input_dict):
        """Runs the graph `number * repeat` times; the times of a step are the least of all runs.

        Args:
            number, repeat: their product is the number of runs.
            min_repeat_ms, cooldown_interval_ms, repeats_to_cooldown: without effect.
            print_table: print `table()`.
            input_dict: inputs by name.
        """
        for name, value in input_dict.items():
            self._set(name, value)
        best = []
        for _ in range(max(1, int(number)) * max(1, int(repeat))):
            steps = self._observe()
            if not best:
                best = steps
            for one, other in zip(best, steps):
                one.nanoseconds = min(one.nanoseconds, other.nanoseconds)
        self.steps = best
        if self.dump_root is not None:
            os.makedirs(self.dump_root, exist_ok=True)
            self.save_trace(os.path.join(self.dump_root, "trace.json"))
        if print_table:
            print(self.table())

    def profile(self, collectors=None, **input_dict):
        """Runs the graph once, and returns the times of its steps as a text (`table`).

        Args:
            collectors: without effect: the time of each step is what there is.
            input_dict: inputs by name.
        """
        self.run(print_table=False, **input_dict)
        return self.table()

    def exit(self):
        """Forgets the steps of the last run. (Files are written by `run`, none is left.)"""
        self.steps = []

    def _observe(self):
        steps = []

        def report(index, location, kernel, nanoseconds, tensors):
            shapes = [tuple(tensor.shape) for tensor in tensors]
            device = tensors[0].device if tensors else None
            steps.append(Step(index, location, kernel, nanoseconds, shapes, device))

        self._call("run_observed", report)
        return steps

    def run_individual(self, number=1, repeat=1, min_repeat_ms=0, cooldown_interval_ms=0,
                       repeats_to_cooldown=1):
        """The least time of each step in milliseconds, as a list; arguments as for `run`."""
        self.run(number, repeat, print_table=False)
        return [step.nanoseconds / 1e6 for step in self.steps]

    def table(self, sort_by_time=True):
        """The steps of the last run as a text, the longest first.

        Args:
            sort_by_time: False: in the order in which they ran.
        """
        return table_of(self.steps, sort_by_time)

    def save_trace(self, path):
        """Writes the steps of the last run as a trace file (JSON) of Chrome."""
        events, now, rows = [], 0.0, {}
        for step in self.steps:
            name = _named(step.device)
            if name not in rows:
                rows[name] = len(rows)
                events.append({"name": "thread_name", "ph": "M", "pid": 0, "tid": rows[name],
                               "args": {"name": name}})
            events.append({"name": step.location, "cat": "kernel", "ph": "X", "pid": 0,
                           "tid": rows[name],
                           "ts": now, "dur": step.nanoseconds / 1e3,
                           "args": {"kernel": step.kernel, "step": step.index,
                                    "shapes": [list(shape) for shape in step.shapes]}})
            now += step.nanoseconds / 1e3
        with open(path, "w") as f:
            json.dump({"traceEvents": events, "displayTimeUnit": "ms"}, f)
