#!/bin/bash
# usage: run.sh PROGRAM ARGS...
# Runs a program with the pinned PoCL as its only OpenCL, and nothing of the host's but libc.
# POCL_DEVICES and the like may be set by the caller. LATHE_TEST_NO_OPENCL=1 leaves the loader out
# of the library path (and hides the host's), LATHE_TEST_NO_ICD=1 the driver out of the loader's list.
set -eu
runfiles=$(cd "${RUNFILES_DIR:-${TEST_SRCDIR:-$0.runfiles}}" && pwd)
# `bazel run` does not say: programs find Lathe's plugins there.
export RUNFILES_DIR=$runfiles
pocl=$runfiles/pocl
work=${TEST_TMPDIR:-$(mktemp -d)}
mkdir -p "$work/vendors" "$work/bin" "$work/pocl-cache"
rm -f "$work/vendors/pocl.icd"
if [ "${LATHE_TEST_NO_ICD:-0}" = 0 ]; then
  echo "$pocl/usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0" > "$work/vendors/pocl.icd"
fi
# PoCL runs `ld` on each kernel, and aborts without one.
sed "s|@CLANG@|$runfiles/clang|" "$runfiles/lathe/third_party/pocl/ld" > "$work/bin/ld"
chmod +x "$work/bin/ld"
export PATH=$work/bin:/usr/bin:/bin
export OCL_ICD_VENDORS=$work/vendors
export POCL_CACHE_DIR=$work/pocl-cache
export LATHE_CACHE_DIR=$work/lathe-cache
if [ "${LATHE_TEST_NO_OPENCL:-0}" = 0 ]; then
  # The last is there for benchmarks that compare with CLBlast.
  export LD_LIBRARY_PATH=$pocl/usr/lib/x86_64-linux-gnu:$pocl/lib/x86_64-linux-gnu:$runfiles/clblast/usr/lib/x86_64-linux-gnu
else
  # Files that are no libraries, before the loader that the host may have.
  mkdir -p "$work/none"
  touch "$work/none/libOpenCL.so.1" "$work/none/libOpenCL.so"
  export LD_LIBRARY_PATH=$work/none
fi
exec "$@"
