"""lathe_plugin: one shared library with one exported symbol, its manifest inside."""

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
      manifest: JSON file (docs/adding_a_backend.md).
      deps: libraries, linked in statically; the SDK is added.
      copts: further compiler flags.
      linkopts: further linker flags.
      expected_failures: file of the kit's checks that are expected to fail, each with its reason.
      features: of the toolchain; "static_libstdcxx" for a plugin that brings its own.
      tags: of all targets.
      test_tags: of the test, beside those.
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
        copts = ["-fvisibility=hidden", "-fvisibility-inlines-hidden"] + copts,
        features = features,
        linkopts = [
            "-Wl,--version-script=$(location //plugins/sdk:plugin.lds)",
            "-Wl,--exclude-libs,ALL",
            "-Wl,-Bsymbolic",
        ] + linkopts,
        linkshared = True,
        linkstatic = True,
        tags = tags,
        testonly = testonly,
        visibility = visibility,
        deps = deps + [
            "//plugins/sdk",
            "//plugins/sdk:plugin.lds",
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
        srcs = ["//tools/plugin_test:conformance_test.sh"],
        args = [
            "$(rootpath //tools/plugin_test:lathe-plugin-test)",
            "$(rootpath :%s)" % library,
        ] + (["$(rootpath %s)" % expected_failures] if expected_failures else []),
        data = [
            ":" + library,
            "//tools/plugin_test:lathe-plugin-test",
        ] + ([expected_failures] if expected_failures else []),
        tags = tags + test_tags,
    )

def embed_manifest(name, manifest, tags = [], testonly = False):
    """A source file that puts a manifest into the library's section .lathe.manifest."""
    native.genrule(
        name = name,
        srcs = [manifest],
        outs = [name + ".cc"],
        cmd = """{
          echo '#include "plugins/sdk/manifest.h"'
          echo '__attribute__((section(".lathe.manifest"), used, retain))'
          printf 'const char lathe_plugin_manifest[] = R"lathe-json('
          cat $<
          echo ')lathe-json";'
          echo 'const uint64_t lathe_plugin_manifest_size = sizeof(lathe_plugin_manifest) - 1;'
        } > $@""",
        tags = tags,
        testonly = testonly,
        visibility = ["//visibility:private"],
    )
