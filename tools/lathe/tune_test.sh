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

expect 0 "usage: lathe tune PROGRAM|MODEL" "$lathe" tune --help
expect 2 "expected: genetic, random or grid" "$lathe" tune gemm.lathe --tuner best
expect 3 "error[file-unreadable]" "$lathe" tune missing.lathe
expect 1 "error[tune-arguments]" "$lathe" tune "$root/examples/programs/vector_add.lathe"
expect 3 "error[tune-journal-unwritable]" "$lathe" tune gemm.lathe --log /no/such/folder/log
expect 3 "error[rpc-unreachable]" "$lathe" tune gemm.lathe --host 127.0.0.1:1
expect 2 "names the log, which it would replace" "$lathe" tune gemm.lathe --log one.jsonl -o ./one.jsonl
expect 2 "names the log, which it would replace" "$lathe" tune gemm.lathe -o tune.jsonl
expect 2 "a number from" "$lathe" tune gemm.lathe --minutes 0
expect 3 "error[output-folder]" "$lathe" tune gemm.lathe --trials 1 -o /no/such/folder/tuned.lathe
[ ! -s tune.jsonl ] || { echo "FAILED: a search began"; failures=$((failures + 1)); }

# A search, the same one again, which goes on, and what it wrote.
expect 0 "trials     6, 0 of them failed, 0 more were known; ended: trials" \
  "$lathe" tune gemm.lathe --trials 6 -o tuned.lathe
[ "$(wc -l < tune.jsonl)" = 6 ] || { echo "FAILED: $(wc -l < tune.jsonl) records"; failures=$((failures + 1)); }
expect 0 "trials     4, 0 of them failed, 6 more were known; ended: trials" "$lathe" tune gemm.lathe --trials 4
expect 0 "written    tuned.lathe" "$lathe" tune gemm.lathe --trials 1 --tuner random --seed 3 -o tuned.lathe
for program in gemm tuned; do
  expect 0 "" "$lathe" run $program.lathe random random --out $program.npy
done

expect 3 "error[tune-default-failed]" "$lathe" tune gemm.lathe --trials 1 --log failed.jsonl --disable flatten

# Schedules without a template.
expect 0 "C.axis0.register" "$lathe" tune gemm.lathe --space sketch --trials 4 --log sketch.jsonl -o sketch.lathe
expect 0 "" "$lathe" run sketch.lathe random random
expect 2 "expected: knobs or sketch" "$lathe" tune gemm.lathe --space all

# A graph, of which two kernels leave a choice. Builds use what it found, and give the same results.
cat > net.lathe <<'END'
graph main(%x: float32[32, 48], %w: float32[64, 48], %v: float32[8, 64]) {
  %h = nn.dense(%x, %w)
  %r = nn.relu(%h)
  %y = nn.dense(%r, %v)
  return %y
}
END
expect 0 "of which" "$lathe" tune net.lathe --trials 12 -o net.jsonl --log graph.jsonl
[ "$(wc -l < graph.jsonl)" = 12 ] || { echo "FAILED: $(wc -l < graph.jsonl) records"; failures=$((failures + 1)); }
# Whether something was faster or not, the log has records of both.
expect 0 "kernels have schedules from records" "$lathe" compile net.lathe --records graph.jsonl -o net.so
inputs="--input x=random --input w=random --input v=random"
mean_of() { "$lathe" run "$@" $inputs | sed -n 's/.*mean \(-\?[0-9.]\{5\}\).*/\1/p'; }
[ -n "$(mean_of net.lathe)" ] && [ "$(mean_of net.lathe)" = "$(mean_of net.so)" ] ||
  { echo "FAILED: $(mean_of net.lathe) and $(mean_of net.so)"; failures=$((failures + 1)); }
expect 0 "kernels have schedules from records: there is none" \
  "$lathe" run net.lathe $inputs --target "llvm -mcpu=x86-64-v2" --records graph.jsonl
expect 3 "error[tune-journal-unreadable]" "$lathe" run net.lathe $inputs --records none.jsonl
expect 1 "error[tune-record-invalid]" "$lathe" run net.lathe $inputs --records net.lathe
expect 2 "\`--records\` is for graphs" "$lathe" run gemm.lathe random random --records graph.jsonl
expect 2 "\`--records\` is for graphs" "$lathe" run net.so $inputs --records graph.jsonl
expect 2 "leaves no records to use" "$lathe" run net.lathe $inputs --no-records --records graph.jsonl

# A lock pins the records: the same lock gives the same bytes, whatever other records there are.
expect 0 "net.lock has the records" "$lathe" compile net.lathe --records graph.jsonl --lock net.lock -o net.so
expect 0 "2 of 4 kernels have schedules from records: matmul_nn_relu, matmul" "$lathe" compile net.lathe --lock net.lock -o locked.so
expect 0 "" "$lathe" compile net.lathe --no-records -o default.so
expect 0 "nothing.lock has the records" "$lathe" compile net.lathe --lock nothing.lock -o free.so
expect 0 "0 of 4 kernels" "$lathe" compile net.lathe --records graph.jsonl --lock nothing.lock -o nothing.so
cmp net.so locked.so && ! cmp -s net.so default.so && cmp free.so nothing.so ||
  { echo "FAILED: locks"; failures=$((failures + 1)); }
# A lock of which something is lost is no lock, and so is that of another build.
sed '2s/"seconds"/"sceonds"/' net.lock > damaged.lock
sed '2d' net.lock > shorter.lock
for lock in damaged shorter; do
  expect 3 "error[tune-lock-broken]" "$lathe" compile net.lathe --lock $lock.lock -o net.so
done
sed 's/32, 48/16, 48/' net.lathe > other.lathe
expect 3 "of which this build has 0" "$lathe" compile other.lathe --lock net.lock -o net.so
expect 3 "error[output-folder]" "$lathe" compile net.lathe --lock /no/such/folder/lock -o net.so
expect 3 "error[output-folder]" "$lathe" tune net.lathe --trials 1 -o /no/such/folder/net.jsonl

# What is in the logs.
expect 0 "float32[64, 64] float32[64, 64] -> float32[64, 64]" "$lathe" tune records tune.jsonl graph.jsonl
expect 0 "3 records" "$lathe" tune records tune.jsonl graph.jsonl --best -o best.jsonl
expect 3 "error[tune-records-output]" "$lathe" tune records tune.jsonl -o best.jsonl
expect 0 "1.00" "$lathe" tune records graph.jsonl --compare best.jsonl
expect 3 "error[tune-journal-unreadable]" "$lathe" tune records none.jsonl
expect 3 "there is no record in net.lathe" "$lathe" tune records net.lathe
expect 2 "read by the command, too" "$lathe" tune report tune.jsonl -o tune.jsonl
[ "$(grep -c '"tuner": "genetic"' graph.jsonl)" = 12 ] || { echo "FAILED: the tuner's name"; failures=$((failures + 1)); }
expect 0 "written    tune.html" "$lathe" tune report tune.jsonl graph.jsonl
[ "$(grep -o '<svg' tune.html | wc -l)" = 3 ] || { echo "FAILED: charts"; failures=$((failures + 1)); }
grep -q "[0-9] % of the roofline" tune.html || { echo "FAILED: the roofline"; failures=$((failures + 1)); }
expect 3 "error[tune-journal-unreadable]" "$lathe" tune report none.jsonl
expect 0 "usage: lathe tune records FILE" "$lathe" help tune records

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
