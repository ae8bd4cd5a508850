#!/bin/bash
# Graphs on a device from the command line: command.sh LATHE
set -euo pipefail
lathe=$PWD/$1
export LATHE_CACHE_DIR=$TEST_TMPDIR/cache
cd "$TEST_TMPDIR"

cat > sorted.lathe <<'END'
graph module

graph main(%v: float32[5]) -> float32[5] {
  %0: float32[5] = exp(%v)
  %1: float32[5] = add(%0, %0)
  %2: float32[5] = sort(%1)
  return %2
}
END

fail() {
  echo "FAILED: $1"
  cat note out 2>/dev/null
  exit 1
}

for targets in "--target opencl" "--target opencl --target llvm"; do
  # shellcheck disable=SC2086
  "$lathe" run sorted.lathe $targets --input v=zeros > out 2> note
  grep -qF '2' out || fail "no results"
  "$lathe" compile sorted.lathe $targets -o sorted.so 2>> note
  "$lathe" run sorted.so --input v=zeros > loaded
  diff out loaded || fail "the library gives other results"
done
grep -qF '`sort` runs on the host' note || fail "no note about sort"
"$lathe" bench sorted.so --repeat 3 > out
grep -qF 'median' out || fail "no times"
if "$lathe" run sorted.lathe --target opencl --target opencl --input v=zeros > out 2> note; then
  fail "two targets for one device are taken"
fi
grep -qF 'graph-target' note || fail "another error"

# Kernels of a graph are tuned where they run; those of the host are not.
cat > net.lathe <<'END'
graph main(%x: float32[32, 48], %w: float32[64, 48]) {
  %h = nn.dense(%x, %w)
  %y = sort(%h)
  return %y
}
END
"$lathe" tune net.lathe --target opencl --trials 3 --log tune.jsonl -o best.jsonl > out 2> note ||
  fail "a graph is not tuned"
grep -qF 'of which 2 can be tuned; 1 are for another device' out || fail "another number of kernels"
grep -qF '"threads.per_block"' tune.jsonl || fail "no knobs of threads"
inputs="--input x=random --input w=random"
# shellcheck disable=SC2086
"$lathe" run net.lathe --target opencl $inputs > out 2> note
# shellcheck disable=SC2086
"$lathe" run net.lathe --target opencl $inputs --records tune.jsonl > tuned 2> note
diff out tuned || fail "the records give other results"
grep -qF 'kernels have schedules from records: ' note || fail "the records are not used"
