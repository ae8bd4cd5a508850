#!/bin/bash
# usage: readelf_test.sh LIBRARY...
# The pinned readelf must read all of each library without a warning, and find what a dynamic linker needs.
set -u
clang=$PWD/../clang/usr
export LD_LIBRARY_PATH=$clang/lib/x86_64-linux-gnu:$PWD/../clang/lib/x86_64-linux-gnu
failed=0
for library in "$@"; do
  if ! "$clang/lib/llvm-19/bin/llvm-readelf" --all --dyn-syms "$library" > "$TEST_TMPDIR/out" 2> "$TEST_TMPDIR/err"; then
    echo "$library: readelf failed"
    failed=1
  fi
  if [ -s "$TEST_TMPDIR/err" ] || grep -i "warning" "$TEST_TMPDIR/out"; then
    echo "$library: readelf warns:"
    cat "$TEST_TMPDIR/err"
    failed=1
  fi
  for wanted in "GNU_RELRO" "BIND_NOW" "libm.so.6" " SumOfExp" " expf" ".text"; do
    if ! grep -qF -- "$wanted" "$TEST_TMPDIR/out"; then
      echo "$library: readelf does not show $wanted"
      failed=1
    fi
  done
  if grep -E "LOAD .* RWE " "$TEST_TMPDIR/out"; then
    echo "$library: a segment is writable and executable"
    failed=1
  fi
done
exit $failed
