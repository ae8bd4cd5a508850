"""Models with the inputs and results that tests compare."""

import typing


class AOTTestModel(typing.NamedTuple):
    """A model with its inputs and the results that are expected of it.

    Attributes:
        module: an IRModule.
        inputs: {name: array}.
        outputs: {name: array}, such as `generate_ref_data` gives.
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
    count = executor.get_num_outputs()
    names = ["output"] if count == 1 else [f"output{i}" for i in range(count)]
    return {name: executor.get_output(i).numpy() for i, name in enumerate(names)}
