"""lathe_model: a model file becomes a library of a C++ program.

In Lathe's own tree and in a workspace that has a release as a repository alike:

    load("@lathe//rules:lathe.bzl", "lathe_model")

    lathe_model(
        name = "mobilenet",
        src = "mobilenet.onnx",
        inputs = {"data": "1x3x224x224"},
    )

    cc_binary(
        name = "classify",
        srcs = ["classify.cc"],  # includes "mobilenet.h"
        deps = [":mobilenet"],
    )

The code is for the platform that is built, whatever machine builds it. Nothing but the released
program runs: no Python, no compiler of C++ for the model, no network.
"""

load(":program.bzl", "PROGRAM_ATTRS", "PROGRAM_CFG")

# Of the repository that this file lies in, whoever loads it.
_PROGRAM = Label("//rules:program")
_PROGRAM_FILES = Label("//rules:program_files")
_RUNTIME = Label("//rules:runtime")
_TARGET = Label("//rules:target")

def _model_code_impl(ctx):
    target = ctx.attr.target
    args = ctx.actions.args()
    args.add_all([ctx.outputs.code, ctx.outputs.header])
    args.add(ctx.file.src)
    if ctx.attr.symbol:
        args.add("--symbol", ctx.attr.symbol)
    args.add("--opt-level", str(ctx.attr.opt_level))
    args.add("--jobs", "2")
    args.add("--no-cache")
    if ctx.file.records:
        args.add("--lock", ctx.file.records)
    if ctx.attr.function:
        args.add("--function", ctx.attr.function)
    for name, shape in ctx.attr.inputs.items():
        args.add("--input", "%s=%s" % (name, shape))
    ctx.actions.run_shell(
        inputs = [ctx.file.src, ctx.file._target] + ctx.files.data + ctx.files.records,
        outputs = [ctx.outputs.code, ctx.outputs.header],
        tools = [ctx.executable._program] + ctx.files._program_files,
        arguments = [args],
        command = "code=$1 header=$2; shift 2; exec {program} compile \"$@\" -o $code --header $header --target \"{target}\"".format(
            program = ctx.executable._program.path,
            target = target or "$(cat %s)" % ctx.file._target.path,
        ),
        mnemonic = "LatheModel",
        progress_message = "Compiling the model %s" % ctx.file.src.short_path,
    )
    return [DefaultInfo(files = depset([ctx.outputs.code, ctx.outputs.header]))]

_model_code = rule(
    implementation = _model_code_impl,
    attrs = dict(
        PROGRAM_ATTRS,
        **{
        "src": attr.label(mandatory = True, allow_single_file = True),
        "data": attr.label_list(allow_files = True),
        "inputs": attr.string_dict(),
        "function": attr.string(),
        "opt_level": attr.int(default = 2),
        "records": attr.label(allow_single_file = True),
        "symbol": attr.string(),
        "target": attr.string(),
        "code": attr.output(mandatory = True),
        "header": attr.output(mandatory = True),
        "_program": attr.label(default = _PROGRAM, executable = True, allow_single_file = True, cfg = PROGRAM_CFG),
        "_program_files": attr.label(default = _PROGRAM_FILES, allow_files = True, cfg = PROGRAM_CFG),
        "_target": attr.label(default = _TARGET, allow_single_file = True),
    }),
)

def lathe_model(
        name,
        src,
        inputs = {},
        data = [],
        function = "",
        opt_level = 2,
        records = None,
        target = "",
        weights = "inside",
        tags = [],
        testonly = False,
        visibility = None):
    """A cc_library with the compiled model, its weights inside, and the header `<name>.h`.

    The header has a class, named after the library in CamelCase, with a function for each input and
    output. The library contains the runtime, but no compiler.

    Args:
      name: of the library.
      src: the model, in a format that `lathe import` takes.
      inputs: shapes of inputs by name, as `lathe import --input` takes them: "1x3x224x224:float32",
        "batch,3,224,224". Others are as the model says. Numbers make faster code than names.
      data: further files of the model (external data of ONNX).
      function: of a file with several: which.
      opt_level: 0 to 3.
      records: a file of `lathe tune MODEL -o` or `lathe compile MODEL --lock`: its kernels get these
        schedules, and no others. By default those that come with Lathe for the target, if any.
      target: for what to compile instead of a plain processor of the platform, as
        "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72".
      weights: "inside" of the program, or "beside": kernels and weights are a file `<name>.so`, data
        of the library, and the class's constructor takes its path.
      tags: of all targets.
      testonly: whether only tests may use it.
      visibility: of the library.
    """
    symbol = "lathe_model_" + "".join([c if c.isalnum() else "_" for c in name.elems()])
    beside = weights == "beside"
    if not beside and weights != "inside":
        fail("weights are `inside` or `beside`, not `%s`" % weights, "weights")
    code = name + (".so" if beside else ".o")
    _model_code(
        name = name + "_code",
        src = src,
        data = data,
        function = function,
        header = name + ".h",
        inputs = inputs,
        code = code,
        opt_level = opt_level,
        records = records,
        symbol = "" if beside else symbol,
        tags = tags,
        target = target,
        testonly = testonly,
        visibility = visibility,
    )
    native.cc_library(
        name = name,
        srcs = [] if beside else [code],
        data = [code] if beside else [],
        hdrs = [name + ".h"],
        tags = tags,
        testonly = testonly,
        visibility = visibility,
        deps = [str(_RUNTIME)],
    )
