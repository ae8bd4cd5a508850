"""Lesson 18: models of TensorFlow: frozen graphs and TFLite files.

Run it: python lesson_18_tensorflow.py [model.tflite] [frozen.pb]   (after: pip install lathe-*.whl numpy)
Without files it makes a small model with TensorFlow; where that is not installed it says so, and does
nothing. Lathe itself needs no other package to read the files.
"""

import pathlib
import sys
import tempfile

import numpy as np

import lathe
from lathe import relay
from lathe.contrib import graph_executor


def small_model(folder):
    """A convolution and a dense layer: as a TFLite file, and as a frozen graph."""
    import tensorflow as tf
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    model = tf.keras.Sequential([
        tf.keras.layers.Input((8, 8, 3)), tf.keras.layers.Conv2D(4, 3, activation="relu"),
        tf.keras.layers.Flatten(), tf.keras.layers.Dense(5, activation="softmax")])
    (folder / "small.tflite").write_bytes(tf.lite.TFLiteConverter.from_keras_model(model).convert())
    call = tf.function(model).get_concrete_function(tf.TensorSpec([None, 8, 8, 3], tf.float32))
    frozen = convert_variables_to_constants_v2(call, lower_control_flow=False)
    tf.io.write_graph(frozen.graph, str(folder), "small.pb", as_text=False)
    return folder / "small.tflite", folder / "small.pb"


files = [pathlib.Path(name) for name in sys.argv[1:]]
if not files:
    try:
        files = list(small_model(pathlib.Path(tempfile.mkdtemp())))
    except ImportError:
        print("skipped: no file is given, and TensorFlow is not installed")
        sys.exit(0)


# 1. Import. Images stay in TensorFlow's order, NHWC. Extents that a graph leaves open are sizes that
#    each run chooses; those of a TFLite file are fixed, if no shape is given here.
def imported(path):
    if path.suffix == ".pb":
        return relay.frontend.from_tensorflow(path)
    return relay.frontend.from_tflite(path)


# 2. Compile, and run with random values.
def run(mod, params, opt_level, size=2):
    with lathe.transform.PassContext(opt_level=opt_level):
        lib = relay.build(mod, target="llvm", params=params)
    m = graph_executor.GraphModule(lib["default"](lathe.cpu()))
    rng = np.random.default_rng(7)
    for p in mod["main"].params:
        if p.name_hint in params:
            continue
        kind = p.checked_type
        shape = [getattr(e, "value", size) for e in kind.shape]
        values = rng.standard_normal(shape) if "float" in kind.dtype else rng.integers(0, 100, shape)
        m.set_input(p.name_hint, values.astype(kind.dtype))
    m.run()
    return [m.get_output(i).numpy() for i in range(m.get_num_outputs())]


for path in files:
    mod, params = imported(path)
    print(f"{path.name}: {mod['main'].checked_type}, {len(params)} weights")
    for fast, plain in zip(run(mod, params, 3), run(mod, params, 0)):
        if fast.dtype.kind == "f":
            np.testing.assert_allclose(fast, plain, rtol=1e-4, atol=1e-5)
        else:
            np.testing.assert_array_equal(fast, plain)  # quantised: bit for bit

# 3. From the shell:
#      lathe run model.tflite --input picture=cat.png --top 5 --labels labels.txt
#      lathe compile frozen.pb -o model.so
print("ok")
