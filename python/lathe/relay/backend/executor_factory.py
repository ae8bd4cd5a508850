"""The result of `relay.build`."""

from ... import _ffi
from ...runtime import cpu


class GraphExecutorFactoryModule:
    """A compiled graph.

    `lib["default"](device)` makes an executor, for `lathe.contrib.graph_executor.GraphModule`. A
    graph for several devices takes all of them, `lib["default"](lathe.cpu(), lathe.cl())`; those
    that are left out are the first of their kinds.

    Attributes:
        module: the runtime module: kernels, constants and the plan.
        ir_mod: the IRModule that was compiled.
        target: the Target, or the list of Targets.
        libmod_name: the name of the graph in the module.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> relay.build(relay.Function([x], x + x), "llvm").libmod_name
        'default'
    """

    def __init__(self, ir_mod, target, module, libmod_name):
        self.ir_mod, self.target, self.module = ir_mod, target, module
        self.libmod_name = libmod_name
        self._iterated = False

    def __getitem__(self, item):
        """A function of the module; "debug_create" makes executors as `lib["default"]` does."""
        if item == "debug_create":
            return lambda name, *devices: self.module[name](*devices)
        return self.module[item]

    def __call__(self, *args, **kwargs):
        return self.module[self.libmod_name](*args)

    def export_library(self, file_name, fcompile=None, addons=None, **kwargs):
        """Writes a file (.so, .tar, .o) that `lathe.runtime.load_module` loads."""
        return self.module.export_library(file_name, fcompile, **kwargs)

    def get_lib(self):
        """The runtime module."""
        return self.module

    def get_params(self):
        """{name: Tensor} of the constants that have names: they can be replaced by `load_params`.

        Constants that passes computed from others have none.
        """
        context = self.module[self.libmod_name](cpu())
        params = {}
        for i in range(context["get_num_params"]()):
            name, data = context["get_param_name"](i), context["get_param"](i)
            if name and data is not None:
                params[name] = data
        return params

    def get_graph_json(self):
        """A short description of the graph as JSON, for `graph_executor.create`."""
        import json

        context = self.module[self.libmod_name](cpu())
        inputs = [context["get_input_name"](i) for i in range(context["get_num_inputs"]())]
        return json.dumps({"lathe_graph": 1, "name": self.libmod_name, "inputs": inputs,
                           "outputs": context["get_num_outputs"]()})

    def get_executor_config(self):
        """The same as `get_graph_json`."""
        return self.get_graph_json()

    @property
    def graph_json(self):
        """The same as `get_graph_json()`."""
        return self.get_graph_json()

    @property
    def lib(self):
        """The runtime module."""
        return self.module

    @property
    def params(self):
        """The same as `get_params()`."""
        return self.get_params()

    def __iter__(self):
        """graph_json, lib, params: the form of old scripts."""
        return iter((self.get_graph_json(), self.module, self.get_params()))

    def _repr_html_(self):
        from ... import _html

        return _html.page_of(repr(self)) + self.ir_mod._repr_html_()

    def __repr__(self):
        names = ", ".join(_ffi.get("graph.plan_names")(self.module))
        targets = self.target if isinstance(self.target, list) else [self.target]
        return f"<lathe compiled graph {names} for {', '.join(map(str, targets))}>"
