"""Writes models beside inputs and outputs, in the layout of ONNX's backend tests.

FOLDER/NAME/model.onnx and FOLDER/NAME/test_data_set_0/{input,output}_N.pb, which
`//graph/import/onnx:node_suite` runs.
"""

import pathlib

from onnx import TensorProto, numpy_helper


def message(value, info):
    """Returns `value` of the input or output `info` as a message of ONNX."""
    if isinstance(value, TensorProto):
        return value
    if info.type.HasField("sequence_type"):
        return numpy_helper.from_list(value, info.name)
    if info.type.HasField("optional_type"):
        return numpy_helper.from_optional(value, info.name)
    return numpy_helper.from_array(value, info.name)


def write(folder, name, model, inputs, outputs):
    """Writes one case; `inputs` and `outputs` are in the order of the model's."""
    case = pathlib.Path(folder) / name
    data = case / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    (case / "model.onnx").write_bytes(model.SerializeToString())
    for kind, values, infos in (("input", inputs, model.graph.input), ("output", outputs, model.graph.output)):
        for i, (value, info) in enumerate(zip(values, infos)):
            (data / f"{kind}_{i}.pb").write_bytes(message(value, info).SerializeToString())
