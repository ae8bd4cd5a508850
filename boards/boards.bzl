"""A board: the facts for building programs and compiling kernels for it."""

load(":on_board.bzl", "on_board")

def board(name, cpu, target, what, emulator = None, address = "", architecture = False):
    """Declares a board.

    `bazel build --config=NAME` builds for it (.bazelrc); `select({"//boards:is_NAME": ...})`
    tests whether a build is for it. `lathe board` knows it by its name.

    Args:
      name: of the board.
      cpu: constraint of @platforms//cpu; chooses the toolchain.
      target: target string of kernels for it; `:NAME.target` is a file that contains it.
      what: what it is, for people; one line.
      emulator: program that runs the board's programs here; becomes `:NAME_emulator`.
      address: HOST:PORT of its server (`lathe-rpc-server`), if it has a fixed one.
      architecture: True for any machine of a processor: `is_NAME` holds for all boards with that `cpu`.
    """
    constraints = ["@platforms//cpu:" + cpu, "@platforms//os:linux"]
    if not architecture:
        native.constraint_value(name = name + "_board", constraint_setting = ":board")
        constraints = constraints + [":%s_board" % name]
    native.platform(name = name, constraint_values = constraints)
    native.config_setting(name = "is_" + name, constraint_values = constraints)
    native.genrule(
        name = name + "_target",
        outs = [name + ".target"],
        cmd = "echo '%s' > $@" % target,
    )
    for text in [cpu, target, what, address]:
        if "\"" in text or "'" in text or "\\" in text:
            fail("board %s: no quotes in %s" % (name, text))
    native.genrule(
        name = name + "_entry",
        outs = [name + ".entry"],
        cmd = "echo '{\"%s\", \"%s\", \"%s\", \"%s\", \"%s\"},' > $@" % (name, cpu, target, address, what),
    )
    if emulator:
        # `//...` does not fetch emulators.
        native.alias(name = name + "_emulator", actual = emulator, tags = ["manual"])

def board_list(name, boards):
    """A library with NAME.inc: the entries of `boards`, as initialisers of C++ (tools/lathe/board.h)."""
    native.genrule(
        name = name + "_inc",
        srcs = [board + ".entry" for board in boards],
        outs = [name + ".inc"],
        cmd = "cat $(SRCS) > $@",
    )
    native.cc_library(name = name, textual_hdrs = [name + ".inc"])

def board_run(name, board, cpu):
    """`bazel run` of it tries a program on the emulated board: `lathe board run BOARD ...`.

    Args:
      name: of the target.
      board: an emulated board.
      cpu: as `--cpu` in the board's lines of .bazelrc.
    """
    on_board(
        name = name + "_worker",
        board = board,
        cpu = cpu,
        program = "//tools/rpc:static/lathe-rpc-worker",
        tags = ["manual"],
    )
    native.sh_binary(
        name = name,
        srcs = ["//boards:run.sh"],
        args = [
            board,
            "$(rootpath //tools/lathe)",
            "$(rootpath :%s_worker)" % name,
            "$(rootpath :%s_emulator)" % board,
        ],
        data = [
            ":%s_emulator" % board,
            ":%s_worker" % name,
            "//tools/lathe",
        ],
        tags = ["manual"],
    )
