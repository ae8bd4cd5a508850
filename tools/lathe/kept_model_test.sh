#!/bin/bash
# Models that `lathe run` keeps whole in the compile cache: found again, never for other contents,
# options or damaged files, and compiled again then.
set -u
root=$PWD
lathe=$root/$1
small=$root/$2
work=$TEST_TMPDIR/work
mkdir -p "$work"
cd "$work" || exit 1
export LATHE_CACHE_DIR=$TEST_TMPDIR/cache
. "$root/tools/lathe/expect.sh"
kept() { ls "$LATHE_CACHE_DIR"/compiled/*.so 2> /dev/null | wc -l; }

# What is replaced while it is read is not kept.
cp "$small" small.onnx
run() { expect 0 "scores: " "$lathe" run small.onnx --input picture=random:1x3x16x16 "$@"; }
while :; do
  cp small.onnx new.onnx
  mv new.onnx small.onnx
done &
pid=$!
run
kill $pid
wait $pid 2> /dev/null
check test "$(kept)" -eq 0

cp "$small" small.onnx
sleep 0.05
run
check test "$(kept)" -eq 1
check test "$(stat -c %a "$LATHE_CACHE_DIR"/compiled/*.so)" = 600
cp out first
expect 0 "model   small.onnx for llvm" "$lathe" cache list

# What is found is what was kept: another model's code in its place gives the other answer.
"$lathe" compile "$small" -o direct.so --input picture=1x3x16x16 --no-cache
file=$(ls "$LATHE_CACHE_DIR"/compiled/*.so)
run
check cmp out first
expect 0 "" "$lathe" bench small.onnx --input picture=random:1x3x16x16 --seconds 0.1
check test "$(kept)" -eq 1
cp "$file" good.so
cat > double.lathe <<'END'
graph main(%picture: float32[1, 3, 16, 16]) {
  %scores = add(%picture, %picture)
  return %scores
}
END
"$lathe" compile double.lathe -o double.so
cp double.so "$file"
run
check grep -q "float32\[1, 3, 16, 16\]" out
cp good.so "$file"

# Options, shapes and contents have entries of their own.
run --opt-level 0
check test "$(kept)" -eq 2
run --disable fold_constants
check test "$(kept)" -eq 3
expect 0 "float32[2, 10]" "$lathe" run small.onnx --input picture=random:2x3x16x16
check test "$(kept)" -eq 4
run --no-records
check test "$(kept)" -eq 5
run --no-cache
check cmp out first
check test "$(kept)" -eq 5

# Damage is found, said, and mended.
printf '\x55' | dd of="$file" bs=1 seek=$(($(stat -c %s "$file") / 2)) conv=notrunc 2> /dev/null
run
check grep -q "warning\[cache-entry-damaged\]" out
check sh -c 'grep -v "^warning\|^  note\|^  help" out | cmp - first'
run
check cmp out first
truncate -s 1000 "$file"
expect 0 "damaged, removed" "$lathe" cache verify
check test "$(kept)" -eq 4
run
check cmp out first

# A file that others may write is not run.
chmod 666 "$file"
run
check grep -q "warning\[cache-folder-unsafe\]" out

# Without room nothing is kept, and old entries go with their models.
expect 0 "" "$lathe" cache clear
check test "$(kept)" -eq 0
LATHE_CACHE_BYTES=1K run
check test "$(kept)" -eq 0
check cmp out first

# External data belongs to the model.
base64 -d > external.onnx <<'END'
CAgSADpTCg4KAXgKAXcSAXkiA0FkZBIBZyocCAIQAUIBd2oRCghsb2NhdGlvbhIFdy5iaW5wAVoPCgF4EgoKCAgBEgQKAggCYg8KAXkSCgoICAESBAoCCAJCBAoAEA0=
END
sum() { expect 0 "min $1," "$lathe" run external.onnx --input x=zeros; }
printf '\0\0\200\077\0\0\200\077' > w.bin # 1, 1
sleep 0.05
sum 1
check test "$(kept)" -eq 1
sum 1
check test "$(kept)" -eq 1
printf '\0\0\0\100\0\0\0\100' > w.bin # 2, 2
sleep 0.05
sum 2
check test "$(kept)" -eq 2
mv w.bin away
expect 1 "error[onnx-external-data]" "$lathe" run external.onnx --input x=zeros
exit $((failures > 0))
