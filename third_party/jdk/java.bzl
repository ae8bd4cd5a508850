"""Java with the pinned JDK: libraries, jars and tests in a virtual machine.

Bazel's own Java rules bring a toolchain that is downloaded; these need two packages (@jdk)."""

_JAVA = "usr/lib/jvm/java-17-openjdk-amd64/bin/"

# What programs may use, and the oldest virtual machine that runs the classes.
_RELEASE = "11"

_Jars = provider(fields = {"jars": "a library's jar, and those of all that it depends on"})

def _jdk(ctx):
    """The folder of @jdk, for actions."""
    return [f for f in ctx.files._jdk if f.basename == "STAMP"][0].dirname

def _jars(deps):
    return depset(transitive = [dep[_Jars].jars for dep in deps])

def _compile(ctx, out, srcs, deps, resources):
    classpath = _jars(deps)
    files = [(target.files.to_list()[0], name) for target, name in resources.items()]
    ctx.actions.run_shell(
        inputs = depset(srcs + [f for f, _ in files] + ctx.files._jdk + [ctx.file._make_jar], transitive = [classpath]),
        outputs = [out],
        command = """
            set -eu
            classes=$(mktemp -d)
            trap 'rm -rf "$classes"' EXIT
            LD_LIBRARY_PATH={jdk}/lib/x86_64-linux-gnu {jdk}/{javac} -J-Xshare:auto -J-XX:TieredStopAtLevel=1 -d "$classes" \\
              --release {release} -encoding UTF-8 -g -proc:none -Xlint:all,-options -Werror -classpath "{classpath}" {srcs}
            python3 -I -S -B {make_jar} {out} --classes "$classes" {resources}
        """.format(
            classpath = ":".join([j.path for j in classpath.to_list()]),
            javac = _JAVA + "javac",
            jdk = _jdk(ctx),
            make_jar = ctx.file._make_jar.path,
            out = out.path,
            release = _RELEASE,
            resources = " ".join(["--file %s %s" % (f.path, name) for f, name in files]),
            srcs = " ".join([f.path for f in srcs]),
        ),
        mnemonic = "Javac",
        use_default_shell_env = True,
    )
    return depset([out], transitive = [classpath])

_COMMON = {
    "deps": attr.label_list(providers = [_Jars], doc = "jvm_library targets"),
    "resources": attr.label_keyed_string_dict(allow_files = True, doc = "further files of the jar, and their names in it"),
    "srcs": attr.label_list(allow_files = [".java"]),
    "_jdk": attr.label(default = "@jdk//:files"),
    "_make_jar": attr.label(default = "//third_party/jdk:make_jar.py", allow_single_file = True),
}

def _jvm_library_impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".jar")
    jars = _compile(ctx, out, ctx.files.srcs, ctx.attr.deps, ctx.attr.resources)
    return [DefaultInfo(files = depset([out]), runfiles = ctx.runfiles([out])), _Jars(jars = jars)]

jvm_library = rule(
    implementation = _jvm_library_impl,
    attrs = _COMMON,
    doc = "NAME.jar: the classes of `srcs`. Every warning is an error.",
)

def _jvm_jar_impl(ctx):
    out = ctx.actions.declare_file(ctx.attr.out or ctx.label.name + ".jar")
    jars = _jars(ctx.attr.deps)
    arguments = ctx.actions.args()
    arguments.add_all(["-I", "-S", "-B", ctx.file._make_jar, out])
    arguments.add_all(jars, before_each = "--merge")
    for key, value in ctx.attr.manifest.items():
        arguments.add_all(["--manifest", key, value])
    ctx.actions.run_shell(
        inputs = depset([ctx.file._make_jar], transitive = [jars]),
        outputs = [out],
        arguments = [arguments],
        command = "exec python3 \"$@\"",
        mnemonic = "Jar",
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([out]), runfiles = ctx.runfiles([out])), _Jars(jars = depset([out]))]

jvm_jar = rule(
    implementation = _jvm_jar_impl,
    attrs = {
        "deps": attr.label_list(providers = [_Jars], doc = "libraries"),
        "manifest": attr.string_dict(doc = "lines of the manifest"),
        "out": attr.string(doc = "the file's name; NAME.jar if it is empty"),
        "_make_jar": attr.label(default = "//third_party/jdk:make_jar.py", allow_single_file = True),
    },
    doc = "NAME.jar: `deps` and all that they depend on in one jar.",
)

_SCRIPT = """#!/bin/bash
# The pinned virtual machine, with nothing of the host's environment.
set -e
cd "${{TEST_SRCDIR:-$0.runfiles}}/${{TEST_WORKSPACE:-lathe}}"
jdk=$PWD/../jdk
TEST_TMPDIR=${{TEST_TMPDIR:-$(mktemp -d)}}
exec env -i PATH=/usr/bin:/bin HOME="$TEST_TMPDIR" TMPDIR="$TEST_TMPDIR" TEST_TMPDIR="$TEST_TMPDIR" \\
  JDK="$jdk" TEST_SRCDIR="$TEST_SRCDIR" LATHE_TEST_DATA="$LATHE_TEST_DATA" LD_LIBRARY_PATH="$jdk/lib/x86_64-linux-gnu" LC_ALL=C.UTF-8 {env} \\
  "$jdk/{java}" -ea -Xmx512m -XX:+UseSerialGC -Djava.io.tmpdir="$TEST_TMPDIR" \\
  -XX:ErrorFile="$TEST_TMPDIR/hs_err.log" -XX:-UsePerfData {flags} -cp "{classpath}" {main} {args} "$@"
"""

def _jvm_test_impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + "_classes.jar")
    jars = _compile(ctx, out, ctx.files.srcs, ctx.attr.deps, ctx.attr.resources)
    script = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(script, _SCRIPT.format(
        args = " ".join([ctx.expand_location(a, ctx.attr.data) for a in ctx.attr.arguments]),
        classpath = ":".join([j.short_path for j in jars.to_list()]),
        env = " ".join(["%s=\"%s\"" % pair for pair in ctx.attr.environment.items()]),
        flags = " ".join(ctx.attr.flags),
        java = _JAVA + "java",
        main = ctx.attr.main,
    ), is_executable = True)
    runfiles = ctx.runfiles(files = ctx.files.data + ctx.files._jdk, transitive_files = jars)
    for target in ctx.attr.data:
        runfiles = runfiles.merge(target[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = script, runfiles = runfiles)]

_jvm_test = rule(
    implementation = _jvm_test_impl,
    attrs = dict(
        _COMMON,
        arguments = attr.string_list(doc = "of the program"),
        data = attr.label_list(allow_files = True),
        environment = attr.string_dict(doc = "variables, beside the few that every test has"),
        flags = attr.string_list(doc = "of the virtual machine"),
        main = attr.string(mandatory = True, doc = "the class with `main`"),
    ),
    test = True,
)

def jvm_test(name, tags = [], size = "small", **kwargs):
    """A program run by the pinned virtual machine; it fails if `main` throws.

    Left out under sanitizers: the virtual machine is compiled without them, and handles SIGSEGV itself.

    Args:
      name: of the test.
      tags: of it.
      size: of it.
      **kwargs: the rule's attributes: srcs, deps, main, data, arguments, flags, environment.
    """
    _jvm_test(name = name, size = size, tags = tags + ["uninstrumented"], **kwargs)
