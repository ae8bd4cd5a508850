"""Tests that need OpenCL: they use the pinned PoCL, and find no other."""

def opencl_test(name, srcs = [], deps = [], data = [], size = "medium", env = {}, tags = [], args = [], program = None, flaky = False):
    """A test program that runs with PoCL (third_party/pocl/run.sh).

    Args:
      name: of the test.
      srcs: of the program.
      deps: of the program; name a main, such as gtest_main.
      data: files that it reads.
      size: of the test.
      env: settings of run.sh, such as {"LATHE_TEST_NO_ICD": "1"}.
      tags: of the test.
      args: of the program.
      program: a binary to run instead of one made of srcs.
      flaky: whether it may be tried again.
    """
    if program == None:
        program = name + "_program"
        native.cc_binary(
            name = program,
            testonly = True,
            srcs = srcs,
            deps = deps,
            data = data,
            tags = tags,
        )
    native.sh_test(
        name = name,
        size = size,
        srcs = ["//third_party/pocl:run.sh"],
        args = ["$(rootpath %s)" % program] + args,
        data = data + [
            program,
            "//third_party/pocl:runtime",
        ],
        env = env,
        flaky = flaky,
        # PoCL and its LLVM, which do most of the work, are not instrumented, and they leak.
        tags = tags + ["uninstrumented"],
    )
