"""Macros and rules that several rooms use."""

load("//rules:program.bzl", "PROGRAM_ATTRS", "PROGRAM_CFG")

def _generated_files_impl(ctx):
    arguments = ctx.actions.args()
    arguments.add_all(ctx.attr.arguments)
    arguments.add_all(ctx.outputs.outs)
    arguments.add_all(ctx.files.srcs)
    ctx.actions.run(
        executable = ctx.executable.program,
        arguments = [arguments],
        inputs = ctx.files.srcs,
        outputs = ctx.outputs.outs,
        mnemonic = "GeneratedFiles",
        progress_message = "Generating %s" % ctx.label,
    )
    return [DefaultInfo(files = depset(ctx.outputs.outs), runfiles = ctx.runfiles(ctx.outputs.outs))]

generated_files = rule(
    implementation = _generated_files_impl,
    attrs = dict(
        PROGRAM_ATTRS,
        arguments = attr.string_list(doc = "come before the outputs"),
        outs = attr.output_list(mandatory = True),
        program = attr.label(executable = True, cfg = PROGRAM_CFG, mandatory = True),
        srcs = attr.label_list(allow_files = True, doc = "come after the outputs"),
    ),
    doc = """`outs`, which `program arguments... outs... srcs...` writes.

    A genrule compiles its tools, and the libraries below them, once more: for the configuration of tools. Here the
    program is made of the objects that tests have.""",
)

def lathe_fuzz_test(name, srcs, corpus, deps = [], tags = [], dictionary = None, **kwargs):
    """A fuzz target: a source with LLVMFuzzerTestOneInput, and the inputs it must survive.

    `bazel test :NAME` replays the corpus, every prefix of its files included.
    `tools/fuzz NAME --minutes=5` looks for new inputs.

    Args:
      name: of the test.
      srcs: sources with the fuzz target.
      corpus: files; at least one, or the test fails. What `tools/fuzz --merge` adds to testdata,
        in the folder named as the target without `_fuzz`, belongs to it too.
      deps: of the fuzz target.
      tags: of the test.
      dictionary: a file of tokens, in libFuzzer's form.
      **kwargs: further attributes of both programs.
    """
    native.cc_library(
        name = name + "_target",
        testonly = True,
        srcs = srcs,
        deps = deps,
        alwayslink = True,
        visibility = ["//visibility:private"],
    )
    native.cc_test(
        name = name,
        size = "small",
        args = ["$(rootpaths %s_corpus)" % name],
        data = [":%s_corpus" % name],
        tags = tags + ["fuzz"],
        deps = [
            ":%s_target" % name,
            "//tests/fuzz:replay",
        ],
        **kwargs
    )
    found = native.glob(["testdata/%s/*" % name[:-len("_fuzz")]]) if name.endswith("_fuzz") else []
    native.filegroup(
        name = name + "_corpus",
        testonly = True,
        srcs = corpus + [file for file in found if file not in corpus],
        visibility = ["//visibility:private"],
    )
    native.cc_binary(
        name = name + "_fuzzer",
        testonly = True,
        linkopts = ["-fsanitize=fuzzer"],
        # Only links in --config=asan, whose objects it shares (.bazelrc).
        tags = ["manual"],
        deps = [":%s_target" % name],
        **kwargs
    )

    # Where the inputs and the dictionary are, for tools/fuzz.
    native.genrule(
        name = name + "_inputs",
        testonly = True,
        srcs = [":%s_corpus" % name] + ([dictionary] if dictionary else []),
        outs = [name + "_inputs.txt"],
        cmd = "printf '%%s\\n' $(execpaths :%s_corpus) > $@" % name +
              ("; echo dictionary $(execpath %s) >> $@" % dictionary if dictionary else ""),
        tags = ["manual"],
        visibility = ["//visibility:private"],
    )
