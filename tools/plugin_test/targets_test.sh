#!/bin/sh
# targets_test.sh PROGRAM LIBTHREADS_EXAMPLE: the kit for a target with attributes.
set -eu
program=$1
plugin=$2
# Blocks of fewer threads than the kit takes by itself.
"$program" --only codegen/ --target "threads -max_threads_per_block=16" "$plugin" | tee card.txt
grep -q "^codegen/add  *ok" card.txt
# More than a block may have: the manifest's range.
refused() { # target, what is said
  if "$program" --only codegen/add --target "$1" "$plugin" > out.txt 2>&1; then code=0; else code=$?; fi
  cat out.txt
  test "$code" = 2 && grep -q "$2" out.txt
}
refused "threads -max_threads_per_block=4096" target-bad-value
refused "threads -max-threads=16" target-unknown-attribute
refused "weaver" 'has no target `weaver`'
# One target is all there is: nothing more to check.
"$program" --list "$plugin" > one.txt
"$program" --list --all-targets "$plugin" > all.txt
cmp one.txt all.txt
