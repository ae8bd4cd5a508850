"""Shared libraries for those who call what no source in this tree calls."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _whole_library_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        cc_toolchain = toolchain,
        ctx = ctx,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    merged = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps])
    inputs = []
    for one in merged.linking_context.linker_inputs.to_list():
        libraries = []
        for library in one.libraries:
            archive = library.pic_static_library or library.static_library
            if archive and not library.alwayslink:
                library = cc_common.create_library_to_link(
                    actions = ctx.actions,
                    alwayslink = True,
                    cc_toolchain = toolchain,
                    feature_configuration = features,
                    pic_static_library = archive,
                )
            libraries.append(library)
        inputs.append(cc_common.create_linker_input(
            additional_inputs = depset(one.additional_inputs),
            libraries = depset(libraries),
            owner = one.owner,
            user_link_flags = depset(one.user_link_flags),
        ))
    return [CcInfo(
        compilation_context = merged.compilation_context,
        linking_context = cc_common.create_linking_context(linker_inputs = depset(inputs, order = "topological")),
    )]

whole_library = rule(
    implementation = _whole_library_impl,
    doc = "`deps` and all that they depend on, linked whole: with `linkshared` a linker otherwise takes nothing that nobody calls.",
    attrs = {
        "deps": attr.label_list(mandatory = True, providers = [CcInfo], doc = "libraries"),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    provides = [CcInfo],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
