"""Products of matrices by a library with the C interface of BLAS (OpenBLAS, BLIS, MKL), called from compiled code.

The library is called through Python: such operations run in the process that compiled them.
"""

from . import _blas

_NAMES = ("openblas", "blis", "cblas", "mkl_rt")
matmul, batch_matmul = _blas.functions_of("cblas", _NAMES)
