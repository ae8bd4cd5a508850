"""From a model file to results in four calls: `load`, `tune`, `compile`, `run`, as TVM's `tvmc`.

    >>> from lathe import tvmc                                     # doctest: +SKIP
    >>> model = tvmc.load("model.onnx")                            # doctest: +SKIP
    >>> package = tvmc.compile(model, target="llvm")               # doctest: +SKIP
    >>> print(tvmc.run(package, device="cpu"))                     # doctest: +SKIP

The command `lathe` does the same from the shell: `lathe import`, `tune`, `compile`, `run`. `python -m
lathe.tvmc compile --target llvm model.onnx` has the options of the command `tvmc`.
"""

import contextlib
import os
import warnings

from . import nd
from ._tvmc_frontends import (TVMCError, TVMCException, _frontend_of, _path, get_frontend_by_name,  # noqa: F401
                              get_frontend_names, guess_frontend)
from ._tvmc_model import TVMCModel, TVMCPackage, TVMCResult
from .runtime import device as _device
from .transform import PassContext

_TRACKER_PORT, _SERVER_PORT = 9190, 9090  # where they listen unless they are told otherwise


def load(path, model_format=None, shape_dict=None, **kwargs):
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
    frontend = _frontend_of(_path(path), model_format)
    return TVMCModel(*frontend.load(path, shape_dict, **kwargs))


load_model = load  # as the old module tvmc.frontends names it


def compile(tvmc_model, target, tuning_records=None, package_path=None, cross=None,  # noqa: A001
            cross_options=None, output_format="so", dump_code=None, target_host=None, desired_layout=None,
            disabled_pass=None, pass_context_configs=None, opt_level=3, mod_name="default"):
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
    from . import relay

    module = tvmc_model.mod
    if desired_layout is not None:
        module = convert_graph_layout(module, desired_layout)
    if isinstance(disabled_pass, str):
        disabled_pass = [name for name in disabled_pass.split(",") if name]
    context = PassContext(opt_level=opt_level, disabled_pass=list(disabled_pass or []),
                          config=dict(pass_context_configs or {}))
    with _history(tuning_records), context:
        made = relay.build(module, target, target_host, params=tvmc_model.params, mod_name=mod_name)
    path = tvmc_model.export_package(made, package_path, cross, cross_options, output_format)
    for form in [dump_code] if isinstance(dump_code, str) else dump_code or []:
        with open(f"{path}.{form}", "w", encoding="utf-8") as file:
            file.write(str(module) if form == "relay" else made.get_lib().get_source(form))
    return TVMCPackage(path)


def convert_graph_layout(mod, desired_layout):
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
    from . import relay

    wanted = {"nn.conv2d": [desired_layout, "default"], "nn.conv2d_transpose": [desired_layout, "default"],
              "qnn.conv2d": [desired_layout, "default"]}
    return relay.transform.ConvertLayout(wanted)(mod)


def run(tvmc_package, device, hostname=None, port=None, rpc_key=None, inputs=None, fill_mode="random",
        repeat=10, number=10, profile=False, end_to_end=False):
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
    from .contrib import graph_executor
    from .contrib.debugger import debug_executor

    with contextlib.ExitStack() as later:
        if rpc_key is not None:
            _check_tracker(hostname, rpc_key)
        if hostname is None:
            from .runtime import load_module

            library, where = load_module(tvmc_package.lib_path), _device(device, 0)
        else:
            from . import rpc

            session = rpc.connect(hostname, port or _SERVER_PORT) if rpc_key is None else \
                rpc.connect_tracker(hostname, port or _TRACKER_PORT).request(rpc_key)
            later.enter_context(session)
            session.upload(tvmc_package.lib_path)
            library, where = session.load_module(tvmc_package.lib_name), session.device(device, 0)
        executor = graph_executor.GraphModule(library[tvmc_package.name](where))
        given = _inputs(executor, inputs or {}, fill_mode)
        executor.run(**given)
        outputs = {f"output_{i}": executor.get_output(i).numpy() for i in range(executor.get_num_outputs())}
        if profile:
            print(debug_executor.GraphModuleDebug(library[tvmc_package.name](where)).profile(**given))
        times = executor.benchmark(where, number=number, repeat=repeat, end_to_end=end_to_end, **given)
    return TVMCResult(outputs, times)


def _check_tracker(hostname, rpc_key):
    if (hostname is None) != (rpc_key is None):
        raise TVMCError("a tracker lends devices by their key", "tvmc-tracker",
                        "expected: both `hostname`, of the tracker, and `rpc_key`\n"
                        f"found: hostname={hostname!r}, rpc_key={rpc_key!r}\n"
                        "help: give both (--rpc-tracker and --rpc-key), or none for this machine")


def _inputs(executor, given, fill_mode):
    import numpy as np

    if fill_mode not in ("random", "zeros", "ones"):
        raise TVMCError(f"inputs cannot be filled by `{fill_mode}`", "tvmc-inputs",
                        'expected: "random", "zeros" or "ones"')
    shapes, types = executor.get_input_info()
    made, random = dict(given), np.random.default_rng(0)
    for name in shapes:
        if name in made:
            continue
        shape, dtype = tuple(shapes[name]), types[name]
        if any(not isinstance(extent, int) or extent < 0 for extent in shape):
            raise TVMCError(f"input `{name}` has a size that is not known", "tvmc-inputs",
                            f"found: {shape}\nhelp: inputs={{{name!r}: array}}")
        if fill_mode == "random":
            data = random.random(shape) if "float" in dtype else random.integers(0, 2, shape)
        else:
            data = np.full(shape, int(fill_mode == "ones"))
        made[name] = nd.array(data, dtype=dtype)
    return made


def tune(tvmc_model, target, tuning_records=None, prior_records=None, enable_autoscheduler=False,
         rpc_key=None, hostname=None, port=None, trials=10000, target_host=None, tuner="xgb",
         early_stopping=None, desired_layout=None, timeout=10, repeat=1, number=10, min_repeat_ms=0,
         include_simple_tasks=False):
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
    _check_tracker(hostname, rpc_key)
    port = port or _TRACKER_PORT
    module = tvmc_model.mod if desired_layout is None else convert_graph_layout(tvmc_model.mod, desired_layout)
    records = _path(tuning_records or tvmc_model.default_tuning_records_path())
    measured = dict(number=number, repeat=repeat, min_repeat_ms=min_repeat_ms, timeout=timeout)
    if enable_autoscheduler:
        from . import auto_scheduler

        tasks, weights = auto_scheduler.extract_tasks(module["main"], tvmc_model.params, target, target_host,
                                                      include_simple_tasks=include_simple_tasks)
        runner = auto_scheduler.LocalRunner(**measured) if rpc_key is None else \
            auto_scheduler.RPCRunner(rpc_key, hostname, port, **measured)
        scheduler = auto_scheduler.TaskScheduler(tasks, weights, load_log_file=prior_records)
        scheduler.tune(auto_scheduler.TuningOptions(
            num_measure_trials=trials, early_stopping=early_stopping, runner=runner,
            measure_callbacks=[auto_scheduler.RecordToFile(records)]))
        return records
    from . import autotvm

    runner = autotvm.LocalRunner(**measured) if rpc_key is None else \
        autotvm.RPCRunner(rpc_key, hostname, port, **measured)
    tasks = autotvm.task.extract_from_program(module["main"], tvmc_model.params, target=target, target_host=target_host)
    if not tasks:
        warnings.warn("no kernel of this model leaves a choice to its template, so nothing is measured; "
                      "enable_autoscheduler=True (--enable-autoscheduler) searches schedules without templates",
                      stacklevel=2)
        with open(records, "a", encoding="utf-8"):  # `compile` takes a file without records
            pass
    _tune_tasks(tasks, autotvm.measure_option(builder=autotvm.LocalBuilder(), runner=runner), tuner, trials,
                early_stopping, records, prior_records)
    return records


def tune_tasks(tasks, measure_option, tuner="xgb", n_trial=1000, early_stopping=None, log_filename="tuning.log",
               use_transfer_learning=True):
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
    prior = log_filename if use_transfer_learning and os.path.exists(log_filename) else None
    _tune_tasks(tasks, measure_option, tuner, n_trial, early_stopping, _path(log_filename), prior)


def _tune_tasks(tasks, option, tuner, trials, early_stopping, records, prior):
    from . import autotvm

    tuners = {"xgb": autotvm.tuner.XGBTuner, "ga": autotvm.tuner.GATuner, "random": autotvm.tuner.RandomTuner,
              "gridsearch": autotvm.tuner.GridSearchTuner}
    if tuner not in tuners:
        raise TVMCError(f"there is no tuner `{tuner}`", "tvmc-tuner", "expected: " + ", ".join(tuners))
    for task in tasks:
        search = tuners[tuner](task)
        if prior is not None:
            search.load_history(autotvm.record.load_from_file(prior))
        search.tune(min(trials, len(task.config_space)), option, early_stopping,
                    callbacks=[autotvm.callback.log_to_file(records)])


def _history(records):
    """A context in which builds use the records of a file, of either search."""
    if records is None:
        return contextlib.nullcontext()
    records = _path(records)
    if not os.path.exists(records):
        raise TVMCError(f"there are no records: {records}", "tvmc-records", "expected: a file that `tune` wrote")
    from . import auto_scheduler, autotvm

    with open(records, encoding="utf-8") as file:
        of_templates = '"config"' in file.readline()
    return autotvm.apply_history_best(records) if of_templates else auto_scheduler.ApplyHistoryBest(records)


if __name__ == "__main__":
    from lathe._tvmc_command import main

    main()

from . import _old_modules  # noqa: E402

_old_modules.attend(__name__)
