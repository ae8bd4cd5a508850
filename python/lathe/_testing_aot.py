"""Models with the inputs and results that tests compare."""

import types
import typing


class AOTTestModel(typing.NamedTuple):
    """A model with its inputs and the results that are expected of it.

    Attributes:
        module: an IRModule.
        inputs: {name: array}.
        outputs: {name: array} of all results. If the names are those that `generate_ref_data` gives, they
            say which result is meant; other names are in the order of the results.
        output_tolerance: how much results may differ.
        params: {name: array} of weights, or None.
        name: of the model.
        extra_memory_in_bytes: accepted for old programs: memory is planned exactly.

    Example:
        >>> from lathe.testing import aot
        >>> aot.AOTTestModel(None, {}, {}).name
        'default'
    """

    module: object
    inputs: dict
    outputs: dict
    output_tolerance: typing.Union[int, float] = 0
    params: typing.Optional[dict] = None
    name: str = "default"
    extra_memory_in_bytes: int = 0


class AOTTestRunner(typing.NamedTuple):
    """How `compile_and_run` builds.

    Attributes:
        makefile: "default": this machine runs the model. Others name boards, which are not tested so.
        prologue, epilogue, includes, parameters: of a C program around the model; must be empty.
        pass_config: the config of the PassContext.

    Example:
        >>> from lathe.testing import aot
        >>> aot.AOTTestRunner().makefile
        'default'
    """

    makefile: str = "default"
    prologue: str = ""
    epilogue: str = ""
    includes: typing.Sequence = ()
    parameters: typing.Sequence = ()
    pass_config: typing.Mapping = types.MappingProxyType({})


AOT_DEFAULT_RUNNER = AOTTestRunner()


def compile_and_run(models, runner=AOT_DEFAULT_RUNNER, interface_api="c", use_unpacked_api=True,
                    debug_calculated_workspaces=False, workspace_byte_alignment=8, constant_byte_alignment=8,
                    enable_op_fusion=True, data_linkage=None, use_runtime_executor=True, target="llvm",
                    target_opts=None, test_dir=None, verbose=False, schedule_name=None):
    """Compiles models, writes each as a library, loads it, runs it, and compares the results.

    Args:
        models: an AOTTestModel, or a list.
        runner: an AOTTestRunner.
        interface_api, use_unpacked_api, debug_calculated_workspaces, workspace_byte_alignment,
            constant_byte_alignment, data_linkage, use_runtime_executor: accepted for old programs, without
            effect: a compiled model has one calling convention, and plans its memory exactly.
        enable_op_fusion: fuse operators?
        target: the target of this machine: "llvm" or "c" (the same: "c" is compiled as "llvm" here).
        target_opts: {option: value} of the target.
        test_dir: the folder in which the libraries stay; by default a temporary one.
        verbose: print the names of the models.
        schedule_name: must be None.

    Returns:
        True.

    Raises:
        AssertionError: a result differs.
        LatheValueError: `testing-aot`: a runner for a board, or with code of its own; `testing-aot-outputs`:
            the model's outputs are not those that its results need.

    Example:
        >>> import numpy as np, lathe
        >>> from lathe import relay
        >>> from lathe.testing import aot
        >>> x = relay.var("x", shape=(2,))
        >>> mod, inputs = lathe.IRModule.from_expr(relay.Function([x], x + x)), {"x": np.ones(2, "float32")}
        >>> aot.compile_and_run(aot.AOTTestModel(mod, inputs, aot.generate_ref_data(mod, inputs)))
        True
    """
    import os
    import tempfile

    from . import relay
    from .error import LatheValueError
    from .runtime import load_module
    from .transform import PassContext

    own = [name for name in ("prologue", "epilogue", "includes", "parameters") if getattr(runner, name)]
    if runner.makefile != "default" or own or schedule_name is not None:
        raise LatheValueError("models are tested on this machine, without code of the test's own", "testing-aot",
                              f"found: makefile={runner.makefile!r}, {', '.join(own) or 'no code'}\n"
                              "help: lathe/boards has the programs that run models on boards")
    words = ["llvm" if str(target) == "c" else str(target), *(f"-{k}={v}" for k, v in (target_opts or {}).items())]
    disabled = [] if enable_op_fusion else ["FuseOps"]
    for model in models if isinstance(models, list) else [models]:
        if verbose:
            print(model.name)
        with PassContext(opt_level=3, config=dict(runner.pass_config), disabled_pass=disabled):
            made = relay.build(model.module, " ".join(words), params=model.params, mod_name=model.name)
        with tempfile.TemporaryDirectory(prefix="lathe-aot-") as folder:
            path = os.path.join(test_dir or folder, f"{model.name}.so")
            made.export_library(path)
            _compared(load_module(path), model)
    return True


def _compared(library, model):
    import numpy as np

    from .contrib import graph_executor
    from .error import LatheValueError
    from .runtime import cpu

    executor = graph_executor.GraphModule(library[model.name](cpu()))
    executor.run(**dict(model.inputs))
    names = _names(executor.get_num_outputs())
    known = [name for name in model.outputs if name in names]
    if len(model.outputs) != len(names) or known and len(known) != len(names):
        raise LatheValueError(f"the outputs of the model `{model.name}` are not those of its results",
                              "testing-aot-outputs", f"expected: {', '.join(names)}; or as many names of your own\n"
                              f"found: {', '.join(model.outputs) or 'none'}")
    for i, (name, wanted) in enumerate(model.outputs.items()):
        made = executor.get_output(names.index(name) if known else i).numpy()
        np.testing.assert_equal(made.shape, np.shape(wanted), err_msg=f"{model.name}: {name}")
        np.testing.assert_allclose(made, wanted, atol=model.output_tolerance,
                                   rtol=0 if model.output_tolerance else 1e-7, err_msg=f"{model.name}: {name}")


def _names(count):
    """What `generate_ref_data` calls the results of a model."""
    return ["output"] if count == 1 else [f"output{i}" for i in range(count)]


def generate_ref_data(mod, input_data, params=None, target="llvm"):
    """The results of a model, to compare others with.

    Args:
        mod: an IRModule or a relay.Function.
        input_data: {name: array}.
        params: {name: array}: weights.
        target: text or Target of a processor.

    Returns:
        {name: NumPy array}: "output", or "output0", "output1"... for several results.

    Example:
        >>> import numpy as np
        >>> from lathe import relay
        >>> from lathe.testing import aot
        >>> x = relay.var("x", shape=(2,))
        >>> aot.generate_ref_data(relay.Function([x], x + x), {"x": np.ones(2, "float32")})["output"].tolist()
        [2.0, 2.0]
    """
    from . import relay
    from .contrib import graph_executor
    from .runtime import cpu

    executor = graph_executor.GraphModule(relay.build(mod, target, params=params)["default"](cpu()))
    executor.run(**dict(input_data))
    names = _names(executor.get_num_outputs())
    return {name: executor.get_output(i).numpy() for i, name in enumerate(names)}
