"""Products of matrices by Intel's Math Kernel Library, called from compiled code.

The library is called through Python: such operations run in the process that compiled them.
"""

from .. import _old_modules
from . import _blas

_NAMES = ("mkl_rt",)
matmul, batch_matmul = _blas.functions_of("mkl", _NAMES)

_old_modules.attend(__name__)
