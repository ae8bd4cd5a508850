"""Several graphs that hand their results on, each with its target: what `pipeline_executor` runs."""

import json
import os

from .. import relay
from ..error import LatheTypeError, LatheValueError
from ..runtime import cpu, load_module
from ..target import Target

_DESCRIPTION = "pipeline.json"


def pipeline_executor_build_enabled():
    """Can pipelines be built? Yes.

    Example:
        >>> from lathe.contrib import pipeline_executor_build
        >>> pipeline_executor_build.pipeline_executor_build_enabled()
        True
    """
    return True


class Binding:
    """An input or a result, of the pipeline or of one of its graphs.

    Args:
        owner: "input" or "output" of the pipeline, or a ModuleConfig.
        kind: "input" or "output" of the owner.
        name: the input's name, or the result's number.

    Example:
        >>> from lathe.contrib.pipeline_executor_build import PipelineConfig
        >>> PipelineConfig()["input"]["x"]
        input x of the pipeline
    """

    def __init__(self, config, owner, kind, name):
        self._config, self.owner, self.kind, self.name = config, owner, kind, name

    def connect(self, binding):
        """Hands the value on.

        Args:
            binding: an input of a graph, or a result of the pipeline.

        Raises:
            LatheValueError: `pipeline-connection`: the value is none, or the place has another already.
        """
        gives = self.owner == "input" or isinstance(self.owner, ModuleConfig) and self.kind == "output"
        takes = isinstance(binding, Binding) and (binding.owner == "output" or isinstance(
            binding.owner, ModuleConfig) and binding.kind == "input")
        if not gives or not takes or self.owner == "input" and binding.owner == "output":
            raise LatheValueError("a connection must go from an input of the pipeline, or a result of a graph, on",
                                  "pipeline-connection", f"found: from {self!r} to {binding!r}")
        self._config._connect(self, binding)

    def _key(self):
        return (id(self.owner) if isinstance(self.owner, ModuleConfig) else self.owner, self.name)

    def __repr__(self):
        whose = self.owner if isinstance(self.owner, ModuleConfig) else "the pipeline"
        return f"{self.kind} {self.name} of {whose}"


class _Bindings:
    def __init__(self, config, owner, kind):
        self._made = config, owner, kind

    def __getitem__(self, name):
        config, owner, kind = self._made
        return Binding(config, owner, kind, name if kind == "input" else int(name))


class ModuleConfig:
    """How one graph of a pipeline is compiled and where it runs.

    `module["input"][name]` and `module["output"][number]` are its inputs and results.

    Attributes:
        target, target_host: for `relay.build`; by default the target that is in force (`with Target(...)`),
            then this processor.
        dev: the device; by default the host.
        params: {name: Tensor or array}: parameters that become constants.
        name: of the graph, within the pipeline.
        build_func: (module, target, params=..., target_host=..., mod_name=...) -> what `relay.build`
            gives; None for `relay.build`.
        fcompile: for `export_library`, which links each graph.

    Example:
        >>> from lathe import IRModule, relay
        >>> from lathe.contrib.pipeline_executor_build import PipelineConfig
        >>> x = relay.var("x", shape=(2,))
        >>> PipelineConfig()[IRModule.from_expr(relay.Function([x], x + x))].name
        'mod0'
    """

    def __init__(self, config, mod, name):
        self._config, self.mod, self.name = config, mod, name
        self.target = self.target_host = self.params = self.build_func = self.fcompile = None
        self.dev = cpu()

    def __getitem__(self, kind):
        if kind not in ("input", "output"):
            raise LatheValueError("a graph has inputs and outputs", "pipeline-connection", f"found: {kind!r}")
        return _Bindings(self._config, self, kind)

    def __repr__(self):
        return self.name


class PipelineConfig:
    """Graphs and connections between them.

    `config["input"][name]` is an input of the pipeline, `config["output"][number]` a result, and
    `config[mod]` the ModuleConfig of an IRModule, which belongs to the pipeline from then on.

    Example:
        >>> import numpy as np, lathe
        >>> from lathe import relay
        >>> from lathe.contrib import pipeline_executor, pipeline_executor_build
        >>> x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
        >>> first = lathe.IRModule.from_expr(relay.Function([x], x + x))
        >>> second = lathe.IRModule.from_expr(relay.Function([y], relay.exp(y)))
        >>> config = pipeline_executor_build.PipelineConfig()
        >>> config["input"]["data"].connect(config[first]["input"]["x"])
        >>> config[first]["output"][0].connect(config[second]["input"]["y"])
        >>> config[second]["output"][0].connect(config["output"][0])
        >>> pipeline = pipeline_executor.PipelineModule(pipeline_executor_build.build(config))
        >>> pipeline.set_input("data", np.zeros(2, "float32"))
        >>> pipeline.run()
        >>> pipeline.get_output()[0].numpy().tolist()
        [1.0, 1.0]
    """

    def __init__(self):
        self.modules, self._sources = [], {}

    def __getitem__(self, key):
        if key in ("input", "output"):
            return _Bindings(self, key, key)
        if not hasattr(key, "functions"):
            raise LatheTypeError("a pipeline is made of IRModules", "pipeline-connection",
                                 f"expected: \"input\", \"output\" or an IRModule\nfound: {key!r}")
        for one in self.modules:
            if one.mod is key:
                return one
        self.modules.append(ModuleConfig(self, key, f"mod{len(self.modules)}"))
        return self.modules[-1]

    def _connect(self, source, place):
        key = place._key()
        if key in self._sources:
            raise LatheValueError(f"{place!r} has a value already", "pipeline-connection",
                                  f"found: {self._sources[key]!r}, and {source!r}")
        self._sources[key] = source

    def ordered(self):
        """The ModuleConfigs, each behind those whose results it reads.

        Raises:
            LatheValueError: `pipeline-connection`: graphs read each other's results.
        """
        order, left = [], list(self.modules)
        while left:
            ready = [one for one in left if not any(
                source.owner in left for (owner, _), source in self._sources.items()
                if owner == id(one) and isinstance(source.owner, ModuleConfig))]
            if not ready:
                raise LatheValueError("graphs of the pipeline read each other's results", "pipeline-connection",
                                      "found: " + ", ".join(map(repr, left)))
            order.append(ready[0])
            left.remove(ready[0])
        return order

    def description(self):
        """{"stages": [...], "outputs": [...]}: who reads what, as plain values that JSON can hold."""
        order = self.ordered()
        place = {id(one): i for i, one in enumerate(order)}

        def source(one):
            return [-1, one.name] if one.owner == "input" else [place[id(one.owner)], one.name]

        def inputs(one):
            return {name: source(found) for (owner, name), found in self._sources.items() if owner == id(one)}

        stages = [{"name": one.name, "device": [one.dev.kind, one.dev.device_id], "inputs": inputs(one)}
                  for one in order]
        results = {name: source(found) for (owner, name), found in self._sources.items() if owner == "output"}
        if sorted(results) != list(range(len(results))) or not results:
            raise LatheValueError("the results of a pipeline must be numbered from 0", "pipeline-connection",
                                  f"found: {sorted(results)}")
        return {"stages": stages, "outputs": [results[i] for i in range(len(results))]}


class PipelineExecutorFactoryModule:
    """Compiled graphs and their connections.

    Attributes:
        libraries: for each graph, what `relay.build` gives, or a module that was loaded.
        description: PipelineConfig.description().

    Example:
        >>> import tempfile
        >>> import numpy as np, lathe
        >>> from lathe import relay
        >>> from lathe.contrib import pipeline_executor, pipeline_executor_build
        >>> x = relay.var("x", shape=(2,))
        >>> config, mod = pipeline_executor_build.PipelineConfig(), lathe.IRModule.from_expr(relay.Function([x], x + x))
        >>> config["input"]["data"].connect(config[mod]["input"]["x"])
        >>> config[mod]["output"][0].connect(config["output"][0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pipeline_executor_build.build(config).export_library(folder)
        ...     pipeline = pipeline_executor.PipelineModule.load_library(path)
        >>> pipeline.set_input("data", np.ones(2, "float32"))
        >>> pipeline.run()
        >>> pipeline.get_output()[0].numpy().tolist()
        [2.0, 2.0]
    """

    def __init__(self, libraries, description, compilers=()):
        self.libraries, self.description = list(libraries), description
        self._compilers = list(compilers) or [None] * len(self.libraries)

    def export_library(self, directory_path):
        """Writes the graphs and the connections into a folder.

        Returns:
            The path of the description, for `pipeline_executor.PipelineModule.load_library`.
        """
        os.makedirs(directory_path, exist_ok=True)
        for stage, library, compiler in zip(self.description["stages"], self.libraries, self._compilers):
            library.export_library(os.path.join(directory_path, stage["name"] + ".so"), compiler)
        path = os.path.join(directory_path, _DESCRIPTION)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.description, file)
        return path

    @staticmethod
    def load(path):
        """What `export_library` wrote."""
        with open(path, encoding="utf-8") as file:
            description = json.load(file)
        folder = os.path.dirname(os.path.abspath(path))
        return PipelineExecutorFactoryModule(
            [load_module(os.path.join(folder, stage["name"] + ".so")) for stage in description["stages"]], description)


def build(pipe_configs):
    """Compiles the graphs of a pipeline.

    Args:
        pipe_configs: a PipelineConfig.

    Returns:
        A PipelineExecutorFactoryModule.

    Raises:
        LatheError: `pipeline-connection`; and what `relay.build` raises.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> from lathe.contrib import pipeline_executor_build
        >>> x = relay.var("x", shape=(2,))
        >>> config, mod = pipeline_executor_build.PipelineConfig(), lathe.IRModule.from_expr(relay.Function([x], x + x))
        >>> config["input"]["data"].connect(config[mod]["input"]["x"])
        >>> config[mod]["output"][0].connect(config["output"][0])
        >>> pipeline_executor_build.build(config).description["outputs"]
        [[0, 0]]
    """
    description, made = pipe_configs.description(), []
    for one in pipe_configs.ordered():
        target = one.target if one.target is not None else Target.current()
        make = one.build_func or relay.build
        made.append(make(one.mod, target, params=one.params, target_host=one.target_host, mod_name=one.name))
    return PipelineExecutorFactoryModule(made, description, [one.fcompile for one in pipe_configs.ordered()])
