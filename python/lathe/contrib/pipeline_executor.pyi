"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.contrib.graph_executor import GraphModule as GraphModule
from lathe.error import LatheValueError as LatheValueError
from lathe.contrib.pipeline_executor_build import PipelineExecutorFactoryModule as PipelineExecutorFactoryModule

class PipelineModule:
    """A pipeline with memory of its own. One thread at a time calls its methods.

    Args:
        module: what `pipeline_executor_build.build` gives.

    Example:
        >>> import numpy as np, lathe
        >>> from lathe import relay
        >>> from lathe.contrib import pipeline_executor, pipeline_executor_build
        >>> x = relay.var("x", shape=(2,))
        >>> config, mod = pipeline_executor_build.PipelineConfig(), lathe.IRModule.from_expr(relay.Function([x], x + x))
        >>> config["input"]["data"].connect(config[mod]["input"]["x"])
        >>> config[mod]["output"][0].connect(config["output"][0])
        >>> pipeline = pipeline_executor.PipelineModule(pipeline_executor_build.build(config))
        >>> for number in (1, 2):
        ...     pipeline.set_input("data", np.full(2, number, "float32"))
        ...     pipeline.run()
        >>> [pipeline.get_output()[0].numpy().tolist() for _ in range(2)], pipeline.num_executing_pipeline
        ([[2.0, 2.0], [4.0, 4.0]], 2)
    """
    def get_input(self, key: Any) -> Any: ...
    def get_input_pipeline_map(self, name: Any) -> Any: ...
    def get_output(self, synchronize: Any = ..., sleep_interval: Any = ...) -> Any: ...
    @staticmethod
    def load_library(config_file_name: Any) -> Any: ...
    @property
    def num_executing_pipeline(self) -> Any:
        """How many runs were started, together with those that are over: what TVM counts under this name."""

    @property
    def num_inputs(self) -> Any:
        """The number of inputs."""

    @property
    def num_outputs(self) -> Any:
        """The number of results."""

    def run(self) -> Any: ...
    def set_input(self, key: Any, value: Any) -> Any: ...
    def set_params(self, params_group_name: Any, params_data: Any) -> Any: ...
    def __init__(self, module: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def pipeline_executor_enabled() -> Any:
    """Can pipelines run? Yes.

    Example:
        >>> from lathe.contrib import pipeline_executor
        >>> pipeline_executor.pipeline_executor_enabled()
        True
    """
