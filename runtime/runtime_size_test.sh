#!/bin/sh
# The runtime library is small, exports nothing but lathe_*, and starts fast. Prints the figures.
set -eu
library=$1
stripped=$2
exports=$3
starter=$4
others=$(awk '$2 != "U" && $3 !~ /^lathe_/ && $3 !~ /^LATHE_1/ { print $3 }' "$exports")
if [ -n "$others" ]; then
  echo "exports more than lathe_*: $others"
  exit 1
fi
[ "$(awk '$3 ~ /^lathe_/' "$exports" | wc -l)" -ge 50 ]
if grep -qa '__[at]san_init' "$library"; then
  echo "instrumented by a sanitizer: its size and start say nothing"
  exit 0
fi
bytes=$(wc -c < "$stripped")
echo "liblathe_runtime.so: $bytes bytes stripped (at most 500000)"
"$starter" "$PWD/$library"
[ "$bytes" -le 500000 ]
