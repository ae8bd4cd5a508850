"""Questions about NVIDIA's compiler and GPUs, as programs for TVM ask them.

Lathe compiles kernels with NVIDIA's compiler as a library (`lathe.build(..., "cuda")`); only `compile_cuda` here calls
the program nvcc.
"""

import os
import re
import shutil
import subprocess
import tempfile

from ..error import LatheOSError, LatheValueError
from ..target import Target


def compile_cuda(code, target_format="ptx", arch=None, options=None, path_target=None):
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
    if target_format not in ("ptx", "cubin", "fatbin"):
        raise LatheValueError(f"nvcc makes no `{target_format}`", "cuda-format",
                              "expected: `ptx`, `cubin` or `fatbin`")
    program = _nvcc()
    if arch is None:
        arch = "sm_" + get_target_compute_version(Target.current()).replace(".", "")
    chosen = list(arch) if isinstance(arch, (list, tuple)) else ["-arch", arch]
    more = [options] if isinstance(options, str) else list(options or [])
    with tempfile.TemporaryDirectory(prefix="lathe-nvcc-") as folder:
        source, made = os.path.join(folder, "code.cu"), os.path.join(folder, "code." + target_format)
        with open(source, "w", encoding="utf-8") as f:
            f.write(code)
        done = subprocess.run([program, f"--{target_format}", "-O3", *chosen, *more, "-o", made, source],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise LatheOSError("the compiler `nvcc` failed", "compiler-failed", (done.stderr or done.stdout)[-4000:])
        with open(made, "rb") as f:
            data = bytearray(f.read())
    if path_target:
        with open(path_target, "wb") as f:
            f.write(data)
    return data


def _nvcc():
    folders = [os.environ[name] for name in ("CUDA_PATH", "CUDA_HOME") if os.environ.get(name)]
    named = [os.path.join(folder, "bin", "nvcc") for folder in folders]
    found = shutil.which("nvcc") or next(filter(os.path.isfile, named), None)
    if found is None:
        raise LatheOSError("the compiler nvcc was not found", "compiler-missing",
                           "expected: on the PATH, or in $CUDA_PATH/bin or $CUDA_HOME/bin\n"
                           "help: lathe.build for \"cuda\" needs no nvcc")
    return found


def find_cuda_path():
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
    named = os.environ.get("CUDA_PATH")
    return named if named else os.path.dirname(os.path.dirname(_nvcc()))


def get_cuda_version(cuda_path=None):
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
    program = os.path.join(cuda_path, "bin", "nvcc") if cuda_path else _nvcc()
    try:
        text = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    except OSError as error:
        raise LatheOSError("the compiler nvcc was not found", "compiler-missing", f"found: {error}") from error
    found = re.search(r"release (\d+\.\d+)", text)
    if found is None:
        raise LatheOSError("nvcc does not say its version", "compiler-failed", f"found: {text.strip()}")
    return float(found.group(1))


def get_target_compute_version(target=None):
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
    from ..runtime.device import cuda

    target = Target(target) if target is not None else Target.current()
    arch = target.attrs.get("arch", "") if target is not None else ""
    digits = re.fullmatch(r"sm_(\d+)(\d)[a-z]?", arch)
    if digits:
        return f"{digits.group(1)}.{digits.group(2)}"
    if cuda(0).exist:
        return cuda(0).compute_version
    raise LatheValueError("no compute capability is known", "cuda-compute-version",
                          "help: name an architecture, as in Target(\"cuda -arch=sm_80\")")


def parse_compute_version(compute_version):
    """(major, minor) of a compute capability such as "8.6".

    Raises:
        LatheError: `cuda-compute-version`: the text has another form.

    Example:
        >>> from lathe.contrib import nvcc
        >>> nvcc.parse_compute_version("8.6")
        (8, 6)
    """
    found = re.fullmatch(r"(\d+)\.(\d+)", str(compute_version))
    if found is None:
        raise LatheValueError(f"`{compute_version}` is no compute capability", "cuda-compute-version",
                              "expected: such as 8.6")
    return int(found.group(1)), int(found.group(2))


def have_fp16(compute_version):
    """Does arithmetic of float16 exist from this compute capability on?

    Example:
        >>> from lathe.contrib import nvcc
        >>> nvcc.have_fp16("5.3"), nvcc.have_fp16("5.2")
        (True, False)
    """
    return parse_compute_version(compute_version) >= (5, 3)


def have_int8(compute_version):
    """Do dot products of four int8 exist from this compute capability on?

    Example:
        >>> from lathe.contrib import nvcc
        >>> nvcc.have_int8("6.1"), nvcc.have_int8("6.0")
        (True, False)
    """
    return parse_compute_version(compute_version) >= (6, 1)


def have_bf16(compute_version):
    """Does arithmetic of bfloat16 exist from this compute capability on?

    Example:
        >>> from lathe.contrib import nvcc
        >>> nvcc.have_bf16("8.0"), nvcc.have_bf16("7.5")
        (True, False)
    """
    return parse_compute_version(compute_version) >= (8, 0)


def have_tensorcore(compute_version=None, target=None):
    """Are there tensor cores? False if nothing says which GPU it is.

    Args:
        compute_version: such as "7.5"; by default that of `target`, else of the first GPU.
        target: a Target or text.

    Example:
        >>> from lathe.contrib import nvcc
        >>> nvcc.have_tensorcore("7.0"), nvcc.have_tensorcore(target="cuda -arch=sm_61")
        (True, False)
    """
    if compute_version is None:
        try:
            compute_version = get_target_compute_version(target)
        except LatheValueError:
            return False
    return parse_compute_version(compute_version) >= (7, 0)
