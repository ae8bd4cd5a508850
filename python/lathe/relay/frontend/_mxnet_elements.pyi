"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.frontend._mxnet_operators import expm1 as expm1
from lathe.relay.frontend._mxnet_operators import log1p as log1p
from lathe.relay.frontend._mxnet_operators import operator as operator
from lathe.relay.frontend._mxnet_operators import shape_of as shape_of
from lathe.relay.frontend._mxnet_operators import softrelu as softrelu
