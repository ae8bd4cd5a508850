"""A network of PyTorch that is exported and compared: what torch_pictures.py and torch_sequences.py are made of."""

import dataclasses

import torch.nn as nn


@dataclasses.dataclass
class Network:
    module: nn.Module
    inputs: tuple  # for the export
    open: dict = dataclasses.field(default_factory=dict)  # names of sizes that stay open, by input and axis
    seen: tuple = ()  # inputs of other sizes, to compare; else those of the export
    exporters: tuple = (False, True)  # that can export it: without and with Dynamo
