"""How the runtime's libraries stay small, and how they are linked for other languages."""

# By measurement: two thirds of the bytes of -O2 for code that mostly reads formats and writes messages. Hot code (values,
# functions, tensors, tables, threads) does not take it.
COLD = select({
    "//runtime:dbg": [],
    "//conditions:default": [
        "-Oz",
        # Of the limits tried (5, which is -Oz's own; 12, 25, 40) 25 gave the smallest library, 3 % under -Oz's: many
        # functions are smaller than a call of them and their unwind entry.
        "-mllvm",
        "-inline-threshold=25",
        # Tables that unwind from calls, which is where exceptions come from; not from any instruction.
        "-fno-asynchronous-unwind-tables",
        # Abseil's headers include <iostream>, which puts a static constructor (100 bytes with its tables) into every file.
        # This is the guard of libstdc++'s <iostream>; what they need of it is in <ostream>.
        "-D_GLIBCXX_IOSTREAM",
        "-include",
        "ostream",
    ],
})

def _whole_program_impl(settings, _attr):
    copt, linkopt = settings["//command_line_option:copt"], settings["//command_line_option:linkopt"]
    sanitized = [f for f in settings["//command_line_option:features"] if f in ("asan", "tsan", "fuzzer")]
    if str(settings["//command_line_option:compilation_mode"]) == "opt" and not sanitized:
        copt, linkopt = copt + ["-flto=full"], linkopt + ["-flto=full"]
    return {"//command_line_option:copt": copt, "//command_line_option:linkopt": linkopt}

_OPTIONS = ["//command_line_option:copt", "//command_line_option:linkopt"]

_whole = transition(
    implementation = _whole_program_impl,
    inputs = _OPTIONS + ["//command_line_option:compilation_mode", "//command_line_option:features"],
    outputs = _OPTIONS,
)

def _library_impl(ctx):
    library = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = library, target_file = ctx.attr.library[0].files.to_list()[0])
    return [DefaultInfo(files = depset([library]), runfiles = ctx.runfiles([library]))]

def _program_impl(ctx):
    program = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = program, target_file = ctx.executable.program, is_executable = True)
    return [DefaultInfo(executable = program, runfiles = ctx.runfiles([program]))]

_ALLOWED = {
    "_allowlist_function_transition": attr.label(
        default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
    ),
}

whole_program_library = rule(
    doc = """A shared library that is optimised as a whole, when it is linked: a tenth smaller than its files one by one.

    Only with `-c opt` and without sanitizers. The sources are compiled a second time for it; all other programs take the
    objects that a linker puts together in no time.""",
    implementation = _library_impl,
    attrs = dict(
        _ALLOWED,
        library = attr.label(doc = "A cc_binary that links a shared library.", cfg = _whole, mandatory = True),
    ),
)

whole_program = rule(
    doc = "The same for a program.",
    implementation = _program_impl,
    executable = True,
    attrs = dict(
        _ALLOWED,
        program = attr.label(doc = "A cc_binary.", cfg = _whole, executable = True, mandatory = True),
    ),
)

def runtime_shared_library(name, deps, visibility = None):
    """`name`, a library for programs in other languages: it exports the functions lathe_* and nothing else.

    `whole/name` is the same before it is optimised as a whole.
    """
    native.cc_binary(
        name = "whole/" + name,
        linkopts = [
            "-Wl,--version-script=$(location //runtime:lathe_runtime.lds)",
            "-Wl,--exclude-libs,ALL",
            "-Wl,--icf=all",
            "-Wl,-soname," + name,
            # 15 KB of relocations become less than one; glibc 2.36 and musl 1.2.4 read them.
            "-Wl,-z,pack-relative-relocs",
            "-Wl,-O2",
            "-Wl,-z,nodelete",
        ],
        linkshared = True,
        linkstatic = True,
        deps = deps + ["//runtime:lathe_runtime.lds"],
        visibility = visibility,
    )
    whole_program_library(
        name = name,
        library = ":whole/" + name,
        visibility = visibility,
    )
