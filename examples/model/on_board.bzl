"""A program with a model, linked for a board by the build of this machine.

`bazel build --config=aarch64 //examples/model:classify` builds all of it for the board, and the
compiler, which makes the model's code, once more for this machine: Bazel 4 gives the way back from
a board a folder of its own. Here the code comes from the compiler that is there already, and only
the program and the runtime are built for the board.
"""

load("//boards:on_board.bzl", "board_transition")

def _model_program_impl(ctx):
    toolchain = ctx.attr._toolchain[0][cc_common.CcToolchainInfo]
    features = cc_common.configure_features(ctx = ctx, cc_toolchain = toolchain)
    # The program names the header as if it were built here.
    header = ctx.actions.declare_file(ctx.label.name + ".include/" + ctx.attr.header_path)
    ctx.actions.symlink(output = header, target_file = ctx.file.header)
    root = header.path[:-len(ctx.attr.header_path) - 1]
    runtime = ctx.attr._runtime[0][CcInfo]
    _, compiled = cc_common.compile(
        actions = ctx.actions,
        feature_configuration = features,
        cc_toolchain = toolchain,
        name = ctx.label.name,
        srcs = ctx.files.srcs,
        private_hdrs = [header],
        quote_includes = [root],
        compilation_contexts = [runtime.compilation_context],
    )
    model = cc_common.create_compilation_outputs(objects = depset([ctx.file.code]), pic_objects = depset([ctx.file.code]))
    linked = cc_common.link(
        actions = ctx.actions,
        feature_configuration = features,
        cc_toolchain = toolchain,
        name = ctx.label.name,
        compilation_outputs = cc_common.merge_compilation_outputs(compilation_outputs = [compiled, model]),
        linking_contexts = [runtime.linking_context],
    )
    return [DefaultInfo(files = depset([linked.executable]), runfiles = ctx.runfiles([linked.executable]))]

model_program = rule(
    implementation = _model_program_impl,
    doc = "`srcs`, linked with the model's `code` and the runtime, for `board`.",
    attrs = {
        "srcs": attr.label_list(mandatory = True, allow_files = [".cc"]),
        "code": attr.label(mandatory = True, allow_single_file = [".o"]),
        "header": attr.label(mandatory = True, allow_single_file = [".h"]),
        "header_path": attr.string(mandatory = True, doc = "As `srcs` include it."),
        "board": attr.string(mandatory = True),
        "cpu": attr.string(mandatory = True, doc = "As `--cpu` in the board's lines of .bazelrc."),
        "_runtime": attr.label(default = "//runtime/graph:compiled_model", cfg = board_transition),
        "_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain", cfg = board_transition),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
    fragments = ["cpp"],
)
