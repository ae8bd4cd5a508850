"""Models of PyTorch: traces, scripts and exported programs.

`_script.py` and `_fx.py` read graphs node by node; the files of `_operators` have the conversions
of operators, one for each family. PyTorch is imported when it is needed.
"""

from ...._irmodule import IRModule
from ....error import LatheTypeError
from . import _registry, _values
from . import _operators  # noqa: F401


def from_pytorch(script_module, input_infos, custom_convert_map=None, default_dtype="float32",
                 use_parser_friendly_name=False, keep_quantized_weight=False):
    """A module whose function `main` is a model of PyTorch.

    Operators without a conversion are decomposed by PyTorch itself where it can. What assertions of
    a script check is not checked.

    Args:
        script_module: what torch.jit.trace, torch.jit.script or torch.jit.load gives; or a
            torch.export.ExportedProgram, for which `from_exported_program` has more.
        input_infos: [(name, shape)] of the inputs, in the order of the model; or with an element
            type, (name, (shape, "int64")). An extent is an int, a str that names a size which each
            run chooses, or relay.Any().
        custom_convert_map: {"aten::relu": function(inputs, input_types) -> expression}. Inputs are
            expressions, numbers, lists; input_types are the names of their element types.
        default_dtype: the element type of inputs for which neither input_infos nor the trace says
            one.
        use_parser_friendly_name: are dots and colons of names replaced by underscores?
        keep_quantized_weight: accepted as TVM does; weights of quantized layers stay quantized.

    Returns:
        (mod, params): an IRModule, and {name: Tensor} of the weights, by their names in the model.

    Raises:
        LatheError: `pytorch-unsupported`: all operators that cannot be imported, with counts;
            `pytorch-inputs`, `pytorch-module-type`, `pytorch-value-needed`, ...: docs/errors.md.
            A node is named.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> try:
        ...     relay.frontend.from_pytorch("no model", [("x", (1, 3))])
        ... except lathe.LatheError as error:
        ...     print(error.name)
        pytorch-module-type
    """
    from ._script import ScriptImporter, read_infos

    if type(script_module).__name__ == "ExportedProgram":
        return from_exported_program(script_module, input_infos, custom_convert_map,
                                     use_parser_friendly_name)
    graph = getattr(script_module, "inlined_graph", None)
    if graph is None:
        raise LatheTypeError("the model is not traced", "pytorch-module-type",
                             f"found: {type(script_module).__name__}\n"
                             "help: torch.jit.trace(model.eval(), example), or "
                             "torch.export.export(model.eval(), (example,))")
    if getattr(script_module, "training", False) and hasattr(script_module, "modules"):
        _warn_of_training(script_module)
    infos = read_infos(input_infos)
    module = script_module if hasattr(script_module, "named_parameters") else None
    importer = ScriptImporter(module, custom_convert_map, use_parser_friendly_name)
    torch = _values.torch()
    graph = graph.copy()
    torch._C._jit_pass_inline(graph)
    function = importer.run(graph, infos, str(default_dtype))
    return IRModule.from_expr(function), importer.params


def _warn_of_training(module):
    import warnings

    kinds = {getattr(one, "original_name", type(one).__name__) for one in module.modules()}
    if not any(kind.startswith(("Dropout", "BatchNorm")) for kind in kinds):
        return
    warnings.warn("the model is in training: call model.eval() before it is traced", UserWarning,
                  stacklevel=3)


def from_exported_program(exported_program, input_infos=None, custom_convert_map=None,
                          use_parser_friendly_name=False):
    """A module whose function `main` is a program of torch.export.

    Args:
        exported_program: a torch.export.ExportedProgram. Its dynamic extents are sizes that each
            run chooses.
        input_infos: [(name, shape)], names for the inputs; by default they have the program's.
        custom_convert_map, use_parser_friendly_name: as for `from_pytorch`.

    Returns:
        (mod, params), as `from_pytorch`.

    Raises:
        LatheError: as `from_pytorch`; `pytorch-state`: the program changes its buffers.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> try:
        ...     relay.frontend.from_exported_program(3)
        ... except lathe.LatheError as error:
        ...     print(error.name)
        pytorch-module-type
    """
    from . import _fx
    from ._script import read_infos

    if not hasattr(exported_program, "graph_signature"):
        raise LatheTypeError("this is no exported program", "pytorch-module-type",
                             f"found: {type(exported_program).__name__}\n"
                             "help: torch.export.export(model.eval(), (example,))")
    infos = None if input_infos is None else read_infos(input_infos)
    importer, function = _fx.from_exported(exported_program, infos, custom_convert_map,
                                           use_parser_friendly_name)
    return IRModule.from_expr(function), importer.params


def supported_operators():
    """The names of PyTorch's operators that have a conversion of their own.

    Example:
        >>> from lathe import relay
        >>> "conv2d" in relay.frontend.pytorch.supported_operators()
        True
    """
    return sorted(_registry.OPERATORS)
