"""The Python package as a folder (for tests) and as a wheel (for people)."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

_PYTHON = "@python//:usr/bin/python3.11"

def _destination(path):
    """lathe/te/operation.py of python/lathe/te/operation.py."""
    return path[path.find("lathe/"):]

def _python_package_impl(ctx):
    site = ctx.actions.declare_directory(ctx.label.name)
    commands = ["set -eu"]
    for file in ctx.files.srcs:
        target = "%s/%s" % (site.path, _destination(file.short_path[len("python/"):]))
        commands.append("mkdir -p $(dirname {t}) && cp {s} {t}".format(s = file.path, t = target))
    for file in ctx.files.extension:
        commands.append("cp %s %s/lathe/_core.abi3.so" % (file.path, site.path))
    commands.append("mkdir -p %s/lathe/plugins" % site.path)
    for file in ctx.files.plugins:
        commands.append("cp %s %s/lathe/plugins/%s" % (file.path, site.path, file.basename))
    ctx.actions.run_shell(
        command = "\n".join(commands),
        inputs = ctx.files.srcs + ctx.files.extension + ctx.files.plugins,
        outputs = [site],
    )
    return [DefaultInfo(files = depset([site]), runfiles = ctx.runfiles([site]))]

python_package = rule(
    implementation = _python_package_impl,
    attrs = {
        "extension": attr.label(allow_files = True),
        "plugins": attr.label_list(allow_files = True),
        "srcs": attr.label_list(allow_files = True),
    },
)

def _stripped(ctx, toolchain, file):
    """A copy of a shared library without what only debuggers read."""
    out = ctx.actions.declare_file("%s.stripped/%s" % (ctx.label.name, file.basename))
    ctx.actions.run(
        executable = toolchain.strip_executable,
        arguments = ["-s", "-o", out.path, file.path],
        inputs = depset([file], transitive = [toolchain.all_files]),
        mnemonic = "StripLibrary",
        outputs = [out],
    )
    return out

def _wheel_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    extension = [_stripped(ctx, toolchain, file) for file in ctx.files.extension]
    plugins = [_stripped(ctx, toolchain, file) for file in ctx.files.plugins]
    program = _stripped(ctx, toolchain, ctx.file.program)
    wheel = ctx.actions.declare_file("lathe-%s-%s.whl" % (ctx.attr.version, ctx.attr.tag))
    files = []
    for file in ctx.files.srcs:
        files.append("%s=%s" % (_destination(file.short_path[len("python/"):]), file.path))
    for file in extension:
        files.append("lathe/_core.abi3.so=" + file.path)
    for file in plugins:
        files.append("lathe/plugins/%s=%s" % (file.basename, file.path))
    files.append("lathe/bin/lathe=" + program.path)

    license_files = []
    for target, name in ctx.attr.licenses.items():
        file = target.files.to_list()[0]
        license_files.append(file)
        files.append("lathe-%s.dist-info/licenses/%s=%s" % (ctx.attr.version, name, file.path))

    # pip puts it on PATH.
    files.append("lathe-%s.data/scripts/lathe=%s" % (ctx.attr.version, ctx.file.script.path))
    python = ctx.file._python
    root = python.path[:-len("/usr/bin/python3.11")]
    arguments = ctx.actions.args()
    arguments.add_all(["-I", "-S", "-B", ctx.file._make, wheel, "--version", ctx.attr.version])
    arguments.add_all(["--readme", ctx.file.readme, "--extras"])
    arguments.add_all(ctx.attr.extras)
    arguments.add("--entry-points")
    arguments.add_all(ctx.attr.entry_points)
    arguments.add("--files")
    arguments.add_all(sorted(files))
    ctx.actions.run(
        executable = python,
        arguments = [arguments],
        env = {"LD_LIBRARY_PATH": "{r}/usr/lib/x86_64-linux-gnu:{r}/lib/x86_64-linux-gnu".format(r = root)},
        inputs = depset(
            ctx.files.srcs + extension + plugins + license_files +
            [program, ctx.file.script, ctx.file._make, ctx.file.readme],
            transitive = [ctx.attr._runtime[DefaultInfo].files],
        ),
        mnemonic = "Wheel",
        outputs = [wheel],
    )
    return [DefaultInfo(files = depset([wheel]))]

python_wheel = rule(
    implementation = _wheel_impl,
    attrs = {
        "entry_points": attr.string_list(doc = "group:name=module:object"),
        "extension": attr.label(allow_files = True),
        "extras": attr.string_list(),
        "licenses": attr.label_keyed_string_dict(allow_files = True, doc = "names in the wheel's folder of licences"),
        "plugins": attr.label_list(allow_files = True),
        "program": attr.label(allow_single_file = True, doc = "the command line"),
        "readme": attr.label(allow_single_file = True),
        "script": attr.label(allow_single_file = True, doc = "what starts it in an installation"),
        "srcs": attr.label_list(allow_files = True),
        "tag": attr.string(mandatory = True, doc = "python-abi-platform"),
        "version": attr.string(mandatory = True),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
        "_make": attr.label(default = "//python:make_wheel.py", allow_single_file = True),
        "_python": attr.label(default = _PYTHON, allow_single_file = True),
        "_runtime": attr.label(default = "@python//:runtime"),
    },
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
