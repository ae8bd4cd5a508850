"""Written by python/stubs/make_stubs.py."""

from typing import Any
from . import activations as activations
from . import arithmetic as arithmetic
from . import attention as attention
from . import convolutions as convolutions
from . import create as create
from . import elementwise as elementwise
from . import images as images
from . import indexing as indexing
from . import linear as linear
from . import losses as losses
from . import norms as norms
from . import padding as padding
from . import quantized as quantized
from . import recurrent as recurrent
from . import reductions as reductions
from . import scalars as scalars
from . import scatter as scatter
from . import shapes as shapes
from . import sorting as sorting
