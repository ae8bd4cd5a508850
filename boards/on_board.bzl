"""Programs built for a board, as data of tests that run on this machine."""

def _to_board(_settings, attr):
    return {
        "//command_line_option:platforms": "//boards:" + attr.board,
        "//command_line_option:cpu": attr.cpu,
        "//command_line_option:crosstool_top": "//third_party/toolchain:suite_" + attr.cpu,
    }

board_transition = transition(
    implementation = _to_board,
    inputs = [],
    outputs = [
        "//command_line_option:platforms",
        "//command_line_option:cpu",
        "//command_line_option:crosstool_top",
    ],
)

def _on_board(ctx):
    program = ctx.attr.program[0][DefaultInfo].files_to_run.executable
    out = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = out, target_file = program)
    return [DefaultInfo(files = depset([out]), runfiles = ctx.runfiles([out]))]

on_board = rule(
    implementation = _on_board,
    doc = "`program`, built for `board` (a name from boards/BUILD.bazel) whatever is built around it.",
    attrs = {
        "program": attr.label(cfg = board_transition, executable = True, mandatory = True),
        "board": attr.string(mandatory = True),
        "cpu": attr.string(mandatory = True, doc = "As `--cpu` in the board's lines of .bazelrc."),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)

def _library_on_board(ctx):
    out = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = out, target_file = ctx.attr.library[0][DefaultInfo].files.to_list()[0])
    return [DefaultInfo(files = depset([out]))]

library_on_board = rule(
    implementation = _library_on_board,
    doc = "The file of `library`, a shared library, built for `board` as on_board does.",
    attrs = {
        "library": attr.label(cfg = board_transition, mandatory = True),
        "board": attr.string(mandatory = True),
        "cpu": attr.string(mandatory = True, doc = "As `--cpu` in the board's lines of .bazelrc."),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)
