"""Functions of TensorFlow as frozen graphs, and what Lathe makes of them. Beside the tests."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

import lathe
from lathe import relay
from lathe.contrib import graph_executor

RANDOM = np.random.default_rng(1)


def run(mod, params, level, inputs):
    with lathe.transform.PassContext(opt_level=level):
        lib = relay.build(mod, "llvm", params=params)
    m = graph_executor.GraphModule(lib["default"](lathe.cpu()))
    m.run(**inputs)
    return [m.get_output(i).numpy() for i in range(m.get_num_outputs())]


def freeze(function, specs):
    """A concrete function whose variables are constants, as docs/tensorflow.md says."""
    with context.function_executor_type("SINGLE_THREADED_EXECUTOR"):  # keeps Case
        call = tf.function(function).get_concrete_function(*specs)
    return convert_variables_to_constants_v2(call, lower_control_flow=False)


def compare(frozen, inputs, rtol=1e-4, atol=3e-5):
    """`inputs`: an array for each of the function's."""
    mod, params = relay.frontend.from_tensorflow(frozen.graph.as_graph_def(),
                                                 outputs=[t.name for t in frozen.outputs])
    expected = frozen(*(tf.constant(one) for one in inputs))
    expected = expected if isinstance(expected, (list, tuple)) else [expected]
    named = {t.name.split(":")[0]: one for t, one in zip(frozen.inputs, inputs)}
    for level in (0, 3):
        found = run(mod, params, level, named)
        assert len(found) == len(expected)
        for a, b in zip(found, expected):
            assert a.dtype == b.numpy().dtype
            np.testing.assert_allclose(a, b.numpy(), rtol=rtol, atol=atol)
