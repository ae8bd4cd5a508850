"""From a model file to results in four calls: `load`, `tune`, `compile`, `run`, as TVM's `tvmc`.

    >>> from lathe import tvmc                                     # doctest: +SKIP
    >>> model = tvmc.load("model.onnx")                            # doctest: +SKIP
    >>> package = tvmc.compile(model, target="llvm")               # doctest: +SKIP
    >>> print(tvmc.run(package, device="cpu"))                     # doctest: +SKIP

The command `lathe` does the same from the shell: `lathe import`, `tune`, `compile`, `run`. `python -m
lathe.tvmc compile --target llvm model.onnx` has the options of the command `tvmc`.
"""

import contextlib
import json
import os
import tarfile
import tempfile

from . import nd
from ._tvmc_frontends import (TVMCError, TVMCException, _frontend_of, _path, get_frontend_by_name,  # noqa: F401
                              get_frontend_names, guess_frontend)
from ._irmodule import IRModule
from .runtime import device as _device
from .transform import PassContext

_MODEL, _PACKAGE = "model.json", "package.json"  # in an archive: what says which kind it is


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
        >>> callable(tvmc.load)
        True
    """
    frontend = _frontend_of(_path(path), model_format)
    return TVMCModel(*frontend.load(path, shape_dict, **kwargs))


load_model = load  # as the old module tvmc.frontends names it


class TVMCModel:
    """A model: its module and its parameters.

    Args:
        mod: an IRModule.
        params: {name: Tensor or array}.
        model_path: instead of both, a file that `save` wrote.

    Example:
        >>> from lathe import IRModule, relay, tvmc
        >>> x = relay.var("x", shape=(2,))
        >>> model = tvmc.TVMCModel(IRModule.from_expr(relay.Function([x], x + x)))
        >>> model.name, model.params
        ('default', {})
    """

    def __init__(self, mod=None, params=None, model_path=None):
        self.name = "default"
        if (mod is None) == (model_path is None):
            raise TVMCError("a model is either a module or a file", "tvmc-archive",
                                f"found: mod={mod!r}, model_path={model_path!r}")
        if model_path is not None:
            self.load(model_path)
        else:
            self.mod, self.params = mod, dict(params or {})

    def save(self, model_path):
        """Writes an archive (.tar) with module and parameters."""
        from .ir import save_json
        from .runtime import save_param_dict

        _write(model_path, {_MODEL: save_json(self.mod).encode(), "model.params": bytes(save_param_dict(self.params))})

    def load(self, model_path):
        """Reads what `save` wrote."""
        from .ir import load_json
        from .runtime import load_param_dict

        with _archive(model_path, _MODEL) as read:
            self.mod = load_json(read(_MODEL).decode())
            self.params = load_param_dict(read("model.params"))

    def summary(self, file=None):
        """Prints the module."""
        print(self.mod, file=file)

    def default_tuning_records_path(self):
        """Where `tune` writes if nothing else is said: in the folder of temporary files."""
        return os.path.join(tempfile.gettempdir(), "lathe-tvmc-records.json")

    def export_package(self, executor_factory, package_path=None, cross=None, cross_options=None,
                       output_format="so"):
        """Writes a package of what `relay.build` gave.

        Args:
            executor_factory: the result of `relay.build`.
            package_path: the archive (.tar); by default a new one among the temporary files.
            cross: a compiler that links the library.
            cross_options: its options, a text.
            output_format: "so", or "tar" for an archive of objects.

        Returns:
            The path.
        """
        if package_path is None:
            handle, package_path = tempfile.mkstemp(suffix=".tar", prefix="lathe-tvmc-")
            os.close(handle)
        with tempfile.TemporaryDirectory(prefix="lathe-tvmc-") as folder:
            library = os.path.join(folder, "mod." + output_format)
            if cross is None:
                executor_factory.export_library(library)
            else:
                from .contrib import cc

                executor_factory.export_library(
                    library, cc.cross_compiler(cross, options=(cross_options or "").split()))
            with open(library, "rb") as file:
                content = file.read()
        about = {"library": "mod." + output_format, "name": executor_factory.libmod_name}
        _write(package_path, {_PACKAGE: json.dumps(about).encode(), about["library"]: content})
        return _path(package_path)


class TVMCPackage:
    """A compiled model in an archive.

    Args:
        package_path: what `compile` wrote.
        project_dir: not supported: projects are microTVM's.

    Attributes:
        lib_path: the library, in a folder that lives as long as this object.
        name: of the graph in the library.

    Example:
        >>> from lathe import IRModule, relay, tvmc
        >>> x = relay.var("x", shape=(2,))
        >>> package = tvmc.compile(tvmc.TVMCModel(IRModule.from_expr(relay.Function([x], x + x))), "llvm")
        >>> package.lib_name
        'mod.so'
    """

    def __init__(self, package_path, project_dir=None):
        if project_dir is not None:
            raise TVMCError("projects of microTVM are not supported", "tvmc-archive", f"found: {project_dir}")
        self.package_path, self._folder = _path(package_path), tempfile.TemporaryDirectory(prefix="lathe-tvmc-")
        with _archive(package_path, _PACKAGE) as read:
            about = json.loads(read(_PACKAGE))
            self.lib_name, self.name = os.path.basename(about["library"]), about["name"]
            self.lib_path = os.path.join(self._folder.name, self.lib_name)
            with open(self.lib_path, "wb") as file:
                file.write(read(about["library"]))


class TVMCResult:
    """What a run gave.

    Attributes:
        outputs: {"output_0": array, ...}.
        times: a runtime.BenchmarkResult.

    Example:
        >>> from lathe import tvmc
        >>> tvmc.TVMCResult({"output_0": [1.0]}, None).get_output("output_0")
        [1.0]
    """

    def __init__(self, outputs, times):
        self.outputs, self.times = outputs, times

    def format_times(self):
        """Mean, median, largest and least time as a text."""
        return str(self.times)

    def get_output(self, name):
        """A result by its name."""
        return self.outputs[name]

    def save(self, output_path):
        """Writes the results as .npz."""
        import numpy as np

        np.savez(output_path, **self.outputs)

    def __str__(self):
        shapes = ", ".join(f"'{name}': {getattr(array, 'shape', ())}" for name, array in self.outputs.items())
        return f"{self.format_times()}\nOutput Names:\n  {shapes}"


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


def run(tvmc_package, device, hostname=None, port=9090, rpc_key=None, inputs=None, fill_mode="random",
        repeat=10, number=10, profile=False, end_to_end=False):
    """Runs a package.

    Args:
        tvmc_package: a TVMCPackage.
        device: "cpu", "cl", "cuda"...
        hostname, port: of a server, or of a tracker with `rpc_key`; by default this machine runs it.
        rpc_key: what the tracker shall lend.
        inputs: {name: array}; the others are made.
        fill_mode: "random", "zeros" or "ones": inputs that are made.
        repeat, number: how often the time of how many runs is taken.
        profile: print the time of each kernel, too.
        end_to_end: also measure setting the inputs and reading the outputs.

    Returns:
        A TVMCResult.

    Raises:
        TVMCError: `tvmc-inputs`: `fill_mode` is unknown, or an input has a size that is not known.

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
        if hostname is None:
            from .runtime import load_module

            library, where = load_module(tvmc_package.lib_path), _device(device, 0)
        else:
            from . import rpc

            session = rpc.connect(hostname, port) if rpc_key is None else \
                rpc.connect_tracker(hostname, port).request(rpc_key)
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
         rpc_key=None, hostname=None, port=9090, trials=10000, target_host=None, tuner="xgb",
         early_stopping=None, desired_layout=None, timeout=10, repeat=1, number=10, min_repeat_ms=0,
         include_simple_tasks=False):
    """Searches schedules for the kernels of a model.

    Args:
        tvmc_model: a TVMCModel.
        target, target_host: as for `relay.build`.
        tuning_records: the file of the records, to which is appended.
        prior_records: a file of an earlier search, which this one begins with.
        enable_autoscheduler: search without templates (`lathe.auto_scheduler`).
        hostname, port, rpc_key: of a tracker, which lends devices; by default this machine measures.
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
        TVMCError: `tvmc-tuner`: there is no such tuner.

    Example:
        >>> from lathe import tvmc
        >>> callable(tvmc.tune)
        True
    """
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


def _write(path, files):
    """Writes an archive of {name: bytes}."""
    import io

    with tarfile.open(_path(path), "w") as archive:
        for name, content in files.items():
            about = tarfile.TarInfo(name)
            about.size = len(content)
            archive.addfile(about, io.BytesIO(content))


@contextlib.contextmanager
def _archive(path, kind):
    """A function: name -> bytes of that file in an archive, which must have the file `kind`."""
    try:
        with tarfile.open(_path(path)) as archive:
            names = archive.getnames()
            if kind not in names:
                raise TVMCError(f"`{path}` has no {kind}", "tvmc-archive",
                                    f"expected: what {'TVMCModel.save' if kind == _MODEL else 'tvmc.compile'} wrote\n"
                                    f"found: {', '.join(names) or 'nothing'}")
            yield lambda name: archive.extractfile(name).read()
    except (OSError, tarfile.TarError) as error:
        raise TVMCError(f"`{path}` cannot be read: {error}", "tvmc-archive", "expected: an archive (.tar)") from error


if __name__ == "__main__":
    from lathe._tvmc_command import main

    main()
