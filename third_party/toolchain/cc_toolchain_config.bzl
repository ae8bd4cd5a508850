"""The flags of the one clang that builds for every target."""

load("@rules_cc//cc:action_names.bzl", "ACTION_NAMES")
load(
    "@rules_cc//cc:cc_toolchain_config_lib.bzl",
    "feature",
    "flag_group",
    "flag_set",
    "tool_path",
    "with_feature_set",
)

_CPP = [
    ACTION_NAMES.linkstamp_compile,
    ACTION_NAMES.cpp_compile,
    ACTION_NAMES.cpp_header_parsing,
    ACTION_NAMES.cpp_module_compile,
    ACTION_NAMES.cpp_module_codegen,
    ACTION_NAMES.clif_match,
]
_COMPILE = _CPP + [
    ACTION_NAMES.assemble,
    ACTION_NAMES.preprocess_assemble,
    ACTION_NAMES.c_compile,
]
_LINK_SHARED = [
    ACTION_NAMES.cpp_link_dynamic_library,
    ACTION_NAMES.cpp_link_nodeps_dynamic_library,
]
_LINK = _LINK_SHARED + [ACTION_NAMES.cpp_link_executable]

_SANITIZERS = {
    "asan": "-fsanitize=address",
    "tsan": "-fsanitize=thread",
    "ubsan": "-fsanitize=undefined",
}

# Modes with a precompiled header, by the prefix of its name, and the flags that its text depends on.
PRECOMPILED_MODES = {
    "": ["-DNDEBUG"],
    "asan_": ["-fsanitize=address,undefined"],
}

def _precompiled(file):
    # The header is for any level of optimisation, which clang would refuse: objects are the same.
    return ["-Xclang", "-fno-validate-pch", "-include-pch", file.path]

def _flags(actions, flags, if_features = [], unless_features = []):
    conditions = []
    if if_features or unless_features:
        conditions = [with_feature_set(features = if_features, not_features = unless_features)]
    return flag_set(
        actions = actions,
        flag_groups = [flag_group(flags = flags)],
        with_features = conditions,
    )

# Of every compilation.
_COMPILE_FLAGS = [
    # None of the host's headers, only the following ones.
    "-nostdlibinc",
    "-fno-omit-frame-pointer",
    "-fcolor-diagnostics",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-missing-field-initializers",
    "-Wno-missing-designated-field-initializers",
    "-Wno-sign-compare",
    "-Wno-unused-parameter",
    # No warnings for headers of dependencies, which are included as "absl/...".
    "--system-header-prefix=absl/",
    "--system-header-prefix=gmock/",
    "--system-header-prefix=gtest/",
    # The same bytes at any time and on any machine.
    "-ffile-compilation-dir=.",
    "-Wno-builtin-macro-redefined",
    "-D__DATE__=\"redacted\"",
    "-D__TIMESTAMP__=\"redacted\"",
    "-D__TIME__=\"redacted\"",
]

def _target_flags(triple, copts):
    return ["--target=" + triple, "-no-canonical-prefixes"] + copts

def _include(sysroot, gnu_triple):
    return "%s/usr/%s/include" % (sysroot, gnu_triple)

def _language_flags(sysroot, gnu_triple):
    include = _include(sysroot, gnu_triple)
    return [
        "-std=c++20",
        "-isystem",
        include + "/c++/12",
        "-isystem",
        "%s/c++/12/%s" % (include, gnu_triple),
        "-isystem",
        include + "/c++/12/backward",
    ]

def cpp_flags(triple, sysroot, gnu_triple, copts):
    """The flags of C++, without those of a mode (opt, dbg) or a feature."""
    return (_target_flags(triple, copts) + _COMPILE_FLAGS + _language_flags(sysroot, gnu_triple) +
            ["-isystem", _include(sysroot, gnu_triple)])

def _default_flags(triple, sysroot, gnu_triple, copts):
    target = _target_flags(triple, copts)
    include = _include(sysroot, gnu_triple)
    gcc = "%s/usr/lib/gcc-cross/%s/12" % (sysroot, gnu_triple)
    return feature(
        name = "default_flags",
        enabled = True,
        flag_sets = [
            _flags(_COMPILE, target + _COMPILE_FLAGS),
            _flags(_CPP, _language_flags(sysroot, gnu_triple)),
            _flags([ACTION_NAMES.c_compile], ["-std=c11"]),
            _flags(_COMPILE, ["-isystem", include]),
            _flags(_COMPILE, ["-g0", "-O2", "-DNDEBUG", "-ffunction-sections", "-fdata-sections"], ["opt"]),
            _flags(_COMPILE, ["-g0", "-O1"], ["fastbuild"]),
            _flags(_COMPILE, ["-g", "-O0"], ["dbg"]),
            _flags(_LINK, target + [
                "--sysroot=" + sysroot,
                "-fuse-ld=lld",
                "-Wl,--build-id=sha1",
                "-Wl,-z,relro,-z,now",
                "-Wl,--no-undefined-version",
                "-B" + gcc,
                "-L" + gcc,
                "-L%s/usr/%s/lib" % (sysroot, gnu_triple),
            ]),
            _flags(_LINK, ["-Wl,--gc-sections"], ["opt"]),
            _flags(_LINK, ["-lstdc++", "-lm"], unless_features = ["static_libstdcxx"]),
            _flags(
                _LINK,
                ["-Wl,-Bstatic", "-lstdc++", "-Wl,-Bdynamic", "-lm", "-static-libgcc"],
                ["static_libstdcxx"],
            ),
            # A sanitizer's runtime is in the executable, so a shared library has undefined symbols.
            # So do extensions of an interpreter (feature "open_symbols").
            _flags(
                [ACTION_NAMES.cpp_link_dynamic_library],
                ["-Wl,-z,defs"],
                unless_features = _SANITIZERS.keys() + ["open_symbols"],
            ),
        ],
    )

def _impl(ctx):
    features = [
        feature(name = "opt"),
        feature(name = "dbg"),
        feature(name = "fastbuild"),
        feature(name = "supports_pic", enabled = True),
        feature(name = "supports_dynamic_linker", enabled = True),
        feature(name = "supports_start_end_lib", enabled = True),
        feature(name = "static_libstdcxx"),
        feature(name = "open_symbols"),
        feature(name = "hidden_visibility", flag_sets = [
            _flags(_COMPILE, ["-fvisibility=hidden"]),
            _flags(_CPP, ["-fvisibility-inlines-hidden"]),
        ]),
        feature(name = "precompiled_headers", enabled = True, flag_sets = [
            _flags([ACTION_NAMES.cpp_compile], _precompiled(ctx.file.precompiled), ["opt"], _SANITIZERS.keys()),
        ] + ([
            _flags([ACTION_NAMES.cpp_compile], _precompiled(ctx.file.precompiled_asan), ["opt", "asan", "ubsan"]),
        ] if ctx.file.precompiled_asan else [])),
        _default_flags(ctx.attr.triple, ctx.attr.sysroot, ctx.attr.gnu_triple, ctx.attr.copts),
    ] + [
        feature(name = name, flag_sets = [
            _flags(_COMPILE, [flag, "-gline-tables-only", "-O1"]),
            _flags(_LINK, [flag, "-fsanitize-link-c++-runtime"]),
        ])
        for name, flag in _SANITIZERS.items()
    ]
    tools = {
        "ar": "llvm-ar",
        "cpp": "clang",
        "dwp": "llvm-objcopy",
        "gcc": "clang",
        "gcov": "llvm-cov",
        "ld": "clang",
        "nm": "llvm-nm",
        "objcopy": "llvm-objcopy",
        "objdump": "llvm-objdump",
        "strip": "llvm-strip",
    }
    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        toolchain_identifier = "clang19-" + ctx.attr.triple,
        host_system_name = "x86_64-linux-gnu",
        target_system_name = ctx.attr.triple,
        target_cpu = ctx.attr.cpu,
        target_libc = "glibc_2.36",
        compiler = "clang",
        abi_version = "gcc-12",
        abi_libc_version = "glibc_2.36",
        features = features,
        tool_paths = [tool_path(name = k, path = "bin/" + v) for k, v in tools.items()],
        cxx_builtin_include_directories = [
            "%workspace%/external/clang/usr/lib/llvm-19/lib/clang/19/include",
            "%workspace%/external/clang/usr/lib/llvm-19/lib/clang/19/share",
            "%%workspace%%/%s/usr/%s/include" % (ctx.attr.sysroot, ctx.attr.gnu_triple),
            # Files that do not depend on Abseil have it from the precompiled header.
            "%workspace%/external/com_google_absl",
        ],
    )

cc_toolchain_config = rule(
    implementation = _impl,
    attrs = {
        "copts": attr.string_list(),
        "cpu": attr.string(mandatory = True),
        "gnu_triple": attr.string(mandatory = True),
        # As cc_toolchain configures its compiler_files: the flag and the input name one file.
        "precompiled": attr.label(allow_single_file = True, cfg = "exec", mandatory = True),
        "precompiled_asan": attr.label(allow_single_file = True, cfg = "exec"),
        "sysroot": attr.string(mandatory = True),
        "triple": attr.string(mandatory = True),
    },
    provides = [CcToolchainConfigInfo],
)
