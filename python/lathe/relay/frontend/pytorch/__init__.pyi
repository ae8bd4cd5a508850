"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._irmodule import IRModule as IRModule
from lathe.error import LatheTypeError as LatheTypeError

def from_exported_program(exported_program: Any, input_infos: Any = ..., custom_convert_map: Any = ..., use_parser_friendly_name: Any = ...) -> Any:
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

def from_pytorch(script_module: Any, input_infos: Any, custom_convert_map: Any = ..., default_dtype: Any = ..., use_parser_friendly_name: Any = ..., keep_quantized_weight: Any = ...) -> Any:
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

def supported_operators() -> Any:
    """The names of PyTorch's operators that have a conversion of their own.

    Example:
        >>> from lathe import relay
        >>> "conv2d" in relay.frontend.pytorch.supported_operators()
        True
    """
