"""Objects compiled from C for every machine, whatever the target of the build is."""

# What `-target` is told, and flags beside it. Thumb is Arm's other instruction set.
_MACHINES = {
    "x86_64": "--target=x86_64-linux-gnu",
    "aarch64": "--target=aarch64-linux-gnu",
    "riscv64": "--target=riscv64-linux-gnu -march=rv64gc -mabi=lp64d",
    "arm": "--target=armv7-linux-gnueabihf -mfpu=neon",
    "thumb": "--target=armv7-linux-gnueabihf -mfpu=neon -mthumb",
}

def test_objects(
        name,
        srcs,
        hdrs = [],
        machines = _MACHINES.keys(),
        copts = ["-fPIC"],
        suffix = ""):
    """Compiles each C file for each machine to FILE[SUFFIX].MACHINE.o.

    Args:
      name: of the file group of all objects.
      srcs: C files that include nothing of the C library.
      hdrs: what the C files include, from the root.
      machines: some of _MACHINES.
      copts: compiler flags.
      suffix: tells two sets of objects from the same sources apart.
    """
    objects = []
    for src in srcs:
        for machine in machines:
            object = "%s%s.%s.o" % (src[:-len(".c")], suffix, machine)
            native.genrule(
                name = object + "_compile",
                testonly = True,
                srcs = [src] + hdrs,
                outs = [object],
                cmd = " ".join([
                    # Headers of abi/ are included as "lathe/abi/value.h".
                    "include=$$(mktemp -d) && mkdir $$include/lathe && ln -s $$PWD/abi $$include/lathe/abi &&",
                    "third_party/toolchain/bin/clang",
                    _MACHINES[machine],
                    "-std=c11 -O2 -ffreestanding -fno-ident",
                    " ".join(copts),
                    "-I. -I$$include -c $(location %s) -o $@" % src,
                ]),
                tools = [
                    "//third_party/toolchain:wrappers",
                    "@clang//:files",
                ],
            )
            objects.append(object)
    native.filegroup(name = name, testonly = True, srcs = objects)
