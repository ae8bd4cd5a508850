"""Runs compiled graphs."""

from .. import _core, _ffi
from ..error import LatheError, LatheTypeError, LatheValueError
from ..runtime.module import Module
from ..runtime.tensor import _from_array

_get = _ffi.get
_CPU = 1  # the number of the kind "cpu"


def create(graph_json_str, libmod, device):
    """An executor for a compiled graph.

    Args:
        graph_json_str: what `lib.get_graph_json()` gave; or the name of the graph.
        libmod: the module that `relay.build` made, or that was loaded from a file.
        device: the device, or the list of devices.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> from lathe.contrib import graph_executor
        >>> x = relay.var("x", shape=(2,))
        >>> graph, lib, params = relay.build(relay.Function([x], x + x), "llvm")
        >>> graph_executor.create(graph, lib, lathe.cpu()).get_num_inputs()
        1
    """
    import json

    name = graph_json_str
    if str(name).lstrip().startswith("{"):
        try:
            name = json.loads(name)["name"]
        except (ValueError, KeyError):
            raise LatheValueError("this is no description of a graph", "graph-json",
                                  "expected: what get_graph_json() gives") from None
    libmod = getattr(libmod, "module", libmod)
    devices = device if isinstance(device, (list, tuple)) else [device]
    return GraphModule(libmod[str(name)](*devices))


def get_device(libmod, device):
    """[device], for scripts that call it.

    Example:
        >>> import lathe
        >>> lathe.contrib.graph_executor.get_device(None, lathe.cpu())
        [device("cpu", 0)]
    """
    return list(device) if isinstance(device, (list, tuple)) else [device]


class GraphModule:
    """An executor: inputs and outputs of a compiled graph, with memory of its own.

    The graph may be in a session's worker: `session.load_module("net.tar")["default"](session.cpu())`.
    Then its inputs and outputs are tensors there; inputs that are here are copied.

    One thread at a time uses an executor; several executors of one module share code and constants,
    and run at the same time.

    Args:
        module: what `lib["default"](device)` gives.

    Attributes:
        module: the same.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import relay
        >>> from lathe.contrib import graph_executor
        >>> x = relay.var("x", shape=(2,))
        >>> lib = relay.build(relay.Function([x], x * 2.0), "llvm")
        >>> m = graph_executor.GraphModule(lib["default"](lathe.cpu()))
        >>> m.set_input("x", np.ones(2, "float32"))
        >>> m.run()
        >>> m.get_output(0).numpy().tolist()
        [2.0, 2.0]
    """

    def __init__(self, module):
        # The context of a session's worker is a module of kind "remote" here.
        if not isinstance(module, Module) or not {"set_input", "run"} <= set(module.function_names):
            raise LatheTypeError("an executor must be made from a context", "graph-context-type",
                                 f"found: {module!r}\nhelp: lib[\"default\"](lathe.cpu())")
        self.module = module
        self._functions = {}
        # The session where the graph is; 0 is this process.
        self._session = 0 if module.kind == "graph_context" else self.get_output_device(0).session

    def _call(self, name, *args):
        function = self._functions.get(name)
        if function is None:
            function = self._functions[name] = self.module[name]
        return function(*args)

    def set_input(self, key=None, value=None, **params):
        """Sets inputs by copying.

        Args:
            key: the name or number of an input; or the name of a constant, which gets other data.
            value: a Tensor, which has the input's element type; or an array, number or list, which
                is converted to it.
            params: further ones by name. Names that the graph does not have are ignored: they may
                be parameters that became part of other constants.

        Raises:
            LatheError: `graph-input-unknown`, `graph-input-index`, `graph-input-mismatch`,
                `graph-constant-mismatch`.
        """
        if key is not None:
            self._set(key, value)
        for name, item in params.items():
            try:
                self._set(name, item)
            except LatheError as error:
                if error.name != "graph-input-unknown":
                    raise

    def _set(self, key, value):
        try:
            dtype, *shape = self._call("get_input_type", key)
        except LatheError as error:
            if error.name != "graph-input-unknown" or not self._has_param(key):
                raise
            self._call("set_param", key, self._there(_tensor(value)))
            return
        self._call("set_input", key, self._there(_tensor(value, dtype)))

    def _there(self, tensor):
        """The tensor, or a copy of it in the memory of the graph's session."""
        if tensor.device.session == self._session:
            return tensor
        return tensor.copyto(_core.Device(_CPU, 0, self._session))

    def _has_param(self, name):
        return any(self._call("get_param_name", i) == name
                   for i in range(self._call("get_num_params")))

    def set_input_zero_copy(self, key, value=None, **params):
        """Sets inputs without copying: each run reads the caller's memory.

        Raises:
            LatheError: `graph-input-layout` if the memory is not compact, not aligned enough, or
                not on the input's device (`get_input_device`).
        """
        for name, item in ([(key, value)] if key is not None else []) + list(params.items()):
            self._call("set_input_zero_copy", name, item)

    def set_output_zero_copy(self, key, value):
        """Makes each run write output number `key` to the caller's tensor; None undoes it."""
        self._call("set_output_zero_copy", key, value)

    def run(self, **input_dict):
        """Runs the graph.

        Args:
            input_dict: inputs by name, which are set before.

        Raises:
            LatheError: `graph-input-missing`, `graph-input-unknown`, `graph-shape-mismatch`, ...
        """
        for name, value in input_dict.items():
            self._set(name, value)
        self._call("run")

    def get_num_outputs(self):
        """The number of outputs."""
        return self._call("get_num_outputs")

    def get_num_inputs(self):
        """The number of inputs."""
        return self._call("get_num_inputs")

    def get_input(self, index, out=None):
        """The tensor that the next run reads: writing to it changes the input.

        Args:
            index: the input's name or number.
            out: a tensor that gets a copy instead.
        """
        return _copied(self._call("get_input", index), out)

    def get_input_index(self, name):
        """The number of an input; -1 if there is none of that name."""
        try:
            return self._call("get_input_index", name)
        except LatheError as error:
            if error.name != "graph-input-unknown":
                raise
            return -1

    def get_input_device(self, key):
        """The device where an input is; `key` is its name or number."""
        return self._call("get_input_device", key)

    def get_output_device(self, index):
        """The device where an output is."""
        return self._call("get_output_device", index)

    def get_input_info(self):
        """({name: shape}, {name: element type}) of the inputs; -1: callers choose the extent."""
        shapes, dtypes = {}, {}
        for i in range(self.get_num_inputs()):
            name = self._call("get_input_name", i)
            dtype, *shape = self._call("get_input_type", i)
            shapes[name], dtypes[name] = tuple(shape), dtype
        return shapes, dtypes

    def get_output(self, index, out=None):
        """An output of the last run, on its device: a tensor that the next run overwrites.

        Args:
            index: the output's number.
            out: a tensor that gets a copy instead.
        """
        return _copied(self._call("get_output", index), out)

    def load_params(self, params_bytes):
        """Sets constants by name, from the bytes of `relay.save_param_dict`.

        Raises:
            LatheError: `graph-constant-unknown`, `graph-constant-mismatch`, `params-corrupt`. Then
                no constant is changed.
        """
        self._call("load_params", bytes(params_bytes))

    def share_params(self, other, params_bytes=None):
        """Uses the constants of another executor, by name, without copying them.

        Args:
            other: a GraphModule.
            params_bytes: without effect.
        """
        self._call("share_params", other.module)

    def __getitem__(self, key):
        """A function of the context, by name."""
        return self.module[key]

    def benchmark(self, device=None, func_name="run", repeat=5, number=5, min_repeat_ms=None,
                  end_to_end=False, cooldown_interval_ms=0, repeats_to_cooldown=1, **kwargs):
        """Measures the time of a run.

        Args:
            device: whose work is waited for; a run waits for all of its devices by itself.
            func_name: the function of the context that is measured.
            repeat, number, min_repeat_ms, cooldown_interval_ms, repeats_to_cooldown: as for
                `Module.time_evaluator`.
            end_to_end: also measure setting the inputs and reading the outputs.
            kwargs: inputs, which are set before.

        Returns:
            A runtime.BenchmarkResult.
        """
        from ..runtime.module import BenchmarkResult

        self.set_input(**kwargs)
        device = device if device is not None else self.get_output_device(0)
        if not end_to_end:
            return self.module.time_evaluator(func_name, device, number, repeat,
                                              min_repeat_ms or 0, cooldown_interval_ms,
                                              repeats_to_cooldown)()
        import time

        results = []
        for _ in range(repeat):
            begun = time.perf_counter()
            for _ in range(number):
                self.set_input(**kwargs)
                self._call(func_name)
                for i in range(self.get_num_outputs()):
                    self.get_output(i).numpy()
            results.append((time.perf_counter() - begun) / number)
        return BenchmarkResult(results, number)


def _tensor(value, dtype=None):
    return value if isinstance(value, _core.Tensor) else _from_array(value, dtype)


def _copied(tensor, out):
    if out is None:
        return tensor
    tensor.copyto(out)
    return out


AotModule = GraphModule  # TVM's name for graphs of the executor "aot", which is the same here
