"""Models of other frameworks as graphs."""

from . import pytorch
from .mxnet import from_mxnet
from .onnx import from_onnx
from .pytorch import from_exported_program, from_pytorch
from .tensorflow import from_tensorflow
from .tflite import from_tflite
