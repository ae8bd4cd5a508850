"""lathe_plugin: one shared library with one exported symbol, its manifest inside.

In Lathe's own tree and in the SDK's archive alike (docs/guides/adding_a_backend.md).
"""

# Of the repository that this file lies in, whoever loads it.
_SDK = Label("//plugins/sdk:sdk")
_VERSION_SCRIPT = Label("//plugins/sdk:plugin.lds")
_EMBED = Label("//plugins/sdk:embed_manifest")
_KIT = Label("//tools/plugin_test:lathe-plugin-test")
_RUN_KIT = Label("//plugins/sdk:conformance_test.sh")

def lathe_plugin(
        name,
        srcs,
        manifest,
        deps = [],
        copts = [],
        linkopts = [],
        features = [],
        expected_failures = None,
        tags = [],
        test_tags = [],
        test_args = [],
        test_data = [],
        testonly = False,
        visibility = None,
        **kwargs):
    """Builds `lib<name>.so`, and `<name>_conformance_test`, which runs the conformance kit on it.

    The library has hidden visibility, its dependencies' symbols are its own, and calls within it stay
    within it: two plugins with two copies of one library do not meet. The test checks that, and all else
    that `lathe-plugin-test` knows; its report is conformance.json among the test's outputs.

    Args:
      name: of the plugin; also a target that stands for the library.
      srcs: sources; one defines lathe::sdk::RegisterPlugin (plugins/sdk/plugin.h).
      manifest: JSON file (docs/guides/adding_a_backend.md).
      deps: libraries, linked in statically; the SDK is added.
      copts: further compiler flags.
      linkopts: further linker flags.
      expected_failures: file of the kit's checks that are expected to fail, each with its reason.
      features: of the toolchain; "static_libstdcxx" for a plugin that brings its own.
      tags: of all targets.
      test_tags: of the test, beside those.
      test_args: further options of the kit (lathe-plugin-test), such as ["--target", "'acme -cores=2'"];
        with expected_failures only.
      test_data: files that these name.
      testonly: whether only tests may use it.
      visibility: of the library.
      **kwargs: further attributes of the library.
    """
    library = "lib%s.so" % name
    embed_manifest(
        name = name + "_manifest",
        manifest = manifest,
        tags = tags,
        testonly = testonly,
    )
    native.cc_binary(
        name = library,
        srcs = srcs + [":%s_manifest" % name],
        copts = ["-std=c++20", "-fvisibility=hidden", "-fvisibility-inlines-hidden"] + copts,
        features = features,
        linkopts = [
            "-Wl,--version-script=$(location %s)" % _VERSION_SCRIPT,
            "-Wl,-Bsymbolic",
        ] + linkopts,
        linkshared = True,
        linkstatic = True,
        tags = tags,
        testonly = testonly,
        visibility = visibility,
        deps = deps + [
            str(_SDK),
            str(_VERSION_SCRIPT),
        ],
        **kwargs
    )
    native.filegroup(
        name = name,
        srcs = [":" + library],
        tags = tags,
        testonly = testonly,
        visibility = visibility,
    )
    native.sh_test(
        name = name + "_conformance_test",
        size = "medium",
        srcs = [str(_RUN_KIT)],
        args = [
            "$(rootpath %s)" % _KIT,
            "$(rootpath :%s)" % library,
        ] + (["$(rootpath %s)" % expected_failures] if expected_failures else []) + test_args,
        data = [
            ":" + library,
            str(_KIT),
        ] + ([expected_failures] if expected_failures else []) + test_data,
        tags = tags + test_tags,
    )

def embed_manifest(name, manifest, tags = [], testonly = False):
    """A source file that puts a manifest into the library's section .lathe.manifest."""
    native.genrule(
        name = name,
        srcs = [manifest],
        outs = [name + ".cc"],
        cmd = "$(location %s) $< > $@" % _EMBED,
        tools = [str(_EMBED)],
        tags = tags,
        testonly = testonly,
        visibility = ["//visibility:private"],
    )
