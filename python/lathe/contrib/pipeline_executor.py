"""Runs graphs one behind the other, each on a thread of its own: while one works on the results of the
graph before it, that graph has the next inputs already.
"""

import collections
import concurrent.futures

from ..error import LatheValueError
from ..runtime import device as _device
from .graph_executor import GraphModule
from .pipeline_executor_build import PipelineExecutorFactoryModule


def pipeline_executor_enabled():
    """Can pipelines run? Yes.

    Example:
        >>> from lathe.contrib import pipeline_executor
        >>> pipeline_executor.pipeline_executor_enabled()
        True
    """
    return True


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

    def __init__(self, module):
        self._description, self._stages, self._threads = module.description, [], []
        for stage, library in zip(module.description["stages"], module.libraries):
            kind, number = stage["device"]
            self._stages.append(GraphModule(library[stage["name"]](_device(kind, number))))
            self._threads.append(concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix=stage["name"]))
        self._inputs, self._under_way, self._count = {}, collections.deque(), 0

    @staticmethod
    def load_library(config_file_name):
        """The pipeline that `export_library` wrote.

        Args:
            config_file_name: the path that it returned.
        """
        return PipelineModule(PipelineExecutorFactoryModule.load(config_file_name))

    def _names(self):
        return sorted({name for stage in self._description["stages"]
                       for who, name in stage["inputs"].values() if who == -1})

    def get_input_pipeline_map(self, name):
        """[(number of a graph, its input)] that an input of the pipeline is connected with."""
        return [(number, inner) for number, stage in enumerate(self._description["stages"])
                for inner, (who, outer) in stage["inputs"].items() if who == -1 and outer == name]

    def set_input(self, key, value):
        """Sets an input of the pipeline for the next runs.

        Args:
            key: its name.
            value: a Tensor or array, which must not change until the runs are over.

        Raises:
            LatheValueError: `graph-input-unknown`.
        """
        if key not in self._names():
            raise LatheValueError(f"the pipeline has no input `{key}`", "graph-input-unknown",
                                  "expected: " + ", ".join(self._names()))
        self._inputs[key] = value

    def get_input(self, key):
        """The value that was set; None if none was."""
        return self._inputs.get(key)

    def set_params(self, params_group_name, params_data):
        """Replaces constants of a graph.

        Args:
            params_group_name: the graph's name: "mod0", ...
            params_data: {name: Tensor or array}.
        """
        names = [stage["name"] for stage in self._description["stages"]]
        if params_group_name not in names:
            raise LatheValueError(f"the pipeline has no graph `{params_group_name}`", "graph-input-unknown",
                                  "expected: " + ", ".join(names))
        number = names.index(params_group_name)
        self._threads[number].submit(self._stages[number].set_input, **params_data).result()

    @property
    def num_outputs(self):
        """The number of results."""
        return len(self._description["outputs"])

    @property
    def num_inputs(self):
        """The number of inputs."""
        return len(self._names())

    @property
    def num_executing_pipeline(self):
        """How many runs were started, together with those that are over: what TVM counts under this name."""
        return self._count

    def run(self):
        """Starts a run with the inputs that are set, and returns; `get_output` waits for its end.

        Raises:
            LatheValueError: `graph-input-missing`.
        """
        missing = [name for name in self._names() if name not in self._inputs]
        if missing:
            raise LatheValueError(f"the input `{missing[0]}` of the pipeline is not set", "graph-input-missing")
        inputs, made = dict(self._inputs), []
        for number, thread in enumerate(self._threads):
            made.append(thread.submit(self._run_stage, number, inputs, list(made)))
        self._under_way.append(made)
        self._count += 1

    def _run_stage(self, number, inputs, before):
        """The results of a graph, whose inputs earlier graphs give."""
        stage, executor = self._description["stages"][number], self._stages[number]
        executor.run(**{inner: inputs[name] if who == -1 else before[who].result()[name]
                        for inner, (who, name) in stage["inputs"].items()})
        return [executor.get_output(i).copyto(_device("cpu", 0)) for i in range(executor.get_num_outputs())]

    def get_output(self, synchronize=True, sleep_interval=0.001):
        """The results of the first run whose results were not got yet, as a list of Tensors.

        Args:
            synchronize: wait for the run. Otherwise, the list is empty if it is not over.
            sleep_interval: accepted for old programs: nothing sleeps.

        Raises:
            LatheError: what the run raised; `graph-input-missing`: no run is under way.
        """
        if not self._under_way:
            raise LatheValueError("no run of the pipeline is under way", "graph-input-missing",
                                  "help: call run() first")
        if not synchronize and not all(one.done() for one in self._under_way[0]):
            return []
        made = self._under_way.popleft()
        return [made[who].result()[number] for who, number in self._description["outputs"]]
