#!/bin/sh
# boards_test.sh PROGRAM [EMULATOR PROGRAM]...: this machine's program runs, and the program of each
# board under the board's emulator.
set -eu
echo "$1"
"$1"
shift
while test $# -gt 0; do
  echo "$2"
  "$1" "$2"
  shift 2
done
