#!/bin/sh
# A graph that the compiler wrote, run by C programs: the test, and the example of the documents.
set -eu
for suffix in so tar; do
  "$1" "$TEST_TMPDIR/model.$suffix"
  "$2" "$TEST_TMPDIR/model.$suffix"
  "$3" "$TEST_TMPDIR/model.$suffix" 3 > "$TEST_TMPDIR/out"
  cat "$TEST_TMPDIR/out"
  grep -q '^output 0: 10 20 10 20 10 20$' "$TEST_TMPDIR/out"
done
