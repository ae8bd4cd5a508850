"""Targets by the names of boards, processors and GPUs, as TVM's functions give them."""

from .target import Target


def cuda(model="", arch=None, options=None):
    """Target("cuda") with a model for tuning records and an architecture such as "sm_90".

    Example:
        >>> import lathe
        >>> lathe.target.cuda(arch="sm_90").attrs["arch"]
        'sm_90'
    """
    words = ["cuda", *([f"-model={model}"] if model else []), *([f"-arch={arch}"] if arch else [])]
    return Target(" ".join([*words, *([options] if isinstance(options, str) else options or [])]))


# NVIDIA's GPUs by architecture.
_GPUS = {
    "sm_60": "tesla-p100", "sm_61": "geforce-gtx-1060 geforce-gtx-1070 geforce-gtx-1080 geforce-gtx-1080-ti tesla-p4 "
    "tesla-p40 nvidia-titan-x", "sm_62": "jetson-tx2", "sm_70": "tesla-v100 nvidia-titan-v",
    "sm_72": "jetson-agx-xavier jetson-xavier-nx",
    "sm_75": "tesla-t4 nvidia-t4 geforce-rtx-2060 geforce-rtx-2070 geforce-rtx-2080 geforce-rtx-2080-ti geforce-gtx-1650 "
    "geforce-gtx-1660-ti nvidia-titan-rtx", "sm_80": "nvidia-a100 nvidia-a30",
    "sm_86": "nvidia-a10 nvidia-a40 nvidia-rtx-a6000 geforce-rtx-3060 geforce-rtx-3070 geforce-rtx-3070-ti "
    "geforce-rtx-3080 geforce-rtx-3080-ti geforce-rtx-3090", "sm_87": "jetson-agx-orin-32gb jetson-agx-orin-64gb",
    "sm_89": "nvidia-l4 nvidia-l40 geforce-rtx-4070 geforce-rtx-4080 geforce-rtx-4090",
    "sm_90": "nvidia-h100 nvidia-h200",
}
#: Tags that stand for targets: "nvidia/geforce-rtx-3070", "raspberry-pi/4b-aarch64".
TAGS = {f"nvidia/{name}": f"cuda -arch={arch}" for arch, names in _GPUS.items() for name in names.split()}
TAGS["raspberry-pi/4b-aarch64"] = "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72 -mattr=+neon -num-cores=4"

# Boards that TVM knows by name: (its processor, triple, features).
_ARM_BOARDS = {
    "pixel2": ("snapdragon835", "arm64-linux-android", "+neon"),
    "mate10": ("kirin970", "arm64-linux-android", "+neon"),
    "mate10pro": ("kirin970", "arm64-linux-android", "+neon"),
    "p20": ("kirin970", "arm64-linux-android", "+neon"),
    "p20pro": ("kirin970", "arm64-linux-android", "+neon"),
    "rasp3b": ("bcm2837", "armv7l-linux-gnueabihf", "+neon"),
    "rasp4b": ("bcm2711", "armv8l-linux-gnueabihf", "+neon"),
    "rasp4b64": ("bcm2711", "aarch64-linux-gnu", "+neon"),
    "rk3399": ("rk3399", "aarch64-linux-gnu", "+neon"),
    "pynq": ("pynq", "armv7a-linux-eabi", "+neon"),
    "ultra96": ("ultra96", "aarch64-linux-gnu", "+neon"),
    "beagleai": ("beagleai", "armv7a-linux-gnueabihf", "+neon,+vfp4,+thumb2"),
}


def _with_options(kind, model, options):
    more = [options] if isinstance(options, str) else list(options or [])
    return " ".join([kind, f"-model={model}", *more])


def arm_cpu(model="unknown", options=None):
    """The target of an Arm processor, by the name of a board: "rasp4b64", "rk3399", "pixel2", ...

    Args:
        model: a board's name, else a name for tuning records.
        options: further words of the target: a str or a list. Without a triple it is this machine's.

    Example:
        >>> import lathe
        >>> lathe.target.arm_cpu("rasp4b64").attrs["mtriple"]
        'aarch64-linux-gnu'
    """
    chip, triple, features = _ARM_BOARDS.get(model, (model, "", ""))
    words = ["-device=arm_cpu", *([f"-mtriple={triple}", f"-mattr={features}"] if triple else [])]
    more = [options] if isinstance(options, str) else list(options or [])
    return Target(_with_options("llvm", chip, [*words, *more]))


def mali(model="unknown", options=None):
    """The target of a Mali GPU, by OpenCL.

    Example:
        >>> import lathe
        >>> lathe.target.mali().device_name
        'mali'
    """
    return Target(_with_options("opencl -device=mali", model, options))


def intel_graphics(model="unknown", options=None):
    """The target of Intel's graphics, by OpenCL.

    Example:
        >>> import lathe
        >>> lathe.target.intel_graphics().device_name
        'intel_graphics'
    """
    return Target(_with_options("opencl -device=intel_graphics", model, options))


def adreno(model="unknown", options=None):
    """The target of an Adreno GPU, by OpenCL.

    Example:
        >>> import lathe
        >>> lathe.target.adreno().device_name
        'adreno'
    """
    return Target(_with_options("opencl -device=adreno", model, options))


def bifrost(model="unknown", options=None):
    """The target of a Bifrost GPU, by OpenCL.

    Example:
        >>> import lathe
        >>> lathe.target.bifrost().device_name
        'bifrost'
    """
    return Target(_with_options("opencl -device=bifrost", model, options))


def riscv_cpu(model="sifive-u54", options=None):
    """The target of a RISC-V processor: "sifive-u54" or another of 64 bits; options may name a triple.

    Example:
        >>> import lathe
        >>> lathe.target.riscv_cpu().attrs["mtriple"]
        'riscv64-unknown-linux-gnu'
    """
    words = "-device=riscv_cpu -mtriple=riscv64-unknown-linux-gnu -mattr=+m,+a,+f,+d,+c"
    return Target(_with_options("llvm " + words, model, options))
