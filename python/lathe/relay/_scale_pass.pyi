"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.dataflow_pattern._rewriter import DFPatternCallback as DFPatternCallback
from lathe.relay.dataflow_pattern._sugar import is_constant as is_constant
from lathe.relay.dataflow_pattern._sugar import is_op as is_op
from lathe.relay.dataflow_pattern._sugar import wildcard as wildcard

class Forward(DFPatternCallback):
    """conv2d(x * s, w) --> conv2d(x, w * s), for a constant s with a factor for each channel.

    The same for nn.dense. Padding stays right: it is 0 on both sides.
    """
    def callback(self, pre: Any, post: Any, node_map: Any) -> Any: ...
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...
