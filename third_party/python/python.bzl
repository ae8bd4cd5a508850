"""Python extensions and tests over the pinned interpreter."""

def python_extension(name, srcs, deps = [], linkopts = [], **kwargs):
    """`name`.abi3.so: an extension module on the stable ABI that exports only its PyInit_ function.

    Args:
      name: of the module.
      srcs: C++ sources.
      deps: of the sources.
      linkopts: of the library.
      **kwargs: further attributes.
    """
    native.cc_binary(
        name = name + ".abi3.so",
        srcs = srcs,
        # Python's own symbols come from the interpreter.
        features = ["open_symbols"],
        linkopts = [
            "-Wl,--version-script=$(location //third_party/python:extension.lds)",
            "-Wl,--exclude-libs,ALL",
            "-Wl,-Bsymbolic",
            "-Wl,--icf=all",
            "-Wl,-O2",
        ] + linkopts,
        linkshared = True,
        linkstatic = True,
        deps = deps + [
            "//third_party/python:extension.lds",
            "@python//:headers",
        ],
        **kwargs
    )

_RUNTIMES = "$PWD/../clang/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.%s-x86_64.so"

# The interpreter is compiled without sanitizers, so their runtime is preloaded. Leaks are not
# detected here, because Python keeps its memory until its end: test_leaks.py and the row asan's
# tests find ours. PYTHONMALLOC=malloc: to a sanitizer, the blocks of Python's own allocator are
# only bytes of its arenas.
_SANITIZED = {
    "asan": {
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:abort_on_error=1:detect_container_overflow=0",
        "LD_PRELOAD": _RUNTIMES % "asan",
        "PYTHONMALLOC": "malloc",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    },
    "tsan": {
        "LD_PRELOAD": _RUNTIMES % "tsan",
        "PYTHONMALLOC": "malloc",
        "TSAN_OPTIONS": "halt_on_error=1",
    },
}

_SCRIPT = """#!/bin/bash
# The pinned interpreter, isolated: nothing of the host's Python, its environment or its packages.
# Only a library that --run_under preloads is kept, its seed, and where real models are.
set -e
# As a test, or by `bazel run`.
cd "${{TEST_SRCDIR:-$0.runfiles}}/${{TEST_WORKSPACE:-lathe}}"
python=$PWD/../python
TEST_TMPDIR=${{TEST_TMPDIR:-$(mktemp -d)}}
TEST_SRCDIR=${{TEST_SRCDIR:-$(cd .. && pwd)}}
exec env -i PATH=/usr/bin:/bin HOME="$TEST_TMPDIR" TMPDIR="$TEST_TMPDIR" \\
  TEST_TMPDIR="$TEST_TMPDIR" TEST_SRCDIR="$TEST_SRCDIR" RUNFILES_DIR="$TEST_SRCDIR" \\
  XML_OUTPUT_FILE="$XML_OUTPUT_FILE" ${{LD_PRELOAD:+LD_PRELOAD="$LD_PRELOAD"}} \\
  ${{LATHE_STORM_SEED:+LATHE_STORM_SEED="$LATHE_STORM_SEED"}} \\
  ${{LATHE_TEST_DATA:+LATHE_TEST_DATA="$LATHE_TEST_DATA"}} {env} \\
  LD_LIBRARY_PATH="$python/usr/lib/x86_64-linux-gnu:$python/lib/x86_64-linux-gnu" \\
  "$python/usr/bin/python3.11" -I -S -B -X faulthandler -c '
import os, runpy, sys
sys.path[:0] = [os.path.abspath(p) for p in sys.argv[1].split(":")]
sys.argv[:2] = []
runpy.run_path(sys.argv[0], run_name="__main__")' "{path}" "{main}" {args} "$@"
"""

def _python_test_impl(ctx):
    script = ctx.actions.declare_file(ctx.label.name)
    environment = dict(ctx.attr.environment)
    sanitizers = [name for name in _SANITIZED if name in ctx.features]
    for name in sanitizers:
        environment.update(_SANITIZED[name])
    folders = ctx.attr.imports + ["../%s/site" % w.label.workspace_name for w in ctx.attr.wheels]
    ctx.actions.write(script, _SCRIPT.format(
        args = " ".join([
            ctx.expand_location(argument, ctx.attr.data)
            for argument in ctx.attr.arguments
        ]),
        env = " ".join(["%s=\"%s\"" % pair for pair in environment.items()]),
        main = ctx.file.main.short_path,
        path = ":".join(folders),
    ), is_executable = True)
    runfiles = ctx.runfiles(
        files = [ctx.file.main] + ctx.files.data + ctx.files.wheels + ctx.files._python +
                (ctx.files._clang if sanitizers else []),
    )
    for target in ctx.attr.data:
        runfiles = runfiles.merge(target[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = script, runfiles = runfiles)]

_python_test = rule(
    implementation = _python_test_impl,
    attrs = {
        "arguments": attr.string_list(doc = "of the program"),
        "data": attr.label_list(allow_files = True),
        "environment": attr.string_dict(doc = "variables, beside the few that every test has"),
        "imports": attr.string_list(default = ["."], doc = "folders to import from, from the root"),
        "main": attr.label(allow_single_file = [".py"], mandatory = True),
        "wheels": attr.label_list(doc = "`files` of wheel repositories"),
        "_clang": attr.label(default = "@clang//:files"),
        "_python": attr.label(default = "@python//:runtime"),
    },
    doc = "A program run by the pinned interpreter, isolated from the host's.",
    test = True,
)

def python_test(name, tags = [], **kwargs):
    """A program run by the pinned interpreter.

    The tag "slow" excludes it from the row asan of tools/ci. With the tag "python" it runs in python-asan.

    Args:
      name: of the test.
      tags: of it.
      **kwargs: the rule's attributes: main, imports, data, wheels, arguments, environment.
    """
    _python_test(name = name, tags = tags + ["slow"], **kwargs)
