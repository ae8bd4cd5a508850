"""Written by python/stubs/make_stubs.py."""

from typing import Any, NamedTuple, Sequence

class AOTTestModel(NamedTuple):
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
    output_tolerance: Union
    params: Optional
    name: str
    extra_memory_in_bytes: int

class AOTTestRunner(NamedTuple):
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
    makefile: str
    prologue: str
    epilogue: str
    includes: Sequence
    parameters: Sequence
    pass_config: Mapping

AOT_DEFAULT_RUNNER: Any

def compile_and_run(models: Any, runner: Any = ..., interface_api: Any = ..., use_unpacked_api: Any = ..., debug_calculated_workspaces: Any = ..., workspace_byte_alignment: Any = ..., constant_byte_alignment: Any = ..., enable_op_fusion: Any = ..., data_linkage: Any = ..., use_runtime_executor: Any = ..., target: Any = ..., target_opts: Any = ..., test_dir: Any = ..., verbose: Any = ..., schedule_name: Any = ...) -> Any:
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

def generate_ref_data(mod: Any, input_data: Any, params: Any = ..., target: Any = ...) -> Any:
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
