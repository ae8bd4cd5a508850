"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.target import Target as Target

TAGS: Any

def adreno(model: Any = ..., options: Any = ...) -> Any:
    """The target of an Adreno GPU, by OpenCL.

    Example:
        >>> import lathe
        >>> lathe.target.adreno().device_name
        'adreno'
    """

def arm_cpu(model: Any = ..., options: Any = ...) -> Any:
    """The target of an Arm processor, by the name of a board: "rasp4b64", "rk3399", "pixel2", ...

    Args:
        model: a board's name, else a name for tuning records.
        options: further words of the target: a str or a list. Without a triple it is this machine's.

    Example:
        >>> import lathe
        >>> lathe.target.arm_cpu("rasp4b64").attrs["mtriple"]
        'aarch64-linux-gnu'
    """

def bifrost(model: Any = ..., options: Any = ...) -> Any:
    """The target of a Bifrost GPU, by OpenCL.

    Example:
        >>> import lathe
        >>> lathe.target.bifrost().device_name
        'bifrost'
    """

def cuda(model: Any = ..., arch: Any = ..., options: Any = ...) -> Any:
    """Target("cuda") with a model for tuning records and an architecture such as "sm_90".

    Example:
        >>> import lathe
        >>> lathe.target.cuda(arch="sm_90").attrs["arch"]
        'sm_90'
    """

def intel_graphics(model: Any = ..., options: Any = ...) -> Any:
    """The target of Intel's graphics, by OpenCL.

    Example:
        >>> import lathe
        >>> lathe.target.intel_graphics().device_name
        'intel_graphics'
    """

def mali(model: Any = ..., options: Any = ...) -> Any:
    """The target of a Mali GPU, by OpenCL.

    Example:
        >>> import lathe
        >>> lathe.target.mali().device_name
        'mali'
    """

def riscv_cpu(model: Any = ..., options: Any = ...) -> Any:
    """The target of a RISC-V processor: "sifive-u54" or another of 64 bits; options may name a triple.

    Example:
        >>> import lathe
        >>> lathe.target.riscv_cpu().attrs["mtriple"]
        'riscv64-unknown-linux-gnu'
    """
