#!/bin/bash
# `lathe tune`: a search on this machine, and one on a server.
set -u
root=$PWD
lathe=$root/$1
work=$TEST_TMPDIR/work
mkdir -p "$work"
cd "$work" || exit 1
export LATHE_CACHE_DIR=$TEST_TMPDIR/cache
. "$root/tools/lathe/expect.sh"

cat > gemm.lathe <<'END'
program gemm {
  placeholder A: float32[64, 64]
  placeholder B: float32[64, 64]
  compute C[i in range(64), j in range(64)] over [k in range(64)] = sum(A[i, k] * B[k, j], axis=[k])
  args [A, B, C]
}
END

expect 0 "usage: lathe tune PROGRAM" "$lathe" tune --help
expect 2 "expected: random, genetic or grid" "$lathe" tune gemm.lathe --tuner best
expect 3 "error[file-unreadable]" "$lathe" tune missing.lathe
expect 1 "error[tune-arguments]" "$lathe" tune "$root/examples/programs/vector_add.lathe"
expect 3 "error[tune-journal-unwritable]" "$lathe" tune gemm.lathe --log /no/such/folder/log
expect 3 "error[rpc-unreachable]" "$lathe" tune gemm.lathe --host 127.0.0.1:1

# A search, the same one again, which goes on, and what it wrote.
expect 0 "trials     6, 0 of them failed, 0 more were known; ended: trials" \
  "$lathe" tune gemm.lathe --trials 6 -o tuned.lathe
[ "$(wc -l < tune.jsonl)" = 6 ] || { echo "FAILED: $(wc -l < tune.jsonl) records"; failures=$((failures + 1)); }
expect 0 "trials     4, 0 of them failed, 6 more were known; ended: trials" "$lathe" tune gemm.lathe --trials 4
expect 0 "written    tuned.lathe" "$lathe" tune gemm.lathe --trials 1 --tuner genetic --seed 3 -o tuned.lathe
for program in gemm tuned; do
  expect 0 "" "$lathe" run $program.lathe random random --out $program.npy
done

# On another machine.
"$lathe" remote serve --port 0 > listening 2>&1 &
server=$!
for _ in $(seq 600); do
  port=$(sed -n 's/^listening on 127.0.0.1:\([0-9]*\)$/\1/p' listening)
  [ -n "$port" ] && break
  sleep 0.1
done
expect 0 "records    in there.jsonl" "$lathe" tune gemm.lathe --trials 2 --log there.jsonl --host "127.0.0.1:$port"
kill $server
exit $((failures > 0))
