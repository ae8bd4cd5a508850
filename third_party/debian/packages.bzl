"""Which Debian packages make which repository. Edited by hand; `tools/lock refresh` pins them.

Plain literals only: tools/lock reads this file too."""

# The base suite. Packages of update and security suites vanish from mirrors when superseded.
SUITE = "bookworm"

# Repository name -> packages, unpacked over each other.
PACKAGE_SETS = {
    # The compiler and its tools. The shared libraries that it loads are listed, too: dependencies
    # are not resolved.
    "clang": [
        "clang-19",
        "lld-19",
        "llvm-19",
        "libllvm19",
        "libclang-cpp19",
        "libclang-common-19-dev",
        "libclang-rt-19-dev",
        "clang-format-19",
        "clang-tidy-19",
        "libedit2",
        "libffi8",
        "libxml2",
        "libz3-4",
        "libzstd1",
        "zlib1g",
        "libbsd0",
        "libtinfo6",
        "libicu72",
        "liblzma5",
        "libmd0",
    ],
    # LLVM to link against: headers, static archives, the shared library and the libraries it loads.
    "llvm": [
        "llvm-19-dev",
        "libllvm19",
        "libedit2",
        "libffi8",
        "libxml2",
        "libz3-4",
        "libzstd1",
        "zlib1g",
        "libbsd0",
        "libtinfo6",
        "libicu72",
        "liblzma5",
        "libmd0",
        "zlib1g-dev",
        "libzstd-dev",
        "libncurses-dev",
    ],
    # C and C++ libraries of each target, from the cross packages: one layout for all.
    "sysroot_amd64": [
        "libc6-dev-amd64-cross",
        "libc6-amd64-cross",
        "linux-libc-dev-amd64-cross",
        "libstdc++-12-dev-amd64-cross",
        "libgcc-12-dev-amd64-cross",
        "libgcc-s1-amd64-cross",
        "libstdc++6-amd64-cross",
    ],
    "sysroot_arm64": [
        "libc6-dev-arm64-cross",
        "libc6-arm64-cross",
        "linux-libc-dev-arm64-cross",
        "libstdc++-12-dev-arm64-cross",
        "libgcc-12-dev-arm64-cross",
        "libgcc-s1-arm64-cross",
        "libstdc++6-arm64-cross",
    ],
    "sysroot_armhf": [
        "libc6-dev-armhf-cross",
        "libc6-armhf-cross",
        "linux-libc-dev-armhf-cross",
        "libstdc++-12-dev-armhf-cross",
        "libgcc-12-dev-armhf-cross",
        "libgcc-s1-armhf-cross",
        "libstdc++6-armhf-cross",
    ],
    "sysroot_riscv64": [
        "libc6-dev-riscv64-cross",
        "libc6-riscv64-cross",
        "linux-libc-dev-riscv64-cross",
        "libstdc++-12-dev-riscv64-cross",
        "libgcc-12-dev-riscv64-cross",
        "libgcc-s1-riscv64-cross",
        "libstdc++6-riscv64-cross",
    ],
    # The interpreter that tests of the Python package run in, its headers, and the pip that fetches
    # pinned wheels. Shared libraries that its modules load are listed.
    "python": [
        "python3.11-minimal",
        "libpython3.11-minimal",
        "libpython3.11-stdlib",
        "libpython3.11-dev",
        "python3-pip-whl",
        "libbz2-1.0",
        "libcrypt1",
        "libexpat1",
        "libffi8",
        "liblzma5",
        "libsqlite3-0",
        "libssl3",
        "libuuid1",
        "zlib1g",
    ],
    # Compiles and runs the Java package (java/); its headers are those of JNI. Shared libraries that
    # the virtual machine loads are listed.
    "jdk": [
        "openjdk-17-jdk-headless",
        "openjdk-17-jre-headless",
        "zlib1g",
    ],
    # Another vendor's compilers: tests build plugins with them from the SDK's archive
    # (tests/outside). Headers and libraries are those of sysroot_amd64.
    "gcc": [
        "gcc-12",
        "cpp-12",
        "g++-12",
        "binutils-x86-64-linux-gnu",
        "libbinutils",
        "libctf0",
        "libctf-nobfd0",
        "libgmp10",
        "libisl23",
        "libjansson4",
        "libmpc3",
        "libmpfr6",
        "libzstd1",
        "zlib1g",
    ],
    # The licences of the parts of a release (docs/licences.md).
    "licences": [
        "llvm-19-dev",
        "libtinfo6",
        "libzstd-dev",
        "opencl-c-headers",
        "zlib1g-dev",
        "libc6-dev-amd64-cross",
        "gcc-12-cross-base",
    ],
    # Runs test programs of other targets.
    "qemu": ["qemu-user-static"],
    # An OpenCL for processors, with the compiler that it loads, and the loader that finds it: tests
    # of the OpenCL backend run on it.
    "pocl": [
        "libpocl2",
        "libpocl2-common",
        "ocl-icd-libopencl1",
        "libllvm15",
        "libclang-cpp15",
        "libhwloc15",
        "libudev1",
        "libedit2",
        "libffi8",
        "libxml2",
        "libz3-4",
        "zlib1g",
        "libbsd0",
        "libtinfo6",
        "libicu72",
        "liblzma5",
        "libmd0",
    ],
    # OpenCL's C headers.
    "opencl_headers": ["opencl-c-headers"],
    # Tuned linear algebra on OpenCL, with which bench/opencl compares.
    "clblast": [
        "libclblast1",
        "libclblast-dev",
    ],
    # Rule sets that Bazel's own tools load.
    "rules_java": ["bazel-rules-java"],
    "rules_proto": ["bazel-rules-proto"],
    "bazel_skylib": ["bazel-skylib"],
}

# Repository name -> Debian source package: built here, for every target and sanitizer.
SOURCE_SETS = {
    "com_google_absl": "abseil",
    "com_google_googletest": "googletest",
    "libjpeg_turbo": "libjpeg-turbo",
    "libpng": "libpng1.6",
    "zlib": "zlib",
    "mbedtls": "mbedtls",
}
