"""A board: the facts for building programs and compiling kernels for it."""

def board(name, cpu, target, emulator = None):
    """Declares a board.

    `bazel build --config=NAME` builds for it (.bazelrc); `select({"//boards:is_NAME": ...})`
    tests whether a build is for it.

    Args:
      name: of the board.
      cpu: constraint of @platforms//cpu; chooses the toolchain.
      target: target string of kernels for it; `:NAME.target` is a file that contains it.
      emulator: program that runs the board's programs here; becomes `:NAME_emulator`.
    """
    constraints = ["@platforms//cpu:" + cpu, "@platforms//os:linux"]
    native.platform(name = name, constraint_values = constraints)
    native.config_setting(name = "is_" + name, constraint_values = constraints)
    native.genrule(
        name = name + "_target",
        outs = [name + ".target"],
        cmd = "echo '%s' > $@" % target,
    )
    if emulator:
        # `//...` does not fetch emulators.
        native.alias(name = name + "_emulator", actual = emulator, tags = ["manual"])
