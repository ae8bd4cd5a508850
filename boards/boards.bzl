"""A board: what a build for it needs to know."""

def board(name, cpu):
    """Declares a board.

    Args:
      name: of the board; `bazel build --platforms=//boards:NAME` builds for it, and
        `select({"//boards:is_NAME": ...})` asks for it.
      cpu: constraint of @platforms//cpu; chooses the toolchain.
    """
    constraints = ["@platforms//cpu:" + cpu, "@platforms//os:linux"]
    native.platform(name = name, constraint_values = constraints)
    native.config_setting(name = "is_" + name, constraint_values = constraints)
