"""Every repository that the build fetches. WORKSPACE calls lathe_repositories() and nothing else."""

load("//third_party/abseil:packages.bzl", "ABSEIL_PACKAGES")
load("//third_party/debian:deb.bzl", "deb_repository", "deb_source")
load("//third_party/debian:licences.bzl", "licence_repository")
load("//third_party/debian:lock.bzl", "PACKAGES", "SOURCES", "SUITE")
load("//third_party/debian:packages.bzl", "PACKAGE_SETS", "SOURCE_SETS")
load("//third_party/llvm:archives.bzl", "LLVM_ARCHIVES")
load("//third_party/pypi:lock.bzl", "WHEELS")
load("//third_party/pypi:packages.bzl", "WHEEL_SETS")
load("//third_party/pypi:wheel.bzl", "wheel_repository")

def _pinned(name):
    return {p: json.encode(PACKAGES[p]) for p in PACKAGE_SETS[name] if p in PACKAGES}

def _packages(name, **kwargs):
    deb_repository(name = name, packages = _pinned(name), suite = SUITE, **kwargs)

def _source(name, **kwargs):
    package = SOURCE_SETS[name]
    deb_source(name = name, package = package, pin = json.encode(SOURCES[package]), suite = SUITE, **kwargs)

def _wheels(name, **kwargs):
    names = [r.partition("==")[0].replace("_", "-") for r in WHEEL_SETS[name]]
    wheel_repository(name = name, pins = [json.encode(WHEELS[n]) for n in names if n in WHEELS], **kwargs)

_LLVM = "usr/lib/llvm-19/"
_JDK = "usr/lib/jvm/java-17-openjdk-amd64/"

def lathe_repositories():
    """Declares all of them; each is fetched when something first needs it."""

    # Repositories that Bazel's own tools load. Bazel's defaults for them are downloads.
    for name in ["rules_cc", "platforms", "remote_coverage_tools"]:
        native.local_repository(name = name, path = "third_party/bazel/" + name)
    _packages("rules_java", root = "usr/share/bazel/rules/java")
    _packages("rules_proto", root = "usr/share/bazel/rules/proto")
    _packages("bazel_skylib", root = "usr/share/bazel/tools/skylib")

    # The compiler, without the programs that no action runs.
    _packages(
        "clang",
        build_file = "//third_party/toolchain:clang.BUILD",
        keep = [_LLVM + "bin/" + tool for tool in [
            "clang",
            "clang++",
            "clang-format",
            "clang-tidy",
            "ld.lld",
            "lld",
            "llvm-ar",
            "llvm-cov",
            "llvm-dwarfdump",
            "llvm-nm",
            "llvm-objcopy",
            "llvm-objdump",
            "llvm-profdata",
            "llvm-readelf",
            "llvm-readobj",
            "llvm-strip",
            "llvm-symbolizer",
        ]] + [
            _LLVM + "lib/clang/*",
            "usr/lib/clang/*",
            "usr/lib/x86_64-linux-gnu/*.so*",
            "lib/x86_64-linux-gnu/*.so*",
        ],
        drop = ["*/lib/linux/*-i386.*", "*/lib/linux/*-i386*.a", "*hwasan*", "*/lib/linux/*dfsan*", "*/lib/linux/*msan*"],
    )
    for arch in ["amd64", "arm64", "armhf", "riscv64"]:
        _packages("sysroot_" + arch, build_file = "//third_party/toolchain:sysroot.BUILD")
    _packages(
        "gcc",
        build_file = "//third_party/toolchain:gcc.BUILD",
        keep = [
            "usr/bin/x86_64-linux-gnu-*",
            "usr/lib/gcc/x86_64-linux-gnu/12/*",
            "usr/lib/x86_64-linux-gnu/*.so*",
            "lib/x86_64-linux-gnu/*.so*",
        ],
        drop = ["*/lto1", "*/lto-wrapper"],
    )
    _wheels(
        "cmake",
        build_file = "//third_party/cmake:cmake.BUILD",
        keep = [
            "cmake/data/bin/cmake",
            "cmake/data/bin/ctest",
            "cmake/data/share/cmake-3.25/*",
            "ninja-*.data/scripts/ninja",
        ],
        drop = ["*/cmake-3.25/Help/*"],
    )
    _packages("qemu", build_file = "//third_party/qemu:qemu.BUILD", keep = [
        "usr/bin/qemu-%s-static" % arch
        for arch in ["aarch64", "arm", "riscv64"]
    ])

    # Python, for the tests of the Python package and for fetching wheels.
    _packages(
        "python",
        build_file = "//third_party/python:python.BUILD",
        drop = [
            # Files that need absent packages, or serve only the package client's own set-up.
            "*/sitecustomize.py",
            "*/config-3.11-*",
            "*/__pycache__/*",
            "usr/lib/python3.11/ensurepip/*",
            "usr/lib/python3.11/pydoc_data/*",
            "usr/lib/python3.11/lib2to3/*",
            "usr/lib/python3.11/tkinter/*",
            "usr/lib/x86_64-linux-gnu/*.a",
        ],
    )
    _wheels("pypi_numpy")
    _wheels("pypi_nanobind", build_file = "//third_party/python:nanobind.BUILD")
    _wheels("pypi_tvm_ffi")
    _wheels("pypi_ml_dtypes")
    _wheels("pypi_mypy")
    _wheels("pypi_pytest")
    # Ray's core, without its libraries and the files of its pages.
    _wheels("pypi_ray", drop = ["*/tests/*"] + ["ray/%s/*" % part for part in [
        "cpp",
        "dashboard/client",
        "data",
        "jars",
        "llm",
        "rllib",
        "serve",
        "train",
        "tune",
    ]])

    # Without the other languages' ways of writing dates.
    _wheels("pypi_sphinx", drop = ["*/tests/*"] + ["babel/locale-data/[%s]*" % first for first in ["a-d", "f-q", "s-z"]])
    _wheels("pypi_xgboost", drop = ["*/tests/*"])

    # Java: the compiler, the archiver and the virtual machine, without tools that nothing here runs.
    _packages(
        "jdk",
        build_file = "//third_party/jdk:jdk.BUILD",
        keep = [_JDK + "bin/" + tool for tool in ["java", "javac", "javadoc", "javap"]] + [
            _JDK + "conf/*",
            _JDK + "include/*",
            _JDK + "lib/*",
            "etc/java-17-openjdk/*",
            "lib/x86_64-linux-gnu/*.so*",
        ],
        drop = [
            "*/lib/src.zip",
            _JDK + "lib/security/cacerts",
        ],
    )

    # CUDA: the compiler as a library, its headers, a disassembler. No driver, no linked library.
    _wheels(
        "cuda",
        build_file = "//third_party/cuda:cuda.BUILD",
        keep = [
            "nvidia/cu13/include/*",
            "nvidia/cu13/lib/libnvrtc*.so.*",
        ],
        drop = ["*.alt.so.*"],
    )
    _wheels(
        "cuda_nvcc",
        build_file = "//third_party/cuda:cuda_nvcc.BUILD",
        keep = [
            "nvidia/cu13/bin/*",
            "nvidia/cu13/include/cccl/cuda/*",
            "nvidia/cu13/include/cccl/nv/*",
            "nvidia/cu13/nvvm/*",
        ],
    )
    _wheels(
        "cuda_tools",
        build_file = "//third_party/cuda:cuda_tools.BUILD",
        keep = ["nvidia/cu13/bin/*"],
    )

    # Licences of the parts of a release.
    licence_repository(
        name = "licences",
        build_file = "//third_party/debian:licences.BUILD",
        packages = _pinned("licences"),
        suite = SUITE,
    )

    # OpenCL.
    _packages("pocl", build_file = "//third_party/pocl:pocl.BUILD", keep = [
        "usr/lib/llvm-15/lib/*.so*",
        "usr/lib/x86_64-linux-gnu/*.so*",
        "usr/share/pocl/*",
        "lib/x86_64-linux-gnu/*.so*",
    ])
    _packages("opencl_headers", build_file = "//third_party/pocl:headers.BUILD", keep = ["usr/include/CL/*"])
    _packages("clblast", build_file = "//third_party/pocl:clblast.BUILD", keep = [
        "usr/include/clblast*",
        "usr/lib/x86_64-linux-gnu/libclblast.so*",
    ])

    # Libraries.
    _packages(
        "llvm",
        build_file = "//third_party/llvm:llvm.BUILD",
        keep = [
            "usr/include/llvm-19/*",
            "usr/include/llvm-c-19/*",
            "usr/lib/x86_64-linux-gnu/lib*.so*",
            "usr/lib/x86_64-linux-gnu/libtinfo.a",
            "usr/lib/x86_64-linux-gnu/libz.a",
            "usr/lib/x86_64-linux-gnu/libzstd.a",
            "lib/x86_64-linux-gnu/lib*.so*",
        ] + [_LLVM + "lib/" + name for name in LLVM_ARCHIVES],
    )
    _source(
        "com_google_absl",
        header_groups = ["absl/" + package for package in ABSEIL_PACKAGES],
        patches = ["//third_party/abseil:out_of_memory.patch"],
        # Patches for Debian's own build: CMake files, library names, its own string_view, one test.
        patches_left_out = [
            "configure.diff",
            "cordz-info-statistics-test.diff",
            "cpu-features.diff",
            "empty-flags-library.diff",
            "latomic.diff",
            "leaky-pkgconfig-cflags.diff",
        ],
        strip_prefix = "abseil-20220623.1",
    )
    _source("com_google_googletest", strip_prefix = "googletest-release-1.12.1")
    _source("libjpeg_turbo", build_file = "//third_party/libjpeg_turbo:libjpeg_turbo.BUILD", strip_prefix = "libjpeg-turbo-2.1.5")
    _source("libpng", build_file = "//third_party/libpng:libpng.BUILD", strip_prefix = "libpng-1.6.39")
    _source("mbedtls", build_file = "//third_party/mbedtls:mbedtls.BUILD", strip_prefix = "Mbed-TLS-mbedtls-8f97ca5")
    _source("zlib", build_file = "//third_party/zlib:zlib.BUILD", strip_prefix = "zlib-1.2.13.dfsg")
