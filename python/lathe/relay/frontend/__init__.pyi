"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.frontend.pytorch import from_exported_program as from_exported_program
from lathe.relay.frontend.mxnet import from_mxnet as from_mxnet
from lathe.relay.frontend.onnx import from_onnx as from_onnx
from lathe.relay.frontend.pytorch import from_pytorch as from_pytorch
from lathe.relay.frontend.tensorflow import from_tensorflow as from_tensorflow
from lathe.relay.frontend.tflite import from_tflite as from_tflite
from . import mxnet as mxnet
from . import onnx as onnx
from . import pytorch as pytorch
from . import tensorflow as tensorflow
from . import tflite as tflite
