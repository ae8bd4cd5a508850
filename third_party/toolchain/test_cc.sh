#!/bin/sh
# The pinned clang as a C compiler, for tests: with the headers that lie beside it in the runfiles.
external=$(dirname "$0")/../../..
libraries=$external/clang/usr/lib/x86_64-linux-gnu:$external/clang/lib/x86_64-linux-gnu
LD_LIBRARY_PATH=$libraries exec "$external/clang/usr/lib/llvm-19/bin/clang" --target=x86_64-linux-gnu \
  -nostdlibinc -isystem "$external/sysroot_amd64/usr/x86_64-linux-gnu/include" "$@"
