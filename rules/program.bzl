"""How lathe.bzl reaches the program: built for the machine that builds, whatever is built.

A release has another file of this name (rules/outside): there the program is a file.
"""

def _to_this_machine(_settings, _attr):
    # As .bazelrc says for builds without a board: then nothing is built twice.
    return {
        "//command_line_option:platforms": "//boards:x86_64",
        "//command_line_option:cpu": "x86_64",
        "//command_line_option:crosstool_top": "//third_party/toolchain:suite_x86_64",
    }

PROGRAM_CFG = transition(
    implementation = _to_this_machine,
    inputs = [],
    outputs = [
        "//command_line_option:platforms",
        "//command_line_option:cpu",
        "//command_line_option:crosstool_top",
    ],
)

PROGRAM_ATTRS = {
    "_allowlist_function_transition": attr.label(
        default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
    ),
}
