"""The conversions of operators, one file for each family: importing them fills the table."""

from . import (activations, arithmetic, attention, convolutions, create, elementwise, images,
               indexing, linear, losses, norms, padding, quantized, recurrent, reductions, scalars,
               scatter, shapes, sorting)
