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
        >>> from lathe.contrib.pipeline_executor_build import PipelineConfig    # has the whole example
        >>> callable(PipelineConfig)
        True
    """
    def get_input(self, key: Any) -> Any: ...
    def get_input_pipeline_map(self, name: Any) -> Any: ...
    def get_output(self, synchronize: Any = ..., sleep_interval: Any = ...) -> Any: ...
    @staticmethod
    def load_library(config_file_name: Any) -> Any: ...
    @property
    def num_executing_pipeline(self) -> Any:
        """How many runs were started."""

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
