"""Macros that several rooms use."""

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
