"""Products of matrices by oneDNN, called from compiled code.

The library is called through Python: such operations run in the process that compiled them.
"""

from .. import _old_modules
from . import _blas

_NAMES = ("dnnl", "mkldnn")
matmul = _blas.functions_of("dnnl", _NAMES)[0]

_old_modules.attend(__name__)
