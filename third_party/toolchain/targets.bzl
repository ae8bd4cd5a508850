"""The targets that one clang builds for. A board (//boards) names one of them."""

TARGETS = {
    "x86_64": struct(
        cpu = "x86_64",
        triple = "x86_64-linux-gnu",
        gnu_triple = "x86_64-linux-gnu",
        debian_arch = "amd64",
        copts = [],
    ),
    "aarch64": struct(
        cpu = "aarch64",
        triple = "aarch64-linux-gnu",
        gnu_triple = "aarch64-linux-gnu",
        debian_arch = "arm64",
        copts = [],
    ),
    "armhf": struct(
        cpu = "arm",
        triple = "armv7-linux-gnueabihf",
        gnu_triple = "arm-linux-gnueabihf",
        debian_arch = "armhf",
        copts = ["-mfpu=neon", "-mfloat-abi=hard"],
    ),
    "riscv64": struct(
        cpu = "riscv64",
        triple = "riscv64-linux-gnu",
        gnu_triple = "riscv64-linux-gnu",
        debian_arch = "riscv64",
        copts = ["-march=rv64gc", "-mabi=lp64d"],
    ),
}
