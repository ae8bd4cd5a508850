"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.target import Target as Target
from lathe.runtime.device import cpu as cpu
from lathe.runtime.module import load_module as load_module
from lathe import relay as relay

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
    def __repr__(self) -> str: ...
    def connect(self, binding: Any) -> Any: ...
    def __init__(self, config: Any, owner: Any, kind: Any, name: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

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
    def __getitem__(self, kind: Any) -> Any: ...
    def __repr__(self) -> str: ...
    def __init__(self, config: Any, mod: Any, name: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

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
    def __getitem__(self, key: Any) -> Any: ...
    def description(self) -> Any: ...
    def ordered(self) -> Any: ...
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

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
    def export_library(self, directory_path: Any) -> Any: ...
    @staticmethod
    def load(path: Any) -> Any: ...
    def __init__(self, libraries: Any, description: Any, compilers: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def build(pipe_configs: Any) -> Any:
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

def pipeline_executor_build_enabled() -> Any:
    """Can pipelines be built? Yes.

    Example:
        >>> from lathe.contrib import pipeline_executor_build
        >>> pipeline_executor_build.pipeline_executor_build_enabled()
        True
    """
