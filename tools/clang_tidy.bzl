"""clang-tidy as an aspect: hermetic, cached, one action for each source. tools/tidy runs it."""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

_SOURCES = ["cc", "cpp"]

def _sources(rule):
    return [
        file
        for src in getattr(rule.attr, "srcs", [])
        for file in src.files.to_list()
        if file.extension in _SOURCES and file.is_source
    ]

def _clang_tidy_impl(target, ctx):
    if CcInfo not in target or target.label.workspace_root:
        return []
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    context = target[CcInfo].compilation_context
    variables = cc_common.create_compile_variables(
        cc_toolchain = toolchain,
        feature_configuration = features,
        include_directories = context.includes,
        preprocessor_defines = depset(transitive = [context.defines, context.local_defines]),
        quote_include_directories = context.quote_includes,
        system_include_directories = context.system_includes,
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts +
                             getattr(ctx.rule.attr, "copts", []),
    )
    flags = cc_common.get_memory_inefficient_command_line(
        action_name = CPP_COMPILE_ACTION_NAME,
        feature_configuration = features,
        variables = variables,
    )
    reports = []
    for source in _sources(ctx.rule):
        report = ctx.actions.declare_file("%s.%s.tidy" % (target.label.name, source.basename))
        ctx.actions.run_shell(
            arguments = [ctx.file._config.path, source.path, report.path] + flags,
            command = """
                config=$1 source=$2 report=$3; shift 3
                third_party/toolchain/bin/clang-tidy --quiet --config-file="$config" "$source" \
                  -- "$@" >"$report" 2>&1 || { cat "$report"; exit 1; }""",
            inputs = depset([source, ctx.file._config], transitive = [context.headers, toolchain.all_files]),
            mnemonic = "ClangTidy",
            outputs = [report],
            progress_message = "Reading %s" % source.path,
        )
        reports.append(report)
    return [OutputGroupInfo(tidy = depset(reports))]

clang_tidy = aspect(
    implementation = _clang_tidy_impl,
    attrs = {
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
        "_config": attr.label(allow_single_file = True, default = "//:.clang-tidy"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
