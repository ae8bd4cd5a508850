"""The operators whose names begin with "vision."."""

from . import _operators

_operators.install(globals(), "vision.")

from ._composed_proposal import proposal  # noqa: E402,F401
from ._composed_vision import multibox_prior, multibox_transform_loc, yolo_reorg  # noqa: E402,F401
