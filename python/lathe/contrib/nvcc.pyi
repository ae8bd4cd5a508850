"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheOSError as LatheOSError
from lathe.error import LatheValueError as LatheValueError
from lathe.target import Target as Target

def compile_cuda(code: Any, target_format: Any = ..., arch: Any = ..., options: Any = ..., path_target: Any = ...) -> Any:
    """Compiles CUDA C++ with the program nvcc.

    Args:
        code: the source.
        target_format: "ptx", "cubin" or "fatbin".
        arch: such as "sm_80", or a list of nvcc's arguments; by default that of the current target or device.
        options: further arguments: a str or a list.
        path_target: also write the result to this file.

    Returns:
        The result as a bytearray.

    Raises:
        LatheError: `cuda-format`; `compiler-missing`; `compiler-failed`, with nvcc's message.

    Example:
        >>> from lathe.contrib import nvcc
        >>> nvcc.compile_cuda("", target_format="elf")
        Traceback (most recent call last):
        ...
        lathe.error.LatheValueError: nvcc makes no `elf` [cuda-format]
        ...
    """

def find_cuda_path() -> Any:
    """The folder of the CUDA toolkit: $CUDA_PATH, else that of the program nvcc on the PATH, else $CUDA_HOME.

    Raises:
        LatheError: `compiler-missing`.

    Example:
        >>> import os
        >>> from unittest import mock
        >>> from lathe.contrib import nvcc
        >>> with mock.patch.dict(os.environ, CUDA_PATH="/opt/cuda"):
        ...     nvcc.find_cuda_path()
        '/opt/cuda'
    """

def get_cuda_version(cuda_path: Any = ...) -> Any:
    """The version of the program nvcc as a float: 11.4.

    Args:
        cuda_path: the folder of a toolkit; by default that of `find_cuda_path`.

    Raises:
        LatheError: `compiler-missing`.

    Example:
        >>> from lathe.contrib import nvcc
        >>> nvcc.get_cuda_version("/no/such/folder")
        Traceback (most recent call last):
        ...
        lathe.error.LatheOSError: the compiler nvcc was not found [compiler-missing]
        ...
    """

def get_target_compute_version(target: Any = ...) -> Any:
    """The compute capability ("8.0") of a target's architecture, else of the first GPU.

    Args:
        target: a Target or text; the current one by default.

    Raises:
        LatheError: `cuda-compute-version`: the target names no architecture, and there is no GPU.

    Example:
        >>> from lathe.contrib import nvcc
        >>> nvcc.get_target_compute_version("cuda -arch=sm_86")
        '8.6'
    """

def have_bf16(compute_version: Any) -> Any:
    """Does arithmetic of bfloat16 exist from this compute capability on?

    Example:
        >>> from lathe.contrib import nvcc
        >>> nvcc.have_bf16("8.0"), nvcc.have_bf16("7.5")
        (True, False)
    """

def have_fp16(compute_version: Any) -> Any:
    """Does arithmetic of float16 exist from this compute capability on?

    Example:
        >>> from lathe.contrib import nvcc
        >>> nvcc.have_fp16("5.3"), nvcc.have_fp16("5.2")
        (True, False)
    """

def have_int8(compute_version: Any) -> Any:
    """Do dot products of four int8 exist from this compute capability on?

    Example:
        >>> from lathe.contrib import nvcc
        >>> nvcc.have_int8("6.1"), nvcc.have_int8("6.0")
        (True, False)
    """

def have_tensorcore(compute_version: Any = ..., target: Any = ...) -> Any:
    """Are there tensor cores? False if nothing says which GPU it is.

    Args:
        compute_version: such as "7.5"; by default that of `target`, else of the first GPU.
        target: a Target or text.

    Example:
        >>> from lathe.contrib import nvcc
        >>> nvcc.have_tensorcore("7.0"), nvcc.have_tensorcore(target="cuda -arch=sm_61")
        (True, False)
    """

def parse_compute_version(compute_version: Any) -> Any:
    """(major, minor) of a compute capability such as "8.6".

    Raises:
        LatheError: `cuda-compute-version`: the text has another form.

    Example:
        >>> from lathe.contrib import nvcc
        >>> nvcc.parse_compute_version("8.6")
        (8, 6)
    """
