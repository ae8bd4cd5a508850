"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.transform import PassContext as PassContext
from lathe._tvmc_frontends import TVMCError as TVMCError
from lathe._tvmc_model import TVMCModel as TVMCModel
from lathe._tvmc_model import TVMCPackage as TVMCPackage
from lathe._tvmc_model import TVMCResult as TVMCResult
from lathe._tvmc_frontends import get_frontend_by_name as get_frontend_by_name
from lathe._tvmc_frontends import get_frontend_names as get_frontend_names
from lathe._tvmc_frontends import guess_frontend as guess_frontend
from lathe import nd as nd

TVMCException = TVMCError

def compile(tvmc_model: Any, target: Any, tuning_records: Any = ..., package_path: Any = ..., cross: Any = ..., cross_options: Any = ..., output_format: Any = ..., dump_code: Any = ..., target_host: Any = ..., desired_layout: Any = ..., disabled_pass: Any = ..., pass_context_configs: Any = ..., opt_level: Any = ..., mod_name: Any = ...) -> Any:
    """Compiles a model into a package.

    Args:
        tvmc_model: a TVMCModel.
        target, target_host: as for `relay.build`.
        tuning_records: a file that `tune` wrote.
        package_path, cross, cross_options, output_format: as for `TVMCModel.export_package`.
        dump_code: formats of sources to write beside the package, such as ["relay", "ll", "asm"] or "ll".
        desired_layout: "NHWC" or "NCHW": convolutions are converted to it first.
        disabled_pass: names of passes, a list or a text with commas.
        pass_context_configs: {key: value} for the PassContext.
        opt_level: of the PassContext.
        mod_name: of the graph in the library.

    Returns:
        A TVMCPackage.

    Raises:
        TVMCError: `tvmc-records`: there is no such file. And what `relay.build` raises.

    Example:
        >>> from lathe import IRModule, relay, tvmc
        >>> x = relay.var("x", shape=(2,))
        >>> model = tvmc.TVMCModel(IRModule.from_expr(relay.Function([x], x + x)))
        >>> tvmc.run(tvmc.compile(model, "llvm"), "cpu", inputs={"x": [1.0, 2.0]}).get_output("output_0").tolist()
        [2.0, 4.0]
    """

def convert_graph_layout(mod: Any, desired_layout: Any) -> Any:
    """The module with convolutions in another order of dimensions.

    Args:
        mod: an IRModule.
        desired_layout: "NHWC" or "NCHW".

    Example:
        >>> from lathe import IRModule, relay, tvmc
        >>> x, w = relay.var("x", shape=(1, 3, 8, 8)), relay.var("w", shape=(4, 3, 3, 3))
        >>> made = tvmc.convert_graph_layout(IRModule.from_expr(relay.nn.conv2d(x, w)), "NHWC")
        >>> 'data_layout="NHWC"' in str(made)
        True
    """

def load(path: Any, model_format: Any = ..., shape_dict: Any = ..., **kwargs: Any) -> Any:
    """A model in a file of ONNX, TFLite, TensorFlow (a frozen graph) or PyTorch (a script or trace).

    Args:
        path: of the file.
        model_format: "onnx", "tflite", "pb" or "pytorch"; by default what the path's suffix says.
        shape_dict: {name of an input: extents}, which replace what the model says.
        kwargs: passed on to the importer, `relay.frontend.from_onnx` and so on.

    Returns:
        A TVMCModel.

    Raises:
        TVMCError: `tvmc-model-format`: it is not known of which format the file is.

    Example:
        >>> from lathe import tvmc
        >>> try:
        ...     tvmc.load("model", shape_dict={"x": (2, 3)})
        ... except tvmc.TVMCError as error:
        ...     print(error.name)
        tvmc-model-format
    """

def load_model(path: Any, model_format: Any = ..., shape_dict: Any = ..., **kwargs: Any) -> Any:
    """A model in a file of ONNX, TFLite, TensorFlow (a frozen graph) or PyTorch (a script or trace).

    Args:
        path: of the file.
        model_format: "onnx", "tflite", "pb" or "pytorch"; by default what the path's suffix says.
        shape_dict: {name of an input: extents}, which replace what the model says.
        kwargs: passed on to the importer, `relay.frontend.from_onnx` and so on.

    Returns:
        A TVMCModel.

    Raises:
        TVMCError: `tvmc-model-format`: it is not known of which format the file is.

    Example:
        >>> from lathe import tvmc
        >>> try:
        ...     tvmc.load("model", shape_dict={"x": (2, 3)})
        ... except tvmc.TVMCError as error:
        ...     print(error.name)
        tvmc-model-format
    """

def run(tvmc_package: Any, device: Any, hostname: Any = ..., port: Any = ..., rpc_key: Any = ..., inputs: Any = ..., fill_mode: Any = ..., repeat: Any = ..., number: Any = ..., profile: Any = ..., end_to_end: Any = ...) -> Any:
    """Runs a package.

    Args:
        tvmc_package: a TVMCPackage.
        device: "cpu", "cl", "cuda"...
        hostname, port: of a server, or of a tracker with `rpc_key`; by default this machine runs it. A port
            that is not given is 9090 for a server, and 9190 for a tracker.
        rpc_key: what the tracker shall lend.
        inputs: {name: array}; the others are made.
        fill_mode: "random", "zeros" or "ones": inputs that are made.
        repeat, number: how often the time of how many runs is taken.
        profile: print the time of each kernel, too.
        end_to_end: also measure setting the inputs and reading the outputs.

    Returns:
        A TVMCResult.

    Raises:
        TVMCError: `tvmc-inputs`: `fill_mode` is unknown, or an input has a size that is not known;
            `tvmc-tracker`: `rpc_key` without `hostname`.

    Example:
        >>> from lathe import IRModule, relay, tvmc
        >>> x = relay.var("x", shape=(2,))
        >>> package = tvmc.compile(tvmc.TVMCModel(IRModule.from_expr(relay.Function([x], x + x))), "llvm")
        >>> tvmc.run(package, "cpu", fill_mode="ones").outputs["output_0"].tolist()
        [2.0, 2.0]
    """

def tune(tvmc_model: Any, target: Any, tuning_records: Any = ..., prior_records: Any = ..., enable_autoscheduler: Any = ..., rpc_key: Any = ..., hostname: Any = ..., port: Any = ..., trials: Any = ..., target_host: Any = ..., tuner: Any = ..., early_stopping: Any = ..., desired_layout: Any = ..., timeout: Any = ..., repeat: Any = ..., number: Any = ..., min_repeat_ms: Any = ..., include_simple_tasks: Any = ...) -> Any:
    """Searches schedules for the kernels of a model.

    Args:
        tvmc_model: a TVMCModel.
        target, target_host: as for `relay.build`.
        tuning_records: the file of the records, to which is appended.
        prior_records: a file of an earlier search, which this one begins with.
        enable_autoscheduler: search without templates (`lathe.auto_scheduler`).
        hostname, port, rpc_key: of a tracker, and of the devices that it shall lend; by default this machine
            measures. A port that is not given is 9190.
        trials: candidates for each kernel; with `enable_autoscheduler` for all together.
        tuner: "xgb", "ga", "random" or "gridsearch"; not for `enable_autoscheduler`.
        early_stopping: end after so many trials without a better one.
        desired_layout: as for `compile`.
        timeout: seconds for one candidate.
        repeat, number, min_repeat_ms: how a candidate is measured.
        include_simple_tasks: kernels without a reduction, too.

    Returns:
        The path of the records.

    Raises:
        TVMCError: `tvmc-tuner`: there is no such tuner. `tvmc-tracker`: only one of `hostname` and `rpc_key`.

    Example:
        >>> import os, tempfile
        >>> from lathe import IRModule, relay, tvmc
        >>> x = relay.var("x", shape=(2,))
        >>> model = tvmc.TVMCModel(IRModule.from_expr(relay.Function([x], x + x)))
        >>> with tempfile.TemporaryDirectory() as folder:  # a sum has no templates: there is nothing to search
        ...     os.path.basename(tvmc.tune(model, "llvm", os.path.join(folder, "records.json")))
        'records.json'
    """

def tune_tasks(tasks: Any, measure_option: Any, tuner: Any = ..., n_trial: Any = ..., early_stopping: Any = ..., log_filename: Any = ..., use_transfer_learning: Any = ...) -> Any:
    """Searches configurations of tasks, one task after the other.

    Args:
        tasks: a list of autotvm.task.Task.
        measure_option: what `autotvm.measure_option` gives.
        tuner: "xgb", "ga", "random" or "gridsearch".
        n_trial: candidates for each task, at most.
        early_stopping: end after so many trials without a better one.
        log_filename: the file to which records are appended.
        use_transfer_learning: begin with what the file has.

    Raises:
        TVMCError: `tvmc-tuner`: there is no such tuner.

    Example:
        >>> from lathe import tvmc
        >>> tvmc.tune_tasks([], None)
    """
