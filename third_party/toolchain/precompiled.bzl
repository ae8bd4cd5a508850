"""A precompiled header: what the compiler knows after headers that most files include, read once, not by every file.

Half of the time of a compilation without optimisation goes into these headers, a quarter with it; templates that they use
are instantiated once, too. The flags of the toolchain (cc_toolchain_config.bzl) include the result before the first line
of each C++ file. The objects have the same bytes with it and without, less the constructor of <iostream> that Abseil's
headers bring. The feature `precompiled_headers` switches it. The sanitizer for threads builds without it (.bazelrc),
because libstdc++ is another one there; that build also finds files that forget an #include.
"""

load(":cc_toolchain_config.bzl", "cpp_flags")

def _impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".pch")
    ctx.actions.run(
        executable = "third_party/toolchain/bin/clang",
        inputs = depset([ctx.file.header], transitive = [depset(ctx.files.files)]),
        outputs = [out],
        arguments = cpp_flags(ctx.attr.triple, ctx.attr.sysroot, ctx.attr.gnu_triple, ctx.attr.copts) + ctx.attr.flags + [
            "-iquote",
            "external/com_google_absl",
            "-fPIC",
            "-O2",
            "-fpch-instantiate-templates",
            # No times of files: the same bytes anywhere.
            "-Xclang",
            "-fno-pch-timestamp",
            "-x",
            "c++-header",
            ctx.file.header.path,
            "-o",
            out.path,
        ],
        mnemonic = "PrecompiledHeader",
        progress_message = "Precompiling %s for %s" % (ctx.file.header.short_path, ctx.attr.triple),
    )
    return [DefaultInfo(files = depset([out]))]

precompiled_header = rule(
    implementation = _impl,
    attrs = {
        "copts": attr.string_list(),
        "files": attr.label_list(allow_files = True, doc = "the compiler and the headers"),
        "flags": attr.string_list(mandatory = True, doc = "those of the mode and the features of whoever uses it"),
        "gnu_triple": attr.string(mandatory = True),
        "header": attr.label(allow_single_file = [".h"], mandatory = True),
        "sysroot": attr.string(mandatory = True),
        "triple": attr.string(mandatory = True),
    },
    doc = "`name`.pch of a header, for one target.",
)
